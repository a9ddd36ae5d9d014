// The factor of a posterior in which every row is a basis point. It is a function of the kernel,
// the basis points and the precisions of the sites, so that a fit of many machines need not keep
// it.
#ifndef GPSIEVE_POSTERIOR_DENSE_FACTOR_H
#define GPSIEVE_POSTERIOR_DENSE_FACTOR_H

#include <vector>

#include "base/context.h"
#include "kernel/kernel.h"
#include "posterior/sparse_posterior.h"

namespace gpsieve {

// The lower triangle of `factor` becomes L of theory.md (18), L L' = I + S K S with S = diag(scale)
// and the kernel matrix K of the points.
void dense_factor(const Kernel& kernel, Points points, const Vector& scale, MatrixOut factor,
                  const Context& ctx);

// Gives every posterior that has a dense_scale in the place of its factor that factor.
void make_factors(const Kernel& kernel, Points basis, std::vector<SparsePosterior>& posteriors,
                  const Context& ctx);

}  // namespace gpsieve

#endif
