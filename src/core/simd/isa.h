// The instruction set of the innermost loops, chosen when the program runs: R compiles packages
// for the oldest processors of a family, so that compiler flags cannot choose it.
#ifndef GPSIEVE_SIMD_ISA_H
#define GPSIEVE_SIMD_ISA_H

#include <string>

namespace gpsieve {

// From the slowest to the fastest. A build holds those of one processor family.
enum class Isa { portable, neon, avx2, avx512 };
inline constexpr Isa kAllIsas[] = {Isa::portable, Isa::neon, Isa::avx2, Isa::avx512};

// True if this build contains the code and this processor (and system) can run it.
bool isa_supported(Isa isa);

// The fastest supported one.
Isa best_isa();

// The instruction set in use: best_isa() until set_isa() is called.
Isa active_isa();

// For tests, and to reproduce the results of another computer: neon, avx2 and avx512 agree to the
// last bit, portable does not. Returns false and changes nothing if `isa` is not supported. Must
// not be called during a computation.
bool set_isa(Isa isa);

// "portable", "neon", "avx2", "avx512"; isa_from_name throws InvalidSpec for any other name.
const char* isa_name(Isa isa);
Isa isa_from_name(const std::string& name);

}  // namespace gpsieve

#endif
