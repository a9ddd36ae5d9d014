#include "check.h"
#include "simd/isa.h"

// core_tests [part of the name or the file of a test]...
int main(int argc, char** argv) {
  std::printf("instruction sets:");
  for (gpsieve::Isa isa : gpsieve::kAllIsas)
    if (gpsieve::isa_supported(isa)) std::printf(" %s", gpsieve::isa_name(isa));
  std::printf("\n");
  return check::run_all({argv + 1, argv + argc});
}
