#include "linalg/gemm_rate.h"

#include <algorithm>
#include <chrono>

#include "linalg/products.h"

namespace gpsieve {

double gemm_rate(Index size) {
  using Clock = std::chrono::steady_clock;
  using Seconds = std::chrono::duration<double>;
  const Matrix a = Matrix::Constant(size, size, 0.5), b = Matrix::Constant(size, size, 0.25);
  Matrix c(size, size);
  const double giga_flop = 2e-9 * static_cast<double>(size * size * size);
  const Clock::time_point start = Clock::now();
  double best = 0.0;
  for (int run = 0; run < 5 || Clock::now() - start < Seconds(0.05); ++run) {
    const Clock::time_point before = Clock::now();
    gemm(1.0, a, Op::plain, b, Op::plain, 0.0, c);
    best = std::max(best, giga_flop / std::max(Seconds(Clock::now() - before).count(), 1e-9));
  }
  return best;
}

}  // namespace gpsieve
