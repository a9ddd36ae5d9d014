// The sums over rows by which an update and the gradient of the evidence depend on the data. Sums
// over parts of the rows are added in a fixed order (models/ep/theory.md#shards).
#ifndef GPSIEVE_SPARSE_EP_SUMS_H
#define GPSIEVE_SPARSE_EP_SUMS_H

#include <algorithm>
#include <vector>

#include "base/archive.h"
#include "sparse_ep/whitened_posterior.h"

namespace gpsieve {

// Of an update, by latent function: the product of the new sites.
struct SiteSums {
  void add(const SiteSums& other) {
    for (std::size_t k = 0; k < natural.size(); ++k) natural[k].combine(1.0, 1.0, other.natural[k]);
    log_z += other.log_z;
    skipped += other.skipped;
    largest = std::max(largest, other.largest);
  }
  void visit(Archive& archive) {
    archive.visit(natural);
    archive.visit(log_z);
    archive.visit(skipped);
    archive.visit(largest);
  }

  std::vector<NaturalFactor> natural;
  double log_z = 0.0;    // sum of the rows' terms of log Z
  Index skipped = 0;     // factors whose sites stayed
  double largest = 0.0;  // EP: change of a site, theory.md#convergence
};

// Of the evidence and its gradient, theory.md (25) to (28).
struct EvidenceSums {
  void add(const EvidenceSums& other) {
    log_z += other.log_z;
    for (std::size_t k = 0; k < by_variance.size(); ++k) {
      by_variance[k].combine(1.0, 1.0, other.by_variance[k]);
      by_weight[k].combine(1.0, 1.0, other.by_weight[k]);
    }
    kernel += other.kernel;
    likelihood += other.likelihood;
    inputs += other.inputs;
  }
  void visit(Archive& archive) {
    archive.visit(log_z);
    archive.visit(by_variance);
    archive.visit(by_weight);
    archive.visit(kernel);
    archive.visit(likelihood);
    archive.visit(inputs);
  }

  double log_z = 0.0;                      // sum of the rows' terms of log Z
  std::vector<NaturalFactor> by_variance;  // V diag(gamma) V' and V h
  std::vector<NaturalFactor> by_weight;    // EP: V diag(omega) V'
  // The parts of the gradient that come through G_uf and G_ff; empty unless the gradient is wanted.
  Vector kernel, likelihood;
  Matrix inputs;
};

}  // namespace gpsieve

#endif
