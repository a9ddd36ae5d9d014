#include "models/greedy/search.h"

#include <algorithm>

namespace gpsieve {

Index greedy_capacity(const GreedyOptions& options, Index n) {
  return std::min(n, options.n_basis > 0 ? options.n_basis : options.max_basis);
}

void explain_stop(bool exhausted, bool gap_reached, const GreedyOptions& options,
                  GreedyLatent& latent) {
  if (gap_reached) return;
  if (exhausted) {
    latent.reason = "exhausted: no row left had a function of its own to add";
  } else if (options.n_basis == 0) {
    latent.converged = false;
    latent.reason = "the gap was still above `tol` with the largest basis allowed";
  }
}

}  // namespace gpsieve
