#include "models/greedy/basis_cross.h"

#include "base/parallel.h"
#include "kernel/prepared_points.h"

namespace gpsieve {
namespace {

constexpr Index kRowsPerTask = 256;  // rows that one thread evaluates

}  // namespace

BasisCross::BasisCross(const Kernel& kernel, Points x, const Indices& basis)
    : kernel_(kernel),
      x_(x),
      basis_(basis),
      points_(gather_columns(x, basis.data(), static_cast<Index>(basis.size()))),
      diagonal_(points_.cols()) {
  kernel.diagonal(points_, diagonal_);
}

template <class Visit>
void BasisCross::for_own_rows(Index begin, Index count, const Visit& visit) const {
  for (Index i = 0; i < size(); ++i)
    if (basis_[i] >= begin && basis_[i] < begin + count) visit(i, basis_[i] - begin);
}

Matrix BasisCross::block(Index begin, Index count, int threads) const {
  Matrix out(size(), count);
  parallel_blocks(kernel_.usable_threads(threads), count, kRowsPerTask, [&](Index from, Index to) {
    kernel_.cross(points_, x_.middleCols(begin + from, to - from), out.middleCols(from, to - from));
  });
  for_own_rows(begin, count, [&](Index i, Index j) { out(i, j) = diagonal_(i); });
  return out;
}

void BasisCross::add_gradient(Index begin, MatrixIn g, VectorOut grad) const {
  Matrix between = g;
  for_own_rows(begin, g.cols(), [&](Index i, Index j) {
    kernel_.diagonal_gradient(points_.col(i), Vector::Constant(1, g(i, j)), grad);
    between(i, j) = 0.0;
  });
  kernel_.cross_gradient(points_, x_.middleCols(begin, g.cols()), between, grad);
}

}  // namespace gpsieve
