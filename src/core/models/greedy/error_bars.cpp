#include "models/greedy/error_bars.h"

#include <algorithm>

#include "models/greedy/candidates.h"
#include "models/greedy/dual.h"
#include "models/greedy/regression.h"

namespace gpsieve {
namespace {

// The best of all rows that orthogonalisation accepts; false if there is none.
bool add_best(GreedyRegression& engine, FullPool& pool, const Context& ctx) {
  const Vector gains = pool.gains(engine);
  for (const Index j : by_decreasing_gain(gains))
    if (engine.add(j, ctx)) {
      pool.update(engine, ctx);
      return true;
    }
  return false;
}

}  // namespace

Matrix greedy_error_bars(const Kernel& kernel, Points x, double noise, Points x_new,
                         const ErrorBarOptions& options, const Context& ctx) {
  const BoundKernel bound(kernel, x);
  const KernelOperator all(bound, options.stored_bytes, ctx);
  const Index capacity = std::min(options.max_basis, x.cols());
  Vector prior(x_new.cols());
  kernel.diagonal(x_new, prior);
  Matrix out(3, x_new.cols());
  for (Index p = 0; p < x_new.cols(); ++p) {
    Matrix k(x.cols(), 1);
    kernel.cross(x, x_new.col(p), k);
    GreedyRegression upper(bound, k.col(0), noise, capacity);
    GreedyDual lower(bound, k.col(0), noise, capacity);
    FullPool pool(upper, k.col(0), all, ctx);
    // low <= E <= above by the quadratic forms; high also uses E <= k**, as no variance is below 0.
    double low = 0.0, above = k.squaredNorm() / noise, high = std::min(prior(p), above);
    while (lower.size() < capacity) {
      lower.add(lower.best(nullptr), ctx);
      low = std::max(low, -2.0 * lower.objective());
      if (add_best(upper, pool, ctx)) above = (k.squaredNorm() + 2.0 * upper.objective()) / noise;
      above = std::max(above, low);
      high = std::max(low, std::min(high, above));
      const bool done = options.relative_to_explained
                            ? above - low <= options.tol * 0.5 * (above + low)
                            : high - low <= options.tol * (prior(p) + noise - low);
      if (done) break;
    }
    out.col(p) << std::max(0.0, prior(p) - high), prior(p) - low, static_cast<double>(lower.size());
    ctx.report(static_cast<double>(p + 1) / static_cast<double>(x_new.cols()), p + 1);
  }
  return out;
}

}  // namespace gpsieve
