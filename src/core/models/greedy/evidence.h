// Evidence of the projected model on a fixed basis of rows, with gradients:
// theory.md#evidence-of-the-projected-model.
//
// All coordinates are whitened: K_BB = L L', Z = K_B L^-T. The smallest eigenvalue of every matrix
// that is factored is then at least s2 or 1.
#ifndef GPSIEVE_MODELS_GREEDY_EVIDENCE_H
#define GPSIEVE_MODELS_GREEDY_EVIDENCE_H

#include "base/context.h"
#include "models/fit_problem.h"
#include "models/greedy/newton/newton_state.h"

namespace gpsieve {

struct GreedyEvidence {
  double value = 0.0;
  Vector kernel_gradient, likelihood_gradient;  // log scale; empty unless asked for
  Vector mode;  // whitened coordinates of the mode, to start from next time; empty: none sought
};

// A regression: the responses without the prior mean, and the variance of their noise.
struct GreedyRegressionRows {
  const Kernel& kernel;
  Eigen::Ref<const Matrix> x;
  Eigen::Ref<const Vector> y;
  double noise;
  const CaseTerms& cases;
};

// Gaussian noise. The marginal likelihood of the projected model, and with `trace_term` minus
// tr(K - K_B K_BB^-1 K_B') / (2 s2), which makes it a lower bound of the exact log evidence.
// Rows are visited in blocks, twice where the gradient is wanted; memory O(m^2).
GreedyEvidence regression_evidence(const GreedyRegressionRows& data, const Indices& basis,
                                   bool trace_term, bool gradient, const Context& ctx);

// Any likelihood: Laplace's approximation at the mode, sought from `start` (empty: from 0).
// `problem` has one latent function, as in the next two functions.
GreedyEvidence laplace_evidence(const FitProblem& problem, const Indices& basis, VectorIn start,
                                bool gradient, const Context& ctx);

// The mode of a projected model.
struct GreedyMode {
  const NewtonState& state;         // at the mode
  Eigen::Ref<const Matrix> z;       // Z
  Eigen::Ref<const Matrix> l;       // L
  Eigen::Ref<const Matrix> factor;  // of I + Z' diag(c2) Z at the mode
};

// Laplace's approximation where the mode is known.
GreedyEvidence laplace_at_mode(const FitProblem& problem, const Indices& basis,
                               const GreedyMode& mode, bool gradient, const Context& ctx);

// The first of the two for Gaussian noise, the second for all other likelihoods.
GreedyEvidence projected_evidence(const FitProblem& problem, const Indices& basis, VectorIn start,
                                  bool trace_term, bool gradient, const Context& ctx);

}  // namespace gpsieve

#endif
