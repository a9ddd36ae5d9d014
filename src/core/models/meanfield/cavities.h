// The cavity variances of the four methods.
#ifndef GPSIEVE_MODELS_MEANFIELD_CAVITIES_H
#define GPSIEVE_MODELS_MEANFIELD_CAVITIES_H

#include "models/meanfield/fields.h"

namespace gpsieve {

// Cavity variances under which the variance of f_i by linear response is that of the tilted
// distribution: 1 / R_ii - 1 / T_i, inside their exact bounds 0 and K_ii. Leaves the inverse of the
// solver's factor at the current point. The fixed point is that of expectation propagation.
Vector matching_cavities(FieldSolver& solver, const Context& ctx);

// Posterior variances of f_i by linear response, from the cavities that match.
Vector response_variances(const FieldSolver& solver, const Vector& matching);

// The variational product over fields with all noise on the diagonal of K: 1 / [(K + v I)^-1]_ii
// less the noise v of the likelihood's step. `half_log_det` receives half the log determinant of
// (K + v I) diag(cavity variance + v)^-1. Overwrites `work`.
Vector ensemble_cavities(const Matrix& k, double noise, Matrix& work, double& half_log_det,
                         const Context& ctx);

// work = lower Cholesky factor of K + v I.
void factor_with_noise(const Matrix& k, double noise, Matrix& work, const Context& ctx);

}  // namespace gpsieve

#endif
