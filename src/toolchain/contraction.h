// First in every unit that R compiles (tools/sources.sh). Where multiplication and addition are one
// instruction of the processor that is compiled for (arm64; others under -march), GCC contracts
// a * b + c to it unless told otherwise, clang within one expression. Whether it does depends on
// the compiler, its version and what it inlines, and the result with it. fma() is not affected.
#pragma once
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__) && defined(__FP_FAST_FMA)
#pragma GCC optimize("fp-contract=off")
#endif
