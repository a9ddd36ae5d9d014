// Macros of the *_body.h files. GPSIEVE_TARGET comes from the vec_*.h in use.
#ifndef GPSIEVE_SIMD_LEAF_H
#define GPSIEVE_SIMD_LEAF_H

// A small function that is always inlined.
#define GPSIEVE_LEAF GPSIEVE_TARGET __attribute__((always_inline)) inline

// Register tiles are arrays of vectors: they live in registers only if their loops are unrolled,
// which -O2 does not do by itself.
#if defined(__clang__)
#define GPSIEVE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GPSIEVE_UNROLL _Pragma("GCC unroll 16")
#endif

// In a loop that copies a few vectors: without it GCC calls memcpy, which costs more than the copy.
#define GPSIEVE_PLAIN_COPY __asm__ volatile("")

#endif
