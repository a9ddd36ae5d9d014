// Speed of the dense linear algebra, one thread, beside Eigen compiled with the same flags.
//
//   linalg_bench [largest size = 1000] [case ...]
//
// One row per case, size and instruction set: 1e9 floating-point operations (exp: values) per
// second of CPU time, median of five, and the same for Eigen. Every run works on a fresh copy of
// its output, in both columns.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "simd/exp.h"
#include "simd/isa.h"

using namespace gpsieve;

namespace {

double seconds_per_call(const std::function<void()>& run) {
  const auto time = [&](Index calls) {
    const std::clock_t start = std::clock();
    for (Index i = 0; i < calls; ++i) run();
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(calls);
  };
  const double first = std::max(time(1), 1e-8);
  const Index calls = std::max<Index>(1, static_cast<Index>(0.01 / std::max(time(10), 1e-8)));
  if (first > 0.5) return first;
  std::vector<double> times;
  for (int i = 0; i < 5; ++i) times.push_back(time(calls));
  std::nth_element(times.begin(), times.begin() + 2, times.end());
  return times[2];
}

struct Case {
  std::string name;
  double operations;  // 1e9
  std::function<void()> ours, eigen;
};

std::vector<Case> cases(Index n) {
  const double size = static_cast<double>(n), cube = 1e-9 * size * size * size;
  static Matrix a, b, c, spd, start, factor;
  a = Matrix::Random(n, n);
  b = Matrix::Random(n, n);
  start = Matrix::Random(n, n);
  c = start;
  spd = Matrix::Constant(n, n, 0.5);
  spd.diagonal().setConstant(2.0);
  factor = spd.llt().matrixL();
  return {
      {"gemm", 2.0 * cube, [] { gemm(1.0, a, Op::plain, b, Op::plain, 0.0, c); },
       [] { c.noalias() = a * b; }},
      {"gemm_tn", 2.0 * cube, [] { gemm(1.0, a, Op::transposed, b, Op::plain, 0.0, c); },
       [] { c.noalias() = a.transpose() * b; }},
      {"syrk", cube, [] { syrk(-1.0, a, Op::plain, 0.0, c); },
       [] {
         c.triangularView<Eigen::Lower>().setZero();
         c.selfadjointView<Eigen::Lower>().rankUpdate(a, -1.0);
       }},
      {"trsm_left", cube,
       [] {
         c = start;
         trsm(Side::left, Triangle::lower, Op::plain, factor, c);
       },
       [] {
         c = start;
         factor.triangularView<Eigen::Lower>().solveInPlace(c);
       }},
      {"trsm_right", cube,
       [] {
         c = start;
         trsm(Side::right, Triangle::lower, Op::transposed, factor, c);
       },
       [] {
         c = start;
         factor.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(c);
       }},
      {"chol", cube / 3.0,
       [] {
         c = spd;
         cholesky_in_place(c);
       },
       [] {
         c = spd;
         Eigen::LLT<Eigen::Ref<Matrix>> llt(c);
       }},
      {"exp", 1e-9 * size * size, [n] { exp_scaled(start.data(), c.data(), n * n, 2.0); },
       [] { c.array() = 2.0 * start.array().exp(); }},
  };
}

}  // namespace

int main(int argc, char** argv) {
  const Index largest = argc > 1 ? std::atol(argv[1]) : 1000;
  const std::vector<std::string> wanted(argv + std::min(argc, 2), argv + argc);
  std::printf("%-12s %5s %-9s %8s %8s %6s\n", "case", "size", "isa", "GF/s", "Eigen", "ratio");
  for (Index n : {4, 6, 8, 12, 16, 24, 32, 48, 64, 100, 200, 500, 1000, 2000, 4000}) {
    if (n > largest) break;
    for (const Case& c : cases(n)) {
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), c.name) == wanted.end())
        continue;
      const double eigen = c.operations / seconds_per_call(c.eigen);
      for (Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) {
        if (!set_isa(isa)) continue;
        const double ours = c.operations / seconds_per_call(c.ours);
        std::printf("%-12s %5td %-9s %8.2f %8.2f %6.2f\n", c.name.c_str(), n, isa_name(isa), ours,
                    eigen, ours / eigen);
        std::fflush(stdout);
      }
    }
  }
}
