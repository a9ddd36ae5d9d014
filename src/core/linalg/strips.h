// The large steps of a factorisation in strips of rows, with a chance to interrupt between two of
// them. A row's result does not depend on its strip.
#ifndef GPSIEVE_LINALG_STRIPS_H
#define GPSIEVE_LINALG_STRIPS_H

#include "base/context.h"
#include "linalg/blocked.h"

namespace gpsieve {

// z = z u^-1 (solve) or z = z u (multiply) for rows z (rows x n) and a triangular u (n x n).
void solve_strips(Index rows, Index n, Shape shape, const ConstView& u, const View& z, int threads,
                  const Poll& poll);
void multiply_strips(Index rows, Index n, Shape shape, const ConstView& u, const View& z,
                     int threads, const Poll& poll);

// Lower triangle of c (n x n) += alpha a b, a is n x k.
void multiply_lower_strips(Index n, Index k, double alpha, const ConstView& a, const ConstView& b,
                           const View& c, int threads, const Poll& poll);

}  // namespace gpsieve

#endif
