// Lower bounds on the minimum of the objective over the functions of all rows.
#ifndef GPSIEVE_MODELS_GREEDY_CERTIFICATE_H
#define GPSIEVE_MODELS_GREEDY_CERTIFICATE_H

#include "models/greedy/greedy.h"
#include "models/greedy/kernel_operator.h"
#include "models/greedy/newton/newton.h"
#include "models/greedy/regression.h"

namespace gpsieve {

// Multiply-adds that one kernel value costs, about.
inline constexpr double kKernelWork = 25.0;

// An upper bound on Q - min Q: the gap at the dense dual point (y - f) / s2, theory.md (7), which
// is r'(K r - s2 f) / (2 s2). `slopes` = K r - s2 f.
double dense_gap(const GreedyRegression& engine, VectorIn slopes);

// An upper bound on J - min J for a log-concave likelihood, theory.md (21):
//   |h|^2 / 2 + c1' (K - Z Z') c1 / 2,  h the gradient on the span.
// `exact` needs one product with K, `block` K's blocks of `block_size` rows, `cheap` its diagonal.
double gradient_gap(const GreedyNewton& engine, GradientBound form, Index block_size,
                    const KernelOperator& kernel, const Context& ctx);

// Keeps the best lower bound, and decides when a dense bound, which costs n^2 kernel values, is to
// be computed: when the search since the last dense bound has taken as many multiply-adds as the
// bound will take, or when the bound takes few.
class CertificateKeeper {
 public:
  CertificateKeeper(const GreedyOptions& options, Index n, double offset);

  void add_bound(double lower, BoundSource source);
  void add_work(double multiply_adds) { work_ += multiply_adds; }
  bool dense_bound_is_due() const;
  void restart_work() { work_ = 0.0; }  // after a dense bound was computed

  GreedyCertificate at(double objective) const;
  bool gap_reached(double objective) const;  // the stopping rule

 private:
  const GreedyOptions& options_;
  double cost_, work_ = 0.0;
  double offset_, lower_, sparse_lower_;
  BoundSource source_ = BoundSource::none;
};

}  // namespace gpsieve

#endif
