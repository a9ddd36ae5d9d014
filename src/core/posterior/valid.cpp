#include "posterior/valid.h"

#include <cmath>

#include "base/error.h"

namespace gpsieve {
namespace {

void require_map(const TriangularMap& map, Index size) {
  if (map.empty() && map.scale.size() == 0) return;
  const bool packed = map.packed.size > 0;
  const bool square = packed ? map.packed.size == size && map.factor.size() == 0
                             : map.factor.rows() == size && map.factor.cols() == size;
  if (!square || (map.scale.size() != 0 && map.scale.size() != size))
    throw InvalidSpec("a variance factor of the fit has the wrong size");
  require_factor_diagonal(packed ? map.packed.diagonal() : Vector(map.factor.diagonal()), size);
}

void require_scale(const Vector& scale, const SparsePosterior& posterior, Index size) {
  if (scale.size() == 0) return;
  if (scale.size() != size || !scale.allFinite() || !posterior.down.empty() || posterior.intercept)
    throw InvalidSpec("the scale of the fit's variance factor does not fit its posterior");
}

void require_square_or_empty(const Matrix& values, Index size) {
  if (values.size() == 0) return;
  if (values.rows() != size || values.cols() != size || !values.allFinite())
    throw InvalidSpec("the fit's variance form has the wrong size or is not finite");
}

void require_augmentation(const Augmentation& extra, Index width) {
  if (extra.points.size() == 0 && extra.precision.size() == 0) return;
  if (extra.points.rows() != width || extra.precision.size() != extra.points.cols() ||
      !(extra.noise > 0.0))
    throw InvalidSpec("the fit's points for augmented variances have the wrong size");
}

void require_factor(const Matrix& factor, Index size) {
  if (factor.rows() != size || factor.cols() != size || !factor.allFinite() ||
      !(factor.diagonal().array() > 0.0).all())
    throw InvalidSpec("a factor of the fit's local variance is damaged");
}

void require_positions(const Indices& rows, Index size) {
  for (const Index row : rows)
    if (row < 0 || row >= size)
      throw InvalidSpec("the fit's local variance refers to a point that the basis lacks");
}

void require_local(const LocalVariance& local, Index size, Index width) {
  if (local.empty()) return;
  if (local.tree.width() != width ||
      local.tree.leaf_count() != static_cast<Index>(local.leaves.size()))
    throw InvalidSpec("the fit's local variance does not match its tree");
  const Index m = local.inducing_size();
  require_positions(local.inducing, size);
  require_factor(local.prior_factor, m);
  require_factor(local.factor, m);
  for (const LeafFactors& leaf : local.leaves) {
    const Index rows = static_cast<Index>(leaf.rows.size());
    require_positions(leaf.rows, size);
    require_factor(leaf.factor, rows);
    if (leaf.inducing.rows() != m || leaf.inducing.cols() != rows || !leaf.inducing.allFinite())
      throw InvalidSpec("a leaf of the fit's local variance has the wrong size");
  }
}

}  // namespace

void require_factor_diagonal(const Vector& diagonal, Index size) {
  if (diagonal.size() != size) throw InvalidSpec("a variance factor of the fit has the wrong size");
  for (Index i = 0; i < size; ++i)
    if (!(diagonal(i) > 0.0) || !std::isfinite(diagonal(i)))
      throw InvalidSpec("a variance factor of the fit has a diagonal that is not positive");
}

void require_valid(const SparsePosterior& posterior, Index basis_size, Index width) {
  for (const Index point : posterior.basis)
    if (point < 0 || point >= basis_size)
      throw InvalidSpec("the fit refers to a basis point it does not have");
  const Index size = static_cast<Index>(posterior.basis.size()) + (posterior.intercept ? 1 : 0);
  if (posterior.weights.size() != size)
    throw InvalidSpec("the fit's weights do not match its basis");
  require_map(posterior.down, size);
  require_map(posterior.up, size);
  require_scale(posterior.dense_scale, posterior, size);
  require_square_or_empty(posterior.form, size);
  require_square_or_empty(posterior.whitening, size);
  if (posterior.form.size() == 0 && posterior.whitening.size() != 0)
    throw InvalidSpec("the fit's variance form lacks a part");
  require_augmentation(posterior.augmentation, width);
  require_local(posterior.local, size, width);
}

}  // namespace gpsieve
