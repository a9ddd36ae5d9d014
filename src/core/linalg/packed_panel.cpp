#include "linalg/packed_panel.h"

#include <algorithm>

#include "base/parallel.h"
#include "linalg/blocked.h"
#include "linalg/workspace.h"
#include "simd/kernels.h"

namespace gpsieve {

namespace {

constexpr Index kPiece = 64;  // rows of gathered columns that are copied side by side

}  // namespace

void PackedRows::pack(MatrixIn a, Op op_a) {
  loops_ = &kernels();
  rows_ = rows_of(a, op_a);
  depth_ = cols_of(a, op_a);
  const Index padded = share(rows_, 1, loops_->mr);
  double* memory = memory_.reserve(padded * depth_);
  const ConstView view = view_of(a, op_a);
  for (Index p = 0; p < depth_; p += kDepth)
    loops_->pack(loops_->mr, rows_, std::min(kDepth, depth_ - p), view.at(0, p), view.row, view.col,
                 memory + padded * p);
}

void GrowingPanel::start(Index columns, Index max_rows) {
  loops_ = &kernels();
  columns_ = columns;
  depth_ = 0;
  capacity_ = max_rows;
  memory_.reserve(share(columns_, 1, loops_->nr) * loops_->right_copies * capacity_);
}

double* GrowingPanel::place(Index p, Index j) const {
  return memory_.data() + (j * capacity_ + loops_->nr * p) * loops_->right_copies;
}

// Scattered columns are read a piece at a time into a block that stays in the first-level cache.
void GrowingPanel::append_gathered(const double* matrix, Index ld, const Index* which, Index end) {
  require(depth_ <= end && end <= capacity_, "GrowingPanel", "the shapes do not fit");
  const Index nr = loops_->nr;
  Matrix piece(kPiece, nr);
  for (Index j = 0; j < columns_; j += nr) {
    const Index count = std::min(nr, columns_ - j);
    for (Index p = depth_; p < end; p += kPiece) {
      const Index rows = std::min(kPiece, end - p);
      for (Index c = 0; c < count; ++c)
        std::copy_n(matrix + which[j + c] * ld + p, rows, piece.col(c).data());
      loops_->pack_right(count, rows, piece.data(), kPiece, 1, place(p, j));
    }
  }
  depth_ = end;
}

void GrowingPanel::multiply_block(const Product& product, Index p) const {
  const Index nr = loops_->nr;
  Product some = product;
  for (Index j = 0; j < product.n; j += nr) {
    some.n = std::min(nr, product.n - j);
    some.b.data = place(p, j);
    some.c = product.c.from(0, j);
    loops_->gemm_packed(some, nr);
  }
}

void GrowingPanel::multiply(double alpha, const PackedRows& a, double beta, MatrixOut c) const {
  const Index n = c.cols(), depth = a.depth_, padded = share(a.rows_, 1, loops_->mr);
  require(a.loops_ == loops_ && depth <= depth_ && c.rows() == a.rows_ && n <= columns_,
          "GrowingPanel", "the shapes do not fit");
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

void PackedPanel::pack(MatrixIn b, Op op_b) {
  const Index rows = rows_of(b, op_b);
  start(cols_of(b, op_b), rows);
  const ConstView view = view_of(b, op_b);
  for (Index j = 0; j < columns_; j += loops_->nr)
    loops_->pack_right(std::min(loops_->nr, columns_ - j), rows, view.at(0, j), view.col, view.row,
                       place(0, j));
  depth_ = rows;
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
  const Index block = std::min(kRows, share(m, threads, loops_->mr));
  parallel_blocks(threads, m, block, [&](Index first, Index last) {
    double* packed = workspace().a.reserve(share(last - first, 1, loops_->mr) * kDepth);
    Index p = 0;
    do {
      const Index step = std::min(kDepth, depth - p);
      loops_->pack(loops_->mr, last - first, step, left.at(first, p), left.row, left.col, packed);
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

}  // namespace gpsieve
