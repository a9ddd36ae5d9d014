#include "posterior/augmentation.h"

#include <algorithm>

#include "linalg/products.h"
#include "posterior/sparse_posterior.h"

namespace gpsieve {
namespace {

constexpr Index kPointsAtATime =
    64;  // points at a time: a block of kernel values with all rows is held

// k_B at the training points: (basis + intercept) x n.
Matrix basis_functions(const Kernel& kernel, Points basis, const SparsePosterior& posterior) {
  const Matrix& points = posterior.augmentation.points;
  const Index m = static_cast<Index>(posterior.basis.size()), lead = posterior.intercept ? 1 : 0;
  Matrix out(m + lead, points.cols());
  if (lead > 0) out.row(0).setOnes();
  Matrix values(m, points.cols());
  kernel.cross(gather_columns(basis, posterior.basis.data(), m), points, values);
  out.bottomRows(m) = values;
  return out;
}

}  // namespace

void add_augmented_variance(const Kernel& kernel, Points basis, const SparsePosterior& posterior,
                            Points x, MatrixIn own, VectorIn prior, VectorOut variance) {
  const Augmentation& extra = posterior.augmentation;
  const Matrix functions = basis_functions(kernel, basis, posterior);
  const Index m = functions.rows();
  for (Index first = 0; first < x.cols(); first += kPointsAtATime) {
    const Index count = std::min(kPointsAtATime, x.cols() - first);
    Matrix phi(extra.points.cols(), count);
    kernel.cross(extra.points, x.middleCols(first, count), phi);
    const Matrix weighted = extra.precision.asDiagonal() * phi;
    Matrix mapped = own.middleCols(first, count), projected(m, count);
    if (m > 0) {
      gemm(1.0, functions, Op::plain, weighted, Op::plain, 0.0, projected);
      posterior.up.apply(mapped);
      posterior.up.apply(projected);
    }
    for (Index j = 0; j < count; ++j) {
      const double self = prior(first + j);
      if (!(self > 0.0)) continue;
      const double e = self - mapped.col(j).dot(projected.col(j));
      const double s = phi.col(j).dot(weighted.col(j)) - projected.col(j).squaredNorm();
      variance(first + j) += e * e / (self * self / extra.noise + std::max(s, 0.0));
    }
  }
}

}  // namespace gpsieve
