// Memory-bound loops over the columns of a column-major matrix (leading dimension lda).
#ifndef GPSIEVE_MODELS_IVM_LEAVES_H
#define GPSIEVE_MODELS_IVM_LEAVES_H

#include "simd/kernels.h"

namespace gpsieve {

// out[j] = x' a_j for the first `columns` columns. Each depends on its own column only.
inline void dot_columns(Index n, Index columns, const double* x, const double* a, Index lda,
                        double* out) {
  kernels().dots(n, columns, x, a, lda, out);
}

// out[j] = x' a_{idx[j]}: the new row of a factor for a pool of scattered columns.
inline void dot_gathered(Index n, Index count, const double* x, const double* a, Index lda,
                         const Index* idx, double* out) {
  kernels().gathered_dots(n, count, x, a, lda, idx, out);
}

// After a row mu was appended: a[j] -= mu[j]^2 (variances), h[j] += c mu[j] (means), in one pass.
inline void append_update(Index n, const double* mu, double c, double* a, double* h) {
  kernels().append_update(n, mu, c, a, h);
}

}  // namespace gpsieve

#endif
