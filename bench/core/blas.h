// Fortran BLAS and LAPACK routines from shared libraries loaded at run time; null where missing.
#ifndef GPSIEVE_BENCH_BLAS_H
#define GPSIEVE_BENCH_BLAS_H

#include <dlfcn.h>

#include <stdexcept>
#include <string>
#include <vector>

struct Blas {
  using Size = const int*;
  using Real = const double*;
  using Flag = const char*;

  explicit Blas(const std::vector<std::string>& libraries) {
    for (const std::string& library : libraries) {
      void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (!handle) throw std::runtime_error(dlerror());
      find(handle, "dgemm_", gemm);
      find(handle, "dsyrk_", syrk);
      find(handle, "dtrsm_", trsm);
      find(handle, "dpotrf_", potrf);
    }
  }

  void (*gemm)(Flag, Flag, Size, Size, Size, Real, Real, Size, Real, Size, Real, double*,
               Size) = nullptr;
  void (*syrk)(Flag, Flag, Size, Size, Real, Real, Size, Real, double*, Size) = nullptr;
  void (*trsm)(Flag, Flag, Flag, Flag, Size, Size, Real, Real, Size, double*, Size) = nullptr;
  void (*potrf)(Flag, Size, double*, Size, int*) = nullptr;

 private:
  template <class Function>
  static void find(void* handle, const char* name, Function& function) {
    if (!function) function = reinterpret_cast<Function>(dlsym(handle, name));
  }
};

#endif
