#include "models/greedy/posterior.h"

#include <algorithm>
#include <cmath>

#include "linalg/cholesky.h"

namespace gpsieve {
namespace {

void drop_prior(SparsePosterior& posterior) {
  posterior.prior_scale = 0.0;
  posterior.down = TriangularMap();
}

// The scales of the rows of the basis.
Vector row_scales(const IncrementalBasis& basis, const Indices& rows) {
  Vector scale(static_cast<Index>(rows.size()));
  for (Index i = 0; i < scale.size(); ++i) scale(i) = basis.kernel().scale(rows[i]);
  return scale;
}

// k** - |chol(K_SS + s2 I)^-1 k_S|^2, the variance given the observations of the dual's rows S
// alone: never less than given all. Rows of S that are no basis functions follow these with weight
// 0; the map skips basis functions that are not in S by a scale of 0.
void use_dual_variance(const GreedyRegression& engine, const GreedyDual& dual,
                       const Indices& dual_rows, SparsePosterior& posterior) {
  Indices rows;
  for (const Index j : dual.basis().chosen()) rows.push_back(dual_rows.empty() ? j : dual_rows[j]);
  const Index own = static_cast<Index>(posterior.basis.size());
  for (const Index j : rows)
    if (!engine.basis().contains(j)) posterior.basis.push_back(j);
  const Index m = static_cast<Index>(posterior.basis.size());
  posterior.weights.conservativeResizeLike(Vector::Zero(m));
  posterior.up = TriangularMap();

  const BoundKernel& kernel = engine.basis().kernel();
  Vector scale = Vector::Zero(m);
  for (Index i = 0; i < m; ++i)
    if (i >= own || std::find(rows.begin(), rows.end(), posterior.basis[i]) != rows.end())
      scale(i) = 1.0;
  Matrix factor(m, m);
  kernel.block(posterior.basis.data(), m, posterior.basis.data(), m, factor);
  factor = scale.asDiagonal() * factor * scale.asDiagonal();
  for (Index i = 0; i < m; ++i)
    factor(i, i) =
        scale(i) > 0.0 ? engine.basis().diagonal()(posterior.basis[i]) + engine.noise() : 1.0;
  cholesky_in_place(factor);
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  if (kernel.scaled()) scale = scale.cwiseProduct(row_scales(engine.basis(), posterior.basis));
  posterior.down = {std::move(factor), std::move(scale)};
}

}  // namespace

SparsePosterior regression_posterior(const GreedyRegression& engine, const GreedyDual* dual,
                                     const Indices& dual_rows, GreedyVariance variance,
                                     double prior_mean) {
  SparsePosterior posterior;
  posterior.prior_mean = prior_mean;
  posterior.basis = engine.basis().chosen();
  posterior.weights = engine.weights();
  posterior.down.factor = engine.kernel_factor();
  posterior.up.factor = engine.basis().factor() / std::sqrt(engine.noise());
  if (engine.basis().kernel().scaled()) {  // the functions are r_j k(x_j, .)
    const Vector scale = row_scales(engine.basis(), posterior.basis);
    posterior.weights = posterior.weights.cwiseProduct(scale);
    posterior.down.scale = posterior.up.scale = scale;
  }
  if (variance == GreedyVariance::sor) drop_prior(posterior);
  if (variance == GreedyVariance::upper) use_dual_variance(engine, *dual, dual_rows, posterior);
  return posterior;
}

SparsePosterior newton_posterior(const GreedyNewton& engine, const Matrix& factor,
                                 GreedyVariance variance, double prior_mean) {
  SparsePosterior posterior;
  posterior.prior_mean = prior_mean;
  posterior.basis = engine.basis().chosen();
  Matrix weights = engine.state().coordinates();
  trsm(Side::left, Triangle::lower, Op::transposed, engine.basis().factor(), weights);
  posterior.weights = weights.col(0);
  posterior.down.factor = engine.basis().factor();
  // chol(H)^-1 L^-1 = (L chol(H))^-1
  posterior.up.factor = factor;
  trmm(Side::left, Triangle::lower, Op::plain, engine.basis().factor(), posterior.up.factor);
  if (variance == GreedyVariance::sor) drop_prior(posterior);
  return posterior;
}

}  // namespace gpsieve
