#include "linalg/blocked.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "base/parallel.h"
#include "linalg/aligned_buffer.h"
#include "linalg/packed_panel.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

// A block of a (kRows x kDepth) stays in the second-level cache, one of b in the third.
constexpr Index kRows = 192, kColumns = 2048;
// Below this many multiply-adds packing costs more than it saves.
constexpr double kSmall = 48.0 * 48.0 * 48.0;
// A thread is worth waking for about 0.1 ms of work.
constexpr double kWorkPerThread = 2e6;

double volume(Index m, Index n, Index k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

struct Workspace {
  AlignedBuffer a, b;
};
Workspace& workspace() {
  thread_local Workspace mine;
  return mine;
}

// No packing of b, and of a only to make its columns contiguous.
void multiply_direct(Index m, Index n, Index k, double alpha, const ConstView& a,
                     const ConstView& b, double beta, const View& c, Index below) {
  const Kernels& leaf = kernels();
  Index p = 0;
  do {
    const Index depth = std::min(kDepth, k - p);
    const double *block = a.at(0, p), *right = b.at(p, 0);
    Index stride = a.col;
    if (a.row != 1) {
      double* packed = workspace().a.reserve(m * depth);
      leaf.pack(m, m, depth, block, a.row, a.col, packed);
      block = packed;
      stride = m;
    }
    leaf.gemm_direct(m, n, depth, alpha, block, stride, right, b.row, b.col, beta, c.data, c.col,
                     below);
    beta = 1.0;
    p += depth;
  } while (p < k);
}

// c has unit row stride; elements with row + below >= column are computed.
void multiply_serial(Index m, Index n, Index k, double alpha, const ConstView& a,
                     const ConstView& b, double beta, const View& c, Index below) {
  if (m == 0 || n == 0) return;
  const Kernels& leaf = kernels();
  if (volume(m, n, k) <= kSmall || (a.row == 1 && n <= leaf.nr)) {
    multiply_direct(m, n, k, alpha, a, b, beta, c, below);
    return;
  }
  const Index rows = std::min(kRows, (m + leaf.mr - 1) / leaf.mr * leaf.mr);
  const Index columns = std::min(kColumns, (n + leaf.nr - 1) / leaf.nr * leaf.nr);
  double* packed_a = workspace().a.reserve(rows * std::min(k, kDepth));
  double* packed_b = workspace().b.reserve(columns * leaf.right_copies * std::min(k, kDepth));
  for (Index j = 0; j < n; j += kColumns) {
    const Index width = std::min(kColumns, n - j);
    for (Index p = 0; p < k; p += kDepth) {
      const Index depth = std::min(kDepth, k - p);
      leaf.pack_right(width, depth, b.at(p, j), b.col, b.row, packed_b);
      for (Index i = std::max<Index>(0, j - below); i < m; i += kRows) {
        const Index height = std::min(kRows, m - i);
        leaf.pack(leaf.mr, height, depth, a.at(i, p), a.row, a.col, packed_a);
        leaf.gemm_packed(height, width, depth, alpha, packed_a, packed_b, p == 0 ? beta : 1.0,
                         c.at(i, j), c.col, below + i - j);
      }
    }
  }
}

}  // namespace

Index leading_size(Index n) {
  Index size = kDiagonal;
  while (2 * size < n) size *= 2;
  return size;
}

int useful_threads(int threads, double work) {
  return static_cast<int>(std::max(1.0, std::min<double>(threads, work / kWorkPerThread)));
}

Index share(Index n, int threads, Index unit) {
  return std::max(unit, ((n + threads - 1) / threads + unit - 1) / unit * unit);
}

void multiply(Index m, Index n, Index k, double alpha, const ConstView& a, const ConstView& b,
              double beta, const View& c, Part part, int threads) {
  const Index below = part == Part::lower ? 0 : n;
  if (c.row == 1 && a.row == 1 && k <= kDepth && volume(m, n, k) <= kSmall) {  // the shortest way
    kernels().gemm_direct(m, n, k, alpha, a.data, a.col, b.data, b.row, b.col, beta, c.data, c.col,
                          below);
    return;
  }
  if (c.row != 1 && part == Part::all) {
    multiply(n, m, k, alpha, b.transposed(), a.transposed(), beta, c.transposed(), part, threads);
    return;
  }
  if (threads > 1)
    threads = useful_threads(threads, volume(m, n, k) * (part == Part::lower ? 0.5 : 1.0));
  if (threads <= 1) {
    multiply_serial(m, n, k, alpha, a, b, beta, c, below);
  } else if (part == Part::lower) {
    // Strips of rows, narrower where they are longer, so that all have the same area.
    parallel_blocks(threads, threads, 1, [&](Index t, Index) {
      const auto bound = [&](Index i) {
        return i == threads ? m
                            : static_cast<Index>(static_cast<double>(m) *
                                                 std::sqrt(static_cast<double>(i) / threads));
      };
      const Index first = bound(t), last = bound(t + 1);
      multiply_serial(last - first, last, k, alpha, a.from(first, 0), b, beta, c.from(first, 0),
                      first);
    });
  } else if (n >= m) {
    parallel_blocks(threads, n, share(n, threads, kernels().nr), [&](Index first, Index last) {
      multiply_serial(m, last - first, k, alpha, a, b.from(0, first), beta, c.from(0, first),
                      last - first);
    });
  } else {
    parallel_blocks(threads, m, share(m, threads, kernels().mr), [&](Index first, Index last) {
      multiply_serial(last - first, n, k, alpha, a.from(first, 0), b, beta, c.from(first, 0), n);
    });
  }
}

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
  const double work =
      static_cast<double>(m) * static_cast<double>(columns_) * static_cast<double>(depth);
  threads = useful_threads(threads, work);
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
