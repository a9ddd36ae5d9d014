#include "linalg/packed_panel.h"

#include <algorithm>
#include <tuple>

#include "base/parallel.h"
#include "linalg/blocked.h"
#include "linalg/workspace.h"
#include "simd/kernels.h"

namespace gpsieve {

void PackedPanel::pack(MatrixIn b, Op op_b) {
  leaf_ = &kernels();
  std::tie(depth_, columns_) = shape_of(b, op_b);
  const Index padded = share(columns_, 1, leaf_->nr) * leaf_->right_copies;
  const ConstView view = view_of(b, op_b);
  double* out = memory_.reserve(padded * depth_);
  for (Index p = 0; p < depth_; p += kDepth)
    leaf_->pack_right(columns_, std::min(kDepth, depth_ - p), view.at(p, 0), view.col, view.row,
                      out + padded * p);
}

void PackedPanel::multiply(double alpha, MatrixIn a, Op op_a, double beta, MatrixOut c,
                           int threads) const {
  const auto [m, k] = shape_of(a, op_a);
  require(k == depth_ && c.rows() == m && c.cols() == columns_, "PackedPanel",
          "the shapes do not fit");
  require(!overlap(c, a), "PackedPanel", "the output overlaps an input");
  if (m == 0 || columns_ == 0) return;
  const ConstView left = view_of(a, op_a);
  const Index padded = share(columns_, 1, leaf_->nr) * leaf_->right_copies, depth = depth_;
  threads = useful_threads(threads, volume(m, columns_, depth));
  const Index block = std::min(kRows, share(m, threads, leaf_->mr));
  parallel_blocks(threads, m, block, [&](Index first, Index last) {
    double* packed = workspace().a.reserve(share(last - first, 1, leaf_->mr) * kDepth);
    Index p = 0;
    do {
      const Index step = std::min(kDepth, depth - p);
      leaf_->pack(leaf_->mr, last - first, step, left.at(first, p), left.row, left.col, packed);
      leaf_->gemm_packed(last - first, columns_, step, alpha, packed, memory_.data() + padded * p,
                         p == 0 ? beta : 1.0, c.data() + first, c.outerStride(), columns_);
      p += step;
    } while (p < depth);
  });
}

}  // namespace gpsieve
