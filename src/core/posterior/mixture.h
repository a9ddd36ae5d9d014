// Predictions of many machines, each of which answers for a part of the inputs: theory.md (10)
// and (11).
//
// A row visits one machine or several, whose answers count with weights. What they say together is
// a mixture of their posteriors, of which mean and variance are given.
#ifndef GPSIEVE_POSTERIOR_MIXTURE_H
#define GPSIEVE_POSTERIOR_MIXTURE_H

#include <functional>
#include <vector>

#include "partition/visit.h"
#include "posterior/sparse_posterior.h"

namespace gpsieve {

// The latent functions of one machine and the points on which they rest.
struct Machine {
  Matrix points;
  std::vector<SparsePosterior> posteriors;  // their bases are columns of `points`
};

// The machine whose posteriors index into the columns of `basis`, with the points it needs alone.
Machine machine_of(Points basis, std::vector<SparsePosterior> posteriors);

// The machine of a number; called on the main thread. Few machines are held at a time.
using MachineAt = std::function<Machine(Index)>;

// Marginals of `latents` latent functions at every visit: mean and variance are
// visits.size() x latents. `visits` are in order of the machines. Variances are skipped (and
// `variance` may be empty) unless wanted.
void predict_visits(const Kernel& kernel, const MachineAt& machine_at, Points x,
                    const std::vector<Visit>& visits, bool want_variance, MatrixOut mean,
                    MatrixOut variance, const Context& ctx);

// Mean and variance of every row's mixture, n x latents, from those at the visits. A row that
// visits one machine gets its numbers bit for bit. `variance` and `mixed_variance` may be empty.
void mix_visits(const std::vector<Visit>& visits, MatrixIn mean, MatrixIn variance,
                MatrixOut mixed_mean, MatrixOut mixed_variance);

}  // namespace gpsieve

#endif
