// Options, data and references of the tests of the informative vector machine.
#ifndef GPSIEVE_TESTS_IVM_HELPERS_H
#define GPSIEVE_TESTS_IVM_HELPERS_H

#include <cstdint>
#include <memory>
#include <vector>

#include "check.h"
#include "dense_reference.h"
#include "models/ivm/ivm.h"

namespace ivm_helpers {

using namespace gpsieve;
using dense::check_near;

inline IvmOptions plain(Index n_active, Criterion criterion = Criterion::entropy) {
  IvmOptions options;
  options.n_active = n_active;
  options.criterion = criterion;
  options.n_random = 0;
  options.n_full = n_active;
  options.refine = 0;
  return options;
}

inline IvmOptions pooled(Index n_active, Index n_full, Index pool, double retain,
                         Criterion criterion = Criterion::entropy) {
  IvmOptions options = plain(n_active, criterion);
  options.n_full = n_full;
  options.pool = pool;
  options.retain = retain;
  return options;
}

inline std::vector<std::unique_ptr<Likelihood>> likelihoods() {
  std::vector<std::unique_ptr<Likelihood>> all;
  all.push_back(dense::probit());
  all.push_back(dense::likelihood("probit", {{"noise", {0.2}}}));
  all.push_back(dense::likelihood("logit"));
  all.push_back(dense::gaussian(0.1));
  return all;
}
inline Vector responses(const Likelihood& likelihood, const Matrix& x, std::uint64_t seed) {
  return likelihood.response() == Response::binary ? dense::labels(x, seed)
                                                   : dense::numbers(x, seed);
}

// One machine.
inline LatentFit fit_one(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                         const Vector& y, double prior_mean, const IvmOptions& options,
                         std::uint64_t seed) {
  const FitProblem problem{kernel, likelihood, x, y, Vector::Constant(1, prior_mean)};
  return fit_ivm(problem, options, seed, Context()).latents[0];
}

inline dense::Marginals predict(const Kernel& kernel, const Matrix& x, const LatentFit& fit,
                                const Matrix& at) {
  return dense::predict(kernel, dense::columns(x, fit.posterior.basis), fit.posterior, at);
}

// A plain fit is what dense algebra makes of the same rows in the same order.
inline void check_plain(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                        const Vector& y, double prior_mean, const LatentFit& fit,
                        double tolerance) {
  const Matrix k = dense::gram(kernel, x);
  const Indices& active = fit.posterior.basis;
  const auto ref = dense::replay_ivm(k, likelihood, y, prior_mean, active);
  check_near(fit.site_precision, ref.precision, tolerance);
  check_near(fit.site_mean, ref.mean, tolerance);
  const Matrix inner = dense::gram(kernel, dense::columns(x, active));
  CHECK_NEAR(fit.log_evidence, dense::log_evidence(inner, ref.precision, ref.mean), tolerance);
  const Matrix at = dense::points(x.rows(), 20, 999);
  const auto got = predict(kernel, x, fit, at);
  const auto want = dense::condition(inner, dense::cross(kernel, dense::columns(x, active), at),
                                     dense::diagonal(kernel, at), ref.precision, ref.mean);
  check_near(got.mean, want.mean.array() + prior_mean, tolerance);
  check_near(got.variance, want.variance, tolerance);
}

inline void check_identical(const LatentFit& a, const LatentFit& b) {
  CHECK(a.posterior.basis == b.posterior.basis);
  CHECK(a.posterior.weights == b.posterior.weights);
  CHECK(a.posterior.down.factor == b.posterior.down.factor);
  CHECK(a.posterior.down.scale == b.posterior.down.scale);
  CHECK(a.posterior.up.factor == b.posterior.up.factor);
  CHECK(a.site_precision == b.site_precision && a.site_mean == b.site_mean);
  CHECK(a.log_evidence == b.log_evidence);
  CHECK(a.cavity_mean == b.cavity_mean);
  CHECK(a.cavity_variance == b.cavity_variance);
}

}  // namespace ivm_helpers

#endif
