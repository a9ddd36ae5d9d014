// The gradient of EP's log Z on a FITC model with respect to the kernel (math: EP, section 6).
#ifndef GPSIEVE_APPROX_FITC_GRADIENT_H
#define GPSIEVE_APPROX_FITC_GRADIENT_H

#include "approx/parallel_ep.h"

namespace gpsieve {

// d log Z / d (K_uf, K_uu, diag K_ff): what the kernel's reverse mode needs. Exact at a fixed point
// of EP, where the sites' own changes drop out.
struct FitcAdjoint {
  Matrix cross;     // m x n
  Matrix inducing;  // m x m
  Vector diagonal;  // n
};

FitcAdjoint fitc_adjoint(const Fitc& fitc, const EpState& state, const EpPass& pass,
                         const Context& ctx);

// The same, carried through to the kernel's log parameters; jitter follows K_uu's mean diagonal.
Vector fitc_gradient(const Kernel& kernel, Points inducing, Points x, const Fitc& fitc,
                     const EpState& state, const EpPass& pass, const Context& ctx);

}  // namespace gpsieve

#endif
