#include <algorithm>

#include "models/greedy/search.h"

namespace gpsieve {

void GreedyLog::note(Index size, double objective, double lower) {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  rows_.push_back({size, objective, elapsed.count(), size});
  lower_.push_back(lower);
}

void GreedyLog::note_last(Index size, double objective, double lower) {
  if (!rows_.empty() && rows_.back().size == size) {
    rows_.pop_back();
    lower_.pop_back();
  }
  note(size, objective, lower);
}

void GreedyLog::finish(GreedyLatent& latent) const {
  latent.fit.trace = rows_;
  latent.lower = Eigen::Map<const Vector>(lower_.data(), static_cast<Index>(lower_.size()));
}

Index greedy_capacity(const GreedyOptions& options, Index m) {
  return std::min(m, options.n_basis > 0 ? options.n_basis : options.max_basis);
}

void explain_stop(bool exhausted, bool met, const GreedyOptions& options, GreedyLatent& latent) {
  if (met) return;
  if (exhausted) {
    latent.reason = "exhausted: no row left had a function of its own to add";
  } else if (options.n_basis == 0) {
    latent.converged = false;
    latent.reason = "the gap was still above `tol` with the largest basis allowed";
  }
}

}  // namespace gpsieve
