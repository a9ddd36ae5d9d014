#include "linalg/packed_panel.h"

#include <algorithm>

#include "base/parallel.h"
#include "linalg/blocked.h"
#include "linalg/workspace.h"
#include "simd/kernels.h"

namespace gpsieve {

void PackedRows::pack(MatrixIn a, Op op_a) {
  leaf_ = &kernels();
  rows_ = rows_of(a, op_a);
  depth_ = cols_of(a, op_a);
  const ConstView view = view_of(a, op_a);
  const Index padded = share(rows_, 1, leaf_->mr);
  double* memory = memory_.reserve(padded * depth_);
  for (Index p = 0; p < depth_; p += kDepth)
    leaf_->pack(leaf_->mr, rows_, std::min(kDepth, depth_ - p), view.at(0, p), view.row, view.col,
                memory + padded * p);
}

void PackedPanel::start(Index columns, Index max_rows) {
  leaf_ = &kernels();
  columns_ = columns;
  depth_ = 0;
  capacity_ = max_rows;
  memory_.reserve(share(columns_, 1, leaf_->nr) * leaf_->right_copies * capacity_);
}

void PackedPanel::append(MatrixIn rows, Op op) {
  const Index count = rows_of(rows, op);
  require(cols_of(rows, op) == columns_ && depth_ + count <= capacity_, "PackedPanel",
          "the shapes do not fit");
  const ConstView view = view_of(rows, op);
  const Index nr = leaf_->nr;
  for (Index j = 0; j < columns_; j += nr)
    leaf_->pack_right(std::min(nr, columns_ - j), count, view.at(0, j), view.col, view.row,
                      memory_.data() + (j * capacity_ + nr * depth_) * leaf_->right_copies);
  depth_ += count;
}

void PackedPanel::pack(MatrixIn b, Op op_b) {
  start(cols_of(b, op_b), rows_of(b, op_b));
  append(b, op_b);
}

void PackedPanel::multiply_block(const Product& product, Index p) const {
  const Index nr = leaf_->nr;
  Product some = product;
  for (Index j = 0; j < product.n; j += nr) {
    some.n = std::min(nr, product.n - j);
    some.b.data = memory_.data() + (j * capacity_ + nr * p) * leaf_->right_copies;
    some.c = product.c.from(0, j);
    leaf_->gemm_packed(some, nr);
  }
}

void PackedPanel::multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c,
                           int threads) const {
  const Index m = rows_of(a, op_a), n = c.cols(), depth = depth_;
  require(cols_of(a, op_a) == depth && c.rows() == m && n <= columns_, "PackedPanel",
          "the shapes do not fit");
  require(!overlap(c, a), "PackedPanel", "the output overlaps an input");
  if (m == 0 || n == 0) return;
  const ConstView left = view_of(a, op_a);
  threads = useful_threads(threads, volume(m, n, depth));
  const Index block = std::min(kRows, share(m, threads, leaf_->mr));
  parallel_blocks(threads, m, block, [&](Index first, Index last) {
    double* packed = workspace().a.reserve(share(last - first, 1, leaf_->mr) * kDepth);
    Index p = 0;
    do {
      const Index step = std::min(kDepth, depth - p);
      leaf_->pack(leaf_->mr, last - first, step, left.at(first, p), left.row, left.col, packed);
      multiply_block({last - first,
                      n,
                      step,
                      alpha,
                      {packed, 1, 0},
                      {},
                      p == 0 ? beta : 1.0,
                      {c.data() + first, 1, c.outerStride()}},
                     p);
      p += step;
    } while (p < depth);
  });
}

void PackedPanel::multiply(double alpha, const PackedRows& a, double beta, MatrixOut c) const {
  const Index n = c.cols(), depth = a.depth_, padded = share(a.rows_, 1, leaf_->mr);
  require(a.leaf_ == leaf_ && depth <= depth_ && c.rows() == a.rows_ && n <= columns_,
          "PackedPanel", "the shapes do not fit");
  Index p = 0;
  do {
    const Index step = std::min(kDepth, depth - p);
    multiply_block({a.rows_,
                    n,
                    step,
                    alpha,
                    {a.memory_.data() + padded * p, 1, 0},
                    {},
                    p == 0 ? beta : 1.0,
                    {c.data(), 1, c.outerStride()}},
                   p);
    p += step;
  } while (p < depth);
}

}  // namespace gpsieve
