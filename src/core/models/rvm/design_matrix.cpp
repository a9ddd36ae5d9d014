#include "models/rvm/design_matrix.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"

namespace gpsieve {
namespace {

constexpr double kStoredEntries = 67108864.0;  // 2^26
constexpr Index kColumnsPerBlock = 64;         // columns that are computed together
constexpr Index kRowsPerTask = 4096;

void require_finite(MatrixIn values) {
  if (!values.allFinite()) throw NumericalFailure("a basis function is not finite");
}

// theory.md (3) for every centre. Where this is zero, because a kernel that is no covariance
// function may vanish on its diagonal, the scale is the largest absolute value at a training input.
Vector kernel_scales(const Kernel& kernel, Points x, Points centres, const Vector& weight) {
  Vector at_centres(centres.cols()), at_rows(x.cols());
  kernel.diagonal(centres, at_centres);
  kernel.diagonal(x, at_rows);
  const double mean =
      weight.size() > 0 ? at_rows.cwiseAbs().dot(weight) / weight.sum() : at_rows.cwiseAbs().mean();
  Vector scales = std::sqrt(mean) * at_centres.cwiseAbs().cwiseSqrt();
  require_finite(scales);
  Matrix column(x.cols(), 1);
  for (Index j = 0; j < scales.size(); ++j) {
    if (scales(j) > 0.0) continue;
    kernel.cross(x, centres.col(j), column);
    const double largest = column.cwiseAbs().maxCoeff();
    scales(j) = largest > 0.0 ? largest : 1.0;
  }
  return scales;
}

}  // namespace

RvmDesignMatrix::RvmDesignMatrix(const Kernel& kernel, Points x, Points centres, bool intercept,
                                 const Context& ctx, const Vector& weight, Vector row_scale)
    : kernel_(kernel),
      x_(x),
      centres_(centres),
      intercepts_(intercept ? 1 : 0),
      row_scale_(std::move(row_scale)) {
  scales_ = kernel_scales(kernel, x_, centres_, weight);
  if (static_cast<double>(rows()) * static_cast<double>(size()) > kStoredEntries) return;
  const int threads = kernel.usable_threads(ctx.threads);
  stored_.resize(rows(), size());
  for (Index first = 0; first < size(); first += kColumnsPerBlock) {
    compute_columns(first, stored_.middleCols(first, std::min(kColumnsPerBlock, size() - first)),
                    threads);
    ctx.check();
  }
}

void RvmDesignMatrix::compute_columns(Index first, MatrixOut out, int threads) const {
  Index column = 0;
  if (first < intercepts_) out.col(column++).setOnes();
  const Index count = out.cols() - column;
  if (count == 0) return multiply_rows(out);
  const auto centres = centres_.middleCols(first + column - intercepts_, count);
  parallel_blocks(threads, rows(), kRowsPerTask, [&](Index begin, Index end) {
    kernel_.cross(x_.middleCols(begin, end - begin), centres,
                  out.block(begin, column, end - begin, count));
  });
  require_finite(out);
  for (; column < out.cols(); ++column) divide_by_scale(first + column, out.col(column));
  multiply_rows(out);
}

void RvmDesignMatrix::multiply_rows(MatrixOut columns) const {
  if (row_scale_.size() > 0) columns.array().colwise() *= row_scale_.array();
}

void RvmDesignMatrix::divide_by_scale(Index candidate, Eigen::Ref<Vector> column) const {
  if (scale(candidate) != 1.0) column /= scale(candidate);
}

void RvmDesignMatrix::columns(const Index* candidates, Index count, MatrixOut out) const {
  if (stored_.size() > 0) {
    for (Index j = 0; j < count; ++j) out.col(j) = stored_.col(candidates[j]);
    return;
  }
  Matrix centres(centres_.rows(), count);
  for (Index j = 0; j < count; ++j)
    if (candidates[j] >= intercepts_)
      centres.col(j) = centres_.col(centre(candidates[j]));
    else
      centres.col(j).setZero();
  kernel_.cross(x_, centres, out);
  require_finite(out);
  for (Index j = 0; j < count; ++j)
    if (candidates[j] < intercepts_)
      out.col(j).setOnes();
    else
      divide_by_scale(candidates[j], out.col(j));
  multiply_rows(out);
}

void RvmDesignMatrix::each_block(const std::function<void(Index, MatrixIn)>& visit) const {
  if (stored_.size() > 0) {
    visit(0, stored_);
    return;
  }
  Matrix block;
  for (Index first = 0; first < size(); first += kColumnsPerBlock) {
    block.resize(rows(), std::min(kColumnsPerBlock, size() - first));
    compute_columns(first, block, 1);
    visit(first, block);
  }
}

}  // namespace gpsieve
