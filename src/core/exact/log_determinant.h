// log|K + D| by stochastic Lanczos quadrature on the preconditioned matrix: theory.md (9).
#ifndef GPSIEVE_EXACT_LOG_DETERMINANT_H
#define GPSIEVE_EXACT_LOG_DETERMINANT_H

#include <cstdint>
#include <vector>

#include "exact/conjugate_gradients.h"

namespace gpsieve {

struct Estimate {
  double value;
  double standard_error;  // 0 where the value is not an estimate, infinite with one probe
};

// Right-hand sides drawn from N(0, M), the same for the same seed.
Matrix probes(const PicPreconditioner& preconditioner, Index count, std::uint64_t seed);

// log|K + D| from the steps of conjugate gradients for such right-hand sides.
Estimate log_determinant(const PicPreconditioner& preconditioner,
                         const std::vector<Tridiagonal>& steps);

}  // namespace gpsieve

#endif
