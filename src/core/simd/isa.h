// Which instruction set the leaf loops use, chosen while running: R compiles packages for the
// oldest processor of a family, so the compiler's flags cannot know.
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

// The one in use: best_isa() until set_isa() says otherwise.
Isa active_isa();

// For tests, and to reproduce another machine's bits: neon, avx2 and avx512 agree to the last one,
// portable does not. Returns false, changing nothing, if `isa` is not supported. Call it between
// computations, not during one.
bool set_isa(Isa isa);

// "portable", "neon", "avx2", "avx512"; isa_from_name throws InvalidSpec for any other name.
const char* isa_name(Isa isa);
Isa isa_from_name(const std::string& name);

}  // namespace gpsieve

#endif
