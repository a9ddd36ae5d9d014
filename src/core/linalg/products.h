// Every dense product of the package goes through these functions, and nowhere else.
//
// Operands are column-major with inner stride 1. Outputs must not alias inputs unless stated.
// `threads` never changes a bit of the result: each output element belongs to one thread and is
// accumulated in one fixed order that does not depend on the shape of the rest.
#ifndef GPSIEVE_LINALG_PRODUCTS_H
#define GPSIEVE_LINALG_PRODUCTS_H

#include "base/types.h"

namespace gpsieve {

enum class Op { plain, transposed };
enum class Side { left, right };
enum class Triangle { lower, upper };

// c = beta c + alpha op(a) op(b)
void gemm(double alpha, MatrixIn a, Op op_a, MatrixIn b, Op op_b, double beta, MatrixOut c,
          int threads = 1);

// Lower triangle of c = beta c + alpha op(a) op(a)'; the strict upper triangle is left alone.
void syrk(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c, int threads = 1);

// b = op(t)^-1 b (left) or b op(t)^-1 (right), t triangular, in place.
void trsm(Side side, Triangle triangle, Op op_t, MatrixIn t, MatrixOut b, int threads = 1);

// b = op(t) b (left) or b op(t) (right), t triangular, in place.
void trmm(Side side, Triangle triangle, Op op_t, MatrixIn t, MatrixOut b, int threads = 1);

// y = beta y + alpha op(a) x
void gemv(double alpha, MatrixIn a, Op op_a, VectorIn x, double beta, VectorOut y, int threads = 1);

// out_j = |column j of a|^2
void column_squared_norms(MatrixIn a, VectorOut out);

// out_j = (column j of a)' (column j of b)
void column_dots(MatrixIn a, MatrixIn b, VectorOut out);

// Copies the strict lower triangle over the upper one.
void symmetrise_from_lower(MatrixOut a);

}  // namespace gpsieve

#endif
