#include <Rcpp.h>

#include <ctime>

#include "linalg/products.h"
#include "simd/isa.h"

using namespace gpsieve;

// The speed of the core's matrix product, GFlop a second of CPU time: the best of five products of
// two size x size matrices.
// [[Rcpp::export(rng = false)]]
double core_gemm_rate(int size) {
  const Matrix a = Matrix::Constant(size, size, 0.5), b = Matrix::Constant(size, size, 0.25);
  Matrix c(size, size);
  double best = 0.0;
  for (int run = 0; run < 5; ++run) {
    const std::clock_t start = std::clock();
    gemm(1.0, a, Op::plain, b, Op::plain, 0.0, c);
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    best = std::max(best, 2e-9 * size * size * size / std::max(seconds, 1e-9));
  }
  return best;
}

// The instruction set in use: "portable", "avx2" or "avx512".
// [[Rcpp::export(rng = false)]]
std::string core_isa() { return isa_name(active_isa()); }

// [[Rcpp::export(rng = false)]]
bool core_set_isa(std::string name) { return set_isa(isa_from_name(name)); }
