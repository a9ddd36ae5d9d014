#include "models/rvm/candidates.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"

namespace gpsieve {
namespace {

constexpr double kStoredNumbers = 67108864.0;  // 2^26
constexpr Index kBlock = 64;                   // columns computed together
constexpr Index kRowsPerTask = 4096;

void require_finite(MatrixIn block) {
  if (!block.allFinite()) throw NumericalFailure("a basis function is not finite");
}

}  // namespace

RvmCandidates::RvmCandidates(const Kernel& kernel, Points x, Points centres, bool intercept,
                             const Context& ctx)
    : kernel_(kernel), x_(x), centres_(centres), lead_(intercept ? 1 : 0) {
  if (static_cast<double>(rows()) * static_cast<double>(size()) > kStoredNumbers) return;
  const int threads = kernel.usable_threads(ctx.threads);
  stored_.resize(rows(), size());
  for (Index first = 0; first < size(); first += kBlock) {
    compute(first, stored_.middleCols(first, std::min(kBlock, size() - first)), threads);
    ctx.check();
  }
}

void RvmCandidates::compute(Index first, MatrixOut out, int threads) const {
  Index column = 0;
  if (first < lead_) out.col(column++).setOnes();
  const Index count = out.cols() - column;
  if (count == 0) return;
  const auto centres = centres_.middleCols(first + column - lead_, count);
  parallel_blocks(threads, rows(), kRowsPerTask, [&](Index begin, Index end) {
    kernel_.cross(x_.middleCols(begin, end - begin), centres,
                  out.block(begin, column, end - begin, count));
  });
  require_finite(out);
}

void RvmCandidates::columns(const Index* which, Index count, MatrixOut out) const {
  if (stored_.size() > 0) {
    for (Index j = 0; j < count; ++j) out.col(j) = stored_.col(which[j]);
    return;
  }
  Matrix centres(centres_.rows(), count);
  for (Index j = 0; j < count; ++j)
    if (which[j] >= lead_)
      centres.col(j) = centres_.col(centre(which[j]));
    else
      centres.col(j).setZero();
  kernel_.cross(x_, centres, out);
  require_finite(out);
  for (Index j = 0; j < count; ++j)
    if (which[j] < lead_) out.col(j).setOnes();
}

void RvmCandidates::each_block(const std::function<void(Index, MatrixIn)>& visit) const {
  if (stored_.size() > 0) {
    visit(0, stored_);
    return;
  }
  Matrix block;
  for (Index first = 0; first < size(); first += kBlock) {
    block.resize(rows(), std::min(kBlock, size() - first));
    compute(first, block, 1);
    visit(first, block);
  }
}

}  // namespace gpsieve
