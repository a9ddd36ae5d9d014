#include "models/rvm/active_set.h"

#include <algorithm>
#include <numeric>

namespace gpsieve {
namespace {

constexpr Index kInitialCapacity = 32;

}  // namespace

bool RvmActiveSet::contains(Index candidate) const {
  return std::find(index_.begin(), index_.end(), candidate) != index_.end();
}

void RvmActiveSet::reserve(Index size) {
  if (size <= storage_.cols()) return;
  Matrix grown(rows(), std::max({size, 2 * storage_.cols(), kInitialCapacity}));
  grown.leftCols(this->size()) = columns();
  storage_.swap(grown);
}

void RvmActiveSet::append(VectorIn column, Index candidate, double alpha) {
  const Index m = size();
  reserve(m + 1);
  storage_.col(m) = column;
  alpha_.conservativeResize(m + 1);
  alpha_(m) = alpha;
  index_.push_back(candidate);
}

void RvmActiveSet::assign(const RvmDesignMatrix& design, VectorIn alpha) {
  const Index k = design.size();
  storage_.resize(rows(), k);
  design.each_block(
      [&](Index first, MatrixIn block) { storage_.middleCols(first, block.cols()) = block; });
  index_.resize(k);
  std::iota(index_.begin(), index_.end(), Index{0});
  alpha_ = alpha.size() == 1 ? Vector::Constant(k, alpha(0)) : Vector(alpha);
}

void RvmActiveSet::keep(const Indices& positions) {
  const Index m = static_cast<Index>(positions.size());
  Indices index(m);
  for (Index i = 0; i < m; ++i) index[i] = index_[positions[i]];
  if (std::is_sorted(positions.begin(), positions.end())) {
    for (Index i = 0; i < m; ++i)
      if (positions[i] != i) storage_.col(i) = storage_.col(positions[i]);
  } else {
    Matrix chosen(rows(), m);
    for (Index i = 0; i < m; ++i) chosen.col(i) = storage_.col(positions[i]);
    storage_.swap(chosen);
  }
  alpha_ = subvector(alpha_, positions);
  index_.swap(index);
}

Matrix submatrix(MatrixIn square, const Indices& positions) {
  const Index m = static_cast<Index>(positions.size());
  Matrix out(m, m);
  for (Index j = 0; j < m; ++j)
    for (Index i = 0; i < m; ++i) out(i, j) = square(positions[i], positions[j]);
  return out;
}

Vector subvector(VectorIn values, const Indices& positions) {
  Vector out(static_cast<Index>(positions.size()));
  for (Index i = 0; i < out.size(); ++i) out(i) = values(positions[i]);
  return out;
}

}  // namespace gpsieve
