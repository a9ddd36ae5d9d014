// Lower bounds on the objective of the unrestricted problem: what a sparse fit may be missing.
#ifndef GPSIEVE_MODELS_GREEDY_CERTIFICATE_H
#define GPSIEVE_MODELS_GREEDY_CERTIFICATE_H

#include "models/greedy/greedy.h"
#include "models/greedy/kernel_operator.h"
#include "models/greedy/newton/newton.h"
#include "models/greedy/regression.h"

namespace gpsieve {

// Q - Qmin at most: the dual at the dense point (y - f)/s2 (math: greedy, section 1), which is
// r'(K r - s2 f) / (2 s2). `slopes` = K r - s2 f.
double dense_gap(const GreedyRegression& engine, VectorIn slopes);

// J - Jmin at most, for a log-concave likelihood (math: greedy, section 6.2):
//   |h|^2 / 2 + c'' (K - Z Z') c' / 2,  h the gradient on the span.
// `exact` needs one product with K, `block` K's blocks of `block_size` rows, `cheap` its diagonal.
double gradient_gap(const GreedyNewton& engine, GradientBound form, Index block_size,
                    const KernelOperator& kernel, const Context& ctx);

// Keeps the best lower bound seen, and decides when a dense one is due: when the search since the
// last has cost as much as it will, or when it costs next to nothing.
class CertificateKeeper {
 public:
  CertificateKeeper(const GreedyOptions& options, Index m, double offset);

  void offer(double lower, const char* rule);
  void spent(double multiply_adds) { work_ += multiply_adds; }
  bool due() const;
  void looked() { work_ = 0.0; }

  GreedyCertificate at(double objective) const;
  bool met(double objective) const;  // the stopping rule

 private:
  const GreedyOptions& options_;
  double cost_, work_ = 0.0;
  double offset_, lower_, sparse_lower_;
  std::string rule_;
};

}  // namespace gpsieve

#endif
