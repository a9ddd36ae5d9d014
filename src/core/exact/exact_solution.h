// The posterior of a Gaussian process with Gaussian noise from all rows, without an n x n matrix:
// theory.md.
#ifndef GPSIEVE_EXACT_EXACT_SOLUTION_H
#define GPSIEVE_EXACT_EXACT_SOLUTION_H

#include <cstdint>
#include <memory>

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
  // Where products with K + D are computed, D being the noise of the rows that the solver is made
  // with; null: here.
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

// Solves for one response and noise after the other with one kernel matrix, whose blocks are kept.
class ExactSolver {
 public:
  // `noise`: a D for which products need no correction; kernel, x and options must outlive this.
  ExactSolver(const Kernel& kernel, Points x, const Vector& noise, const ExactOptions& options,
              const Context& ctx);
  // The rows of every leaf of the preconditioner.
  const std::vector<Indices>& leaves() const { return leaves_; }
  // y: responses less the prior mean; noise: the diagonal of D, positive. The tolerance and the
  // number of probes take the place of those of the options.
  ExactSolution solve(VectorIn y, VectorIn noise, double tol, Index probes,
                      const Context& ctx) const;

 private:
  const ExactOptions& options_;
  BoundKernel kernel_;
  Vector noise_;
  Indices inducing_;
  std::vector<Indices> leaves_;
  std::unique_ptr<CovarianceProduct> own_;
  const CovarianceProduct& product_;
};

ExactSolution solve_exactly(const Kernel& kernel, Points x, VectorIn y, VectorIn noise,
                            const ExactOptions& options, const Context& ctx);

}  // namespace gpsieve

#endif
