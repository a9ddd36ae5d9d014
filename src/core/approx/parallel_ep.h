// Parallel expectation propagation on a FITC model: all sites from the same q, then q anew.
#ifndef GPSIEVE_APPROX_PARALLEL_EP_H
#define GPSIEVE_APPROX_PARALLEL_EP_H

#include "approx/fitc.h"
#include "base/context.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

// Sites exp(-tau (v_i'w)^2 / 2 + nu v_i'w) and the q(w) that belongs to them.
struct EpState {
  static EpState empty(Index n, Index m);
  static EpState from_sites(const Fitc& fitc, VectorIn precision, VectorIn shift,
                            const Context& ctx);

  Vector precision, shift;  // tau and nu
  WhitenedPosterior q;
};

// What one look at all rows finds: cavities, tilted distributions and the sites they ask for.
struct EpPass {
  Vector variance, mean;                // of v_i' w under q
  Vector cavity_variance, cavity_mean;  // of v_i' w; f_i has s_i more variance
  Vector d1, d2;                        // of log Z_i in the cavity mean
  Vector precision, shift;              // the sites that match moments
  double log_evidence;                  // EP's log Z at the state looked at
  Index skipped;                        // rows whose cavity or site was improper; sites unchanged
};

EpPass look(const Fitc& fitc, const Likelihood& likelihood, VectorIn y, double prior_mean,
            const EpState& state, const Context& ctx);

// Moves the sites to those of `pass` and recomputes q. Where more than a tenth of the rows were
// skipped or the factor breaks down (likelihoods that are not log-concave only) the step is halved.
void step(const Fitc& fitc, const EpPass& pass, EpState& state, const Context& ctx);

struct EpOptions {
  int max_passes = 3;
  // Stop when no site moved by more than this, in units of its marginal; 0: always max_passes.
  double tolerance = 0.0;
};

// Steps until converged or max_passes; true if converged. `last` receives the look before the last
// step: look() again for cavities and evidence that belong to the final state.
bool parallel_ep(const Fitc& fitc, const Likelihood& likelihood, VectorIn y, double prior_mean,
                 const EpOptions& options, EpState& state, EpPass& last, const Context& ctx);

}  // namespace gpsieve

#endif
