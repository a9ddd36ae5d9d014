// The cavity variances of TAP and the ensemble (theory.md#methods).
#ifndef GPSIEVE_MODELS_MEANFIELD_CAVITIES_H
#define GPSIEVE_MODELS_MEANFIELD_CAVITIES_H

#include "models/meanfield/fields.h"

namespace gpsieve {

// The cavity variances of theory.md (13), with case weights (24), at the solver's current point,
// kept inside their exact bounds 0 and largest_cavities(). Leaves the inverse of the factor of B in
// the solver's work space.
Vector matching_cavities(FieldSolver& solver, const Context& ctx);

// 1 / [B^-1]_ii - r_i is W_i times the new cavity variance. Has that difference, `scaled`, lost so
// many digits that theory.md (15) is needed?
bool is_cancelled(double scaled);
// theory.md (15): the variance of f_i without its site, from the posterior variance.
double without_site(double variance, double precision);
// theory.md (24): the variance without one copy of row i, from that without all `copies` of it,
// each of which has a site of this precision; kept inside its bounds.
double without_one_copy(double variance, double copies, double precision, double prior);

// Upper bounds of the cavity variances: K_ii, and many times that for a row of weight below 1, of
// which a cavity leaves out more than there is.
Vector largest_cavities(const FieldProblem& problem);

// The posterior variances of f_i, theory.md (14), from the cavity variances of (13).
Vector response_variances(const FieldSolver& solver, const Vector& matching);

// The cavity variances of theory.md (11) for a probit whose noise is v = `noise` and rows of
// weights w. `half_log_det` receives the two log terms of theory.md (12). Overwrites `work`.
Vector ensemble_cavities(MatrixIn k, double noise, const Vector& w, MatrixOut work,
                         double& half_log_det, const Context& ctx);

// work = lower Cholesky factor of K + v diag(1 / w).
void factor_with_noise(MatrixIn k, double noise, const Vector& w, MatrixOut work,
                       const Context& ctx);

}  // namespace gpsieve

#endif
