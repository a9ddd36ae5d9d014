// The posterior of a Gaussian process with Gaussian noise from all rows, without an n x n matrix:
// theory.md.
#ifndef GPSIEVE_EXACT_EXACT_SOLUTION_H
#define GPSIEVE_EXACT_EXACT_SOLUTION_H

#include <cstdint>

#include "exact/log_determinant.h"

namespace gpsieve {

struct ExactOptions {
  PartitionTree tree{0};   // of the inputs; its leaves are those of the preconditioner
  Index inducing = 1000;   // rows, drawn at random
  std::uint64_t seed = 0;  // of these rows and of the probes
  double max_bytes = 0.0;  // for blocks of K that are kept
  Index probes = 10;       // for log|K + D|; 0: that of the preconditioner is returned
  double tol = 1e-5;       // conjugate gradients: CgOptions
  Index max_steps = 1000;
  // Where products with K + D are computed; null: here.
  const CovarianceProduct* product = nullptr;
};

struct ExactSolution {
  Vector weights;           // alpha = (K + D)^-1 (y - b)
  Vector mean;              // K alpha
  Vector inverse_diagonal;  // of M^-1
  LocalVariance variance;
  Estimate log_determinant;
  Index steps;
  double residual;
  bool converged;
};

// y: responses less the prior mean; noise: the diagonal of D, positive.
ExactSolution solve_exactly(const Kernel& kernel, Points x, VectorIn y, VectorIn noise,
                            const ExactOptions& options, const Context& ctx);

}  // namespace gpsieve

#endif
