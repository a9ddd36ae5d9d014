// Problems for sequential learning, and its fits and predictions in one call.
#ifndef GPSIEVE_TESTS_ONLINE_HELPERS_H
#define GPSIEVE_TESTS_ONLINE_HELPERS_H

#include <memory>
#include <utility>
#include <vector>

#include "dense_reference.h"
#include "models/online/online.h"

namespace online {

using namespace gpsieve;

inline std::vector<std::unique_ptr<Likelihood>> likelihoods() {
  std::vector<std::unique_ptr<Likelihood>> all;
  all.push_back(dense::probit());
  all.push_back(dense::likelihood("logit"));
  all.push_back(dense::gaussian(0.1));
  all.push_back(dense::likelihood("student", {{"df", {4.0}}, {"scale", {0.2}}}));
  return all;
}

inline Vector responses(const Likelihood& likelihood, const Matrix& x, std::uint64_t seed) {
  return likelihood.response() == Response::binary ? dense::labels(x, seed)
                                                   : dense::numbers(x, seed);
}

// Rows are absorbed in the order in which they are given, which the definitions here follow.
struct InOrder : OnlineOptions {
  InOrder() { shuffle = false; }
};

inline OnlineFit fit(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                     const Vector& y, const OnlineOptions& options, double prior_mean = 0.0,
                     std::vector<OnlineState> states = {}) {
  return fit_online({kernel, likelihood, x, y, Vector::Constant(1, prior_mean)}, std::move(states),
                    options, 1, Context());
}

inline dense::Marginals predict(const Kernel& kernel, const Matrix& x, const OnlineFit& fit,
                                const Matrix& at) {
  const SparsePosterior& posterior = fit.fit.latents[0].posterior;
  return dense::predict(kernel, dense::columns(x, posterior.basis), posterior, at);
}

}  // namespace online

#endif
