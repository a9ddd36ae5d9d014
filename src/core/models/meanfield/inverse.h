// Explicit inverses in place: TAP needs the diagonal of B^-1, and a gradient all of it.
#ifndef GPSIEVE_MODELS_MEANFIELD_INVERSE_H
#define GPSIEVE_MODELS_MEANFIELD_INVERSE_H

#include "base/context.h"
#include "base/types.h"

namespace gpsieve {

// Both functions read and write the lower triangle only and take n^3 / 6 multiply-adds. They call
// `poll` several times a second, which does not change the result.

// l = l^-1, l lower triangular.
void invert_lower_in_place(MatrixOut l, int threads = 1, const Poll& poll = {});

// l = l' l for lower triangular l: the inverse of a from the inverse of its Cholesky factor.
void gram_of_lower_in_place(MatrixOut l, int threads = 1, const Poll& poll = {});

}  // namespace gpsieve

#endif
