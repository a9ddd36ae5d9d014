// Sparse posteriors of the greedy engines: theory.md (14) to (16) and
// theory.md#prediction-by-newtons-method.
#ifndef GPSIEVE_MODELS_GREEDY_POSTERIOR_H
#define GPSIEVE_MODELS_GREEDY_POSTERIOR_H

#include "models/greedy/dual.h"
#include "models/greedy/greedy.h"
#include "models/greedy/newton/newton.h"
#include "models/greedy/regression.h"
#include "posterior/sparse_posterior.h"

namespace gpsieve {

// `dual_rows` are the rows of the data that `dual`, which may be null unless `variance` is upper,
// calls 0, 1, 2, ...; empty: the same.
SparsePosterior regression_posterior(const GreedyRegression& engine, const GreedyDual* dual,
                                     const Indices& dual_rows, GreedyVariance variance,
                                     double prior_mean);

// `factor` of H = I + Z' diag(c2) Z.
SparsePosterior newton_posterior(const GreedyNewton& engine, const Matrix& factor,
                                 GreedyVariance variance, double prior_mean);

}  // namespace gpsieve

#endif
