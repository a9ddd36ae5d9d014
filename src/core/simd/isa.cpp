#include "simd/isa.h"

#include "base/error.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

const Kernels* kernels_for(Isa isa) {
  if (!isa_supported(isa)) return nullptr;
#if GPSIEVE_SIMD_NEON
  if (isa == Isa::neon) return &kernels_neon::table;
#endif
#if GPSIEVE_SIMD_X86
  if (isa == Isa::avx512) return &kernels_avx512::table;
  if (isa == Isa::avx2) return &kernels_avx2::table;
#endif
  return &kernels_portable::table;
}

}  // namespace

std::atomic<const Kernels*> active_kernels{nullptr};

bool isa_supported(Isa isa) {
  if (isa == Isa::portable) return true;
  if (isa == Isa::neon) return GPSIEVE_SIMD_NEON;
#if GPSIEVE_SIMD_X86
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return false;
  return isa == Isa::avx2 || __builtin_cpu_supports("avx512f");
#else
  return false;
#endif
}

Isa best_isa() {
  Isa best = Isa::portable;
  for (Isa isa : kAllIsas)
    if (isa_supported(isa)) best = isa;
  return best;
}

const Kernels& choose_kernels() {
  const Kernels* best = kernels_for(best_isa());
  active_kernels.store(best, std::memory_order_release);
  return *best;
}

Isa active_isa() { return kernels().isa; }

bool set_isa(Isa isa) {
  const Kernels* table = kernels_for(isa);
  if (table) active_kernels.store(table, std::memory_order_release);
  return table != nullptr;
}

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    case Isa::neon:
      return "neon";
    case Isa::portable:
      break;
  }
  return "portable";
}

Isa isa_from_name(const std::string& name) {
  for (Isa isa : kAllIsas)
    if (name == isa_name(isa)) return isa;
  throw InvalidSpec("unknown instruction set '" + name + "'");
}

}  // namespace gpsieve
