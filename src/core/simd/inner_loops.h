// Macros of the *_body.h files. GPSIEVE_TARGET comes from the file of vectors/ in use.
#ifndef GPSIEVE_SIMD_INNER_LOOPS_H
#define GPSIEVE_SIMD_INNER_LOOPS_H

// A small function that is always inlined.
#define GPSIEVE_INLINE GPSIEVE_TARGET __attribute__((always_inline)) inline

// Register tiles are arrays of vectors: they live in registers only if their loops are unrolled,
// which -O2 does not do by itself.
#if defined(__clang__)
#define GPSIEVE_UNROLL _Pragma("clang loop unroll(full)")
#else
#define GPSIEVE_UNROLL _Pragma("GCC unroll 16")
#endif

// In a loop that copies a few vectors: without it GCC calls memcpy, which costs more than the copy.
#define GPSIEVE_PLAIN_COPY __asm__ volatile("")

namespace gpsieve {

// The bits of the doubles 1, sqrt(1/2) and kUnit = 2^52, at which the unit of the last place is 1.
constexpr unsigned long long kOneBits = 0x3ff0000000000000u, kRootHalfBits = 0x3fe6a09e667f3bcdu,
                             kUnitBits = 0x4330000000000000u;
constexpr double kUnit = 0x1p52;

}  // namespace gpsieve

#endif
