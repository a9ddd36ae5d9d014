#include "kernel/bound_kernel.h"

namespace gpsieve {

Matrix BoundKernel::gather(const Index* rows, Index n) const {
  Matrix points(x_.rows(), n);
  for (Index i = 0; i < n; ++i) points.col(i) = x_.col(rows[i]);
  return points;
}

void BoundKernel::block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const {
  kernel_.cross(gather(a, n_a), gather(b, n_b), out);
}

void BoundKernel::column(Index i, Index begin, VectorOut out) const {
  kernel_.cross(x_.middleCols(begin, out.size()), x_.col(i), out);
  if (i >= begin && i < begin + out.size()) {
    Vector self(1);
    kernel_.diagonal(x_.col(i), self);
    out(i - begin) = self(0);
  }
}

}  // namespace gpsieve
