#include "check.h"
#include "simd/isa.h"

// core_tests [part of the name or the file of a test]...
int main(int argc, char** argv) {
  using gpsieve::Isa;
  std::printf("instruction sets:");
  for (Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
    if (gpsieve::isa_supported(isa)) std::printf(" %s", gpsieve::isa_name(isa));
  std::printf("\n");
  return check::run_all({argv + 1, argv + argc});
}
