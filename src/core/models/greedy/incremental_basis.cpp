#include "models/greedy/incremental_basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/error.h"
#include "base/parallel.h"

namespace gpsieve {
namespace {

constexpr Index kBlockUnit = 512;               // rows of a kernel block that one thread evaluates
constexpr Index kColumnRows = 1 << 16;          // rows of a kernel column between two polls
constexpr Index kRowsPerPoll = Index{1} << 18;  // rows of C in a product between two polls

int usable_threads(const BoundKernel& kernel, int threads) {
  return kernel.kernel().usable_threads(threads);
}

}  // namespace

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

Vector IncrementalBasis::kernel_column(Index j, const Context& ctx) const {
  Vector out(rows());
  const int threads = usable_threads(kernel_, ctx.threads);
  for (Index begin = 0; begin < rows(); begin += kColumnRows) {
    const Index height = std::min(kColumnRows, rows() - begin);
    parallel_blocks(threads, height, kBlockUnit * 8, [&](Index from, Index to) {
      kernel_.column(j, begin + from, out.segment(begin + from, to - from));
    });
    ctx.check();
  }
  require_finite_kernel(out);
  return out;
}

Vector IncrementalBasis::project(VectorIn v, const Context& ctx) const {
  Vector out = Vector::Zero(size());
  for (Index begin = 0; begin < rows(); begin += kRowsPerPoll) {
    const Index height = std::min(kRowsPerPoll, rows() - begin);
    gemv(1.0, columns().middleRows(begin, height), Op::transposed, v.segment(begin, height), 1.0,
         out, ctx.threads);
    ctx.check();
  }
  return out;
}

void IncrementalBasis::subtract(VectorIn w, Vector& v, const Context& ctx) const {
  for (Index begin = 0; begin < rows(); begin += kRowsPerPoll) {
    const Index height = std::min(kRowsPerPoll, rows() - begin);
    gemv(-1.0, columns().middleRows(begin, height), Op::plain, w, 1.0, v.segment(begin, height),
         ctx.threads);
    ctx.check();
  }
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
                                    int threads, Matrix& out) const {
  const Index height = out.rows();
  parallel_blocks(usable_threads(kernel_, threads), height, kBlockUnit, [&](Index from, Index to) {
    Indices here(static_cast<std::size_t>(to - from));
    std::iota(here.begin(), here.end(), begin + from);
    columns.block(here.data(), to - from, out.middleRows(from, to - from));
    kernel_.apply_scales(here.data(), rows.data(), out.middleRows(from, to - from));
  });
  // A row against itself has the exact diagonal: white noise is there and nowhere else.
  for (Index t = 0; t < out.cols(); ++t)
    if (rows[t] >= begin && rows[t] < begin + height) out(rows[t] - begin, t) = diagonal_(rows[t]);
}

}  // namespace gpsieve
