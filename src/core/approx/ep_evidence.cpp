#include "approx/ep_evidence.h"

#include "approx/fitc_gradient.h"

namespace gpsieve {

EpEvidence ep_evidence(const Kernel& kernel, const Likelihood& likelihood, Points inducing,
                       Points x, VectorIn y, double prior_mean, double jitter,
                       const EpOptions& options, VectorIn precision, VectorIn shift, bool gradient,
                       const Context& ctx) {
  const Fitc fitc(kernel, inducing, x, jitter, ctx);
  EpState state = precision.size() > 0 ? EpState::from_sites(fitc, precision, shift, ctx)
                                       : EpState::empty(x.cols(), inducing.cols());
  EpPass last;
  EpEvidence result;
  result.converged = parallel_ep(fitc, likelihood, y, prior_mean, options, state, last, ctx);
  last = look(fitc, likelihood, y, prior_mean, state, ctx);
  result.value = last.log_evidence;
  result.precision = state.precision;
  result.shift = state.shift;
  if (gradient) {
    result.kernel_gradient = fitc_gradient(kernel, inducing, x, fitc, state, last, ctx);
    result.likelihood_gradient = Vector::Zero(likelihood.n_params());
    Vector own(likelihood.n_params());
    for (Index i = 0; own.size() > 0 && i < y.size(); ++i) {
      likelihood.tilted_gradient(y(i), last.cavity_mean(i) + prior_mean,
                                 last.cavity_variance(i) + fitc.residual()(i), own);
      result.likelihood_gradient += own;
    }
  }
  return result;
}

}  // namespace gpsieve
