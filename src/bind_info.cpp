#include <Rcpp.h>

#include <algorithm>
#include <chrono>

#include "base/parallel.h"
#include "linalg/products.h"
#include "simd/isa.h"

using namespace gpsieve;

// The speed of the core's matrix product, GFlop a second: the best of the products of two
// size x size matrices that take 50 ms together, at least five.
// [[Rcpp::export(rng = false)]]
double core_gemm_rate(int size) {
  const Matrix a = Matrix::Constant(size, size, 0.5), b = Matrix::Constant(size, size, 0.25);
  Matrix c(size, size);
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const Clock::time_point start = Clock::now();
  double best = 0.0;
  for (int run = 0; run < 5 || Clock::now() - start < Seconds(0.05); ++run) {
    const Clock::time_point before = Clock::now();
    gemm(1.0, a, Op::plain, b, Op::plain, 0.0, c);
    const double seconds = Seconds(Clock::now() - before).count();
    best = std::max(best, 2e-9 * size * size * size / std::max(seconds, 1e-9));
  }
  return best;
}

// What runs loops on several threads: "OpenMP" or "std::thread".
// [[Rcpp::export(rng = false)]]
std::string core_threading() { return kThreading; }

// The names of all instruction sets, whether or not this build and processor have them.
// [[Rcpp::export(rng = false)]]
std::vector<std::string> core_isas() {
  std::vector<std::string> names;
  for (Isa isa : kAllIsas) names.push_back(isa_name(isa));
  return names;
}

// The instruction set in use, one of core_isas().
// [[Rcpp::export(rng = false)]]
std::string core_isa() { return isa_name(active_isa()); }

// [[Rcpp::export(rng = false)]]
bool core_set_isa(std::string name) { return set_isa(isa_from_name(name)); }
