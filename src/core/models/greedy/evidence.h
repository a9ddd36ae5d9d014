// Evidence of the projected model on a fixed basis of rows, with gradients:
// theory.md#evidence-of-the-projected-model.
//
// All coordinates are whitened: K_BB = L L', Z = K_B L^-T. The smallest eigenvalue of every matrix
// that is factored is then at least s2 or 1.
#ifndef GPSIEVE_MODELS_GREEDY_EVIDENCE_H
#define GPSIEVE_MODELS_GREEDY_EVIDENCE_H

#include "base/context.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/greedy/newton/newton_state.h"

namespace gpsieve {

struct GreedyEvidence {
  double value = 0.0;
  Vector kernel_gradient, likelihood_gradient;  // log scale; empty unless asked for
  Vector mode;  // whitened coordinates of the mode, to start from next time; empty: none sought
};

// Gaussian noise. The marginal likelihood of the projected model, and with `trace_term` minus
// tr(K - K_B K_BB^-1 K_B') / (2 s2), which makes it a lower bound of the exact log evidence.
// Rows are visited in blocks, twice where the gradient is wanted; memory O(m^2).
GreedyEvidence regression_evidence(const Kernel& kernel, Points x, const Indices& basis, VectorIn y,
                                   double noise, bool trace_term, bool gradient, const Context& ctx,
                                   const CaseTerms& cases = {});

// Any likelihood: Laplace's approximation at the mode, sought from `start` (empty: from 0).
GreedyEvidence laplace_evidence(const Kernel& kernel, const Likelihood& likelihood, Points x,
                                const Indices& basis, VectorIn y, double prior_mean, VectorIn start,
                                bool gradient, const Context& ctx, const CaseTerms& cases = {});

// The same where the mode is known: z = Z and l = L of the basis, `state` at the mode and `factor`
// of I + Z' diag(c2) Z there.
GreedyEvidence laplace_at_mode(const Kernel& kernel, const Likelihood& likelihood, Points x,
                               const Indices& basis, VectorIn y, MatrixIn z, MatrixIn l,
                               const NewtonState& state, MatrixIn factor, bool gradient,
                               const Context& ctx, const CaseTerms& cases = {});

// The first of the two for Gaussian noise, the second for all other likelihoods.
GreedyEvidence projected_evidence(const Kernel& kernel, const Likelihood& likelihood, Points x,
                                  const Indices& basis, VectorIn y, double prior_mean,
                                  VectorIn start, bool trace_term, bool gradient,
                                  const Context& ctx, const CaseTerms& cases = {});

}  // namespace gpsieve

#endif
