// Explicit inverses in place, for where all of a diagonal or a gradient needs them.
#ifndef GPSIEVE_MODELS_MEANFIELD_INVERSE_H
#define GPSIEVE_MODELS_MEANFIELD_INVERSE_H

#include "base/context.h"
#include "base/types.h"

namespace gpsieve {

// Both read and write the lower triangle only, take n^3 / 6 multiply-adds, and call `poll` several
// times a second, which changes no bit.

// l = l^-1, l lower triangular.
void invert_lower_in_place(MatrixOut l, int threads = 1, const Poll& poll = {});

// l = l' l for lower triangular l: the inverse of a from the inverse of its Cholesky factor.
void gram_of_lower_in_place(MatrixOut l, int threads = 1, const Poll& poll = {});

}  // namespace gpsieve

#endif
