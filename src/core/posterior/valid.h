// Whether the parts of a sparse posterior fit together.
#ifndef GPSIEVE_POSTERIOR_VALID_H
#define GPSIEVE_POSTERIOR_VALID_H

#include "base/types.h"
#include "posterior/sparse_posterior.h"

namespace gpsieve {

// A posterior may come from a file that somebody edited or truncated. Throws InvalidSpec unless
// every size agrees with the basis (basis_size points of `width` inputs each), every index names
// one of its points, triangular factors have a positive diagonal and the form is finite.
void require_valid(const SparsePosterior& posterior, Index basis_size, Index width);
// The part of that which the diagonal of a square factor tells.
void require_factor_diagonal(const Vector& diagonal, Index size);

}  // namespace gpsieve

#endif
