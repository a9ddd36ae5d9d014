#include "linalg/packed_panel.h"

#include <algorithm>

#include "base/parallel.h"
#include "linalg/blocked.h"
#include "linalg/workspace.h"
#include "simd/kernels.h"

namespace gpsieve {

Index PackedPanel::row_size() const { return share(columns_, 1, leaf_->nr) * leaf_->right_copies; }

void PackedPanel::start(Index columns, Index max_rows) {
  leaf_ = &kernels();
  columns_ = columns;
  depth_ = 0;
  capacity_ = max_rows;
  memory_.reserve(row_size() * max_rows);
}

void PackedPanel::append(MatrixIn block, Op op) {
  static_assert(kBlockRows == kDepth, "a panel's blocks are those of the law of accumulation");
  const Index rows = rows_of(block, op), columns = cols_of(block, op);
  require(columns == columns_ && rows <= kBlockRows && depth_ % kBlockRows == 0 &&
              depth_ + rows <= capacity_,
          "PackedPanel", "the shapes do not fit");
  const ConstView view = view_of(block, op);
  leaf_->pack_right(columns_, rows, view.data, view.col, view.row,
                    memory_.data() + row_size() * depth_);
  depth_ += rows;
}

void PackedPanel::pack(MatrixIn b, Op op_b) {
  const Index rows = rows_of(b, op_b), columns = cols_of(b, op_b);
  start(columns, rows);
  for (Index p = 0; p < rows; p += kBlockRows) {
    const Index step = std::min(kBlockRows, rows - p);
    if (op_b == Op::plain)
      append(b.middleRows(p, step), op_b);
    else
      append(b.middleCols(p, step), op_b);
  }
}

void PackedPanel::multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c,
                           int threads) const {
  const Index m = rows_of(a, op_a), k = cols_of(a, op_a);
  const Index n = c.cols(), depth = depth_;
  require(k == depth && c.rows() == m && n <= columns_, "PackedPanel", "the shapes do not fit");
  require(!overlap(c, a), "PackedPanel", "the output overlaps an input");
  if (m == 0 || n == 0) return;
  const ConstView left = view_of(a, op_a);
  const Index padded = row_size();
  threads = useful_threads(threads, volume(m, n, depth));
  const Index block = std::min(kRows, share(m, threads, leaf_->mr));
  parallel_blocks(threads, m, block, [&](Index first, Index last) {
    double* packed = workspace().a.reserve(share(last - first, 1, leaf_->mr) * kDepth);
    Index p = 0;
    do {
      const Index step = std::min(kDepth, depth - p);
      leaf_->pack(leaf_->mr, last - first, step, left.at(first, p), left.row, left.col, packed);
      leaf_->gemm_packed(last - first, n, step, alpha, packed, memory_.data() + padded * p,
                         p == 0 ? beta : 1.0, c.data() + first, c.outerStride(), n);
      p += step;
    } while (p < depth);
  });
}

}  // namespace gpsieve
