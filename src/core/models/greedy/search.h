// The two searches behind fit_greedy(): regression by the forms Q and Q*, other likelihoods by
// sparse Newton.
#ifndef GPSIEVE_MODELS_GREEDY_SEARCH_H
#define GPSIEVE_MODELS_GREEDY_SEARCH_H

#include <chrono>

#include "base/rng.h"
#include "kernel/bound_kernel.h"
#include "models/greedy/greedy.h"

namespace gpsieve {

GreedyLatent fit_greedy_regression(const BoundKernel& kernel, const Likelihood& likelihood,
                                   VectorIn y, double prior_mean, const GreedyOptions& options,
                                   Rng rng, const Context& ctx);

GreedyLatent fit_greedy_newton(const BoundKernel& kernel, const Likelihood& likelihood, VectorIn y,
                               double prior_mean, const GreedyOptions& options, Rng rng,
                               const Context& ctx);

// What both record.
class GreedyLog {
 public:
  void note(Index size, double objective, double lower);
  // The last size once more, fitted to the end.
  void note_last(Index size, double objective, double lower);
  void finish(GreedyLatent& latent) const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<TraceRow> rows_;
  std::vector<double> lower_;
};

// The size at which a search stops for good.
Index greedy_capacity(const GreedyOptions& options, Index m);

// Why it stopped, where that is worth saying: all candidates were rejected (a valid fit), or the
// gap was not reached (not converged).
void explain_stop(bool exhausted, bool met, const GreedyOptions& options, GreedyLatent& latent);

}  // namespace gpsieve

#endif
