// The responses of many rows where f is, for likelihoods of which a Gaussian site is the likelihood
// itself.
#ifndef GPSIEVE_MODELS_LATENT_RESPONSES_H
#define GPSIEVE_MODELS_LATENT_RESPONSES_H

#include "likelihood/likelihood.h"

namespace gpsieve {

// z(y_i) of every row.
inline Vector latent_responses(const Likelihood& likelihood, MatrixIn y) {
  Vector z(y.rows());
  for (Index i = 0; i < z.size(); ++i) z[i] = likelihood.latent_response(observed(y, i));
  return z;
}

// The sum of log z'(y_i), in which a row counts `copies` times: what the log evidence of y is
// greater by than that of z(y).
inline double sum_log_jacobians(const Likelihood& likelihood, MatrixIn y, VectorIn copies) {
  double sum = 0.0;
  for (Index i = 0; i < y.rows(); ++i) sum += copies[i] * likelihood.log_jacobian(observed(y, i));
  return sum;
}

}  // namespace gpsieve

#endif
