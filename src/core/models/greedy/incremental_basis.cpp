#include "models/greedy/incremental_basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.h"

namespace gpsieve {

void require_finite_kernel(VectorIn values, const Indices* rows) {
  for (Index i = 0; i < values.size(); ++i)
    if (!std::isfinite(values(i)))
      throw NumericalFailure("the kernel is too large or not finite at row " +
                             std::to_string((rows ? (*rows)[i] : i) + 1));
}

IncrementalBasis::IncrementalBasis(const BoundKernel& kernel, Index capacity)
    : kernel_(kernel),
      diagonal_(kernel.prior_variances()),
      columns_(kernel.size(), capacity),
      factor_(capacity),
      used_(static_cast<std::size_t>(kernel.size()), 0) {}

template <class Fill>
void IncrementalBasis::subtract_in_chunks(const Difference& of, double work, const Context& ctx,
                                          const Fill& fill) const {
  const auto& [w, v, projection] = of;
  const double reads = static_cast<double>(w.size()) + (projection ? double(size()) : 0.0);
  Matrix sums(projection ? size() : 0, chunks_of(rows()));
  for_row_chunks(rows(), work + kReadWork * reads, ctx, [&](Index chunk, Index begin, Index count) {
    auto part = v.segment(begin, count);
    const auto c = columns().middleRows(begin, count);
    fill(begin, part);
    if (w.size() > 0) gemv(-1.0, c, Op::plain, w, 1.0, part);
    if (projection) gemv(1.0, c, Op::transposed, part, 0.0, sums.col(chunk));
  });
  if (projection) *projection = sum_in_order(sums);
}

Vector IncrementalBasis::kernel_column(Index j, VectorIn w, const Context& ctx,
                                       Vector* projection) const {
  Vector out(rows());
  const double work = static_cast<double>(kernel_.points().rows());
  subtract_in_chunks({w, out, projection}, work, ctx,
                     [&](Index begin, VectorOut part) { kernel_.column(j, begin, part); });
  require_finite_kernel(out);
  return out;
}

void IncrementalBasis::subtract(VectorIn w, Vector& v, const Context& ctx,
                                Vector* projection) const {
  subtract_in_chunks({w, v, projection}, 0.0, ctx, [](Index, VectorOut) {});
}

Vector IncrementalBasis::reduced(VectorIn residual) const {
  // Rounding may leave a residual variance slightly negative; more than that it is only where the
  // kernel matrix is not positive semi-definite.
  constexpr double kRounding = 1e-6;
  const Vector left = residual - columns_.col(size() - 1).cwiseAbs2();
  for (Index i = 0; i < left.size(); ++i)
    if (left(i) < -kRounding * diagonal_(i)) throw NotPositiveDefinite(i, left(i));
  Vector out = left.cwiseMax(0.0);
  out(chosen_.back()) = 0.0;
  return out;
}

void IncrementalBasis::append(Index j, VectorIn v, VectorIn w, double root) {
  columns_.col(size()) = v / root;
  factor_.append(w, root);
  chosen_.push_back(j);
  used_[j] = 1;
}

void IncrementalBasis::kernel_block(const SelectedPoints& columns, const Indices& rows, Index begin,
                                    MatrixOut out) const {
  const Index height = out.rows();
  Indices here(static_cast<std::size_t>(height));
  std::iota(here.begin(), here.end(), begin);
  columns.block(here.data(), height, out);
  kernel_.apply_scales(here.data(), rows.data(), out);
  // A row against itself has the exact diagonal: white noise is there and nowhere else.
  for (Index t = 0; t < out.cols(); ++t)
    if (rows[t] >= begin && rows[t] < begin + height) out(rows[t] - begin, t) = diagonal_(rows[t]);
}

}  // namespace gpsieve
