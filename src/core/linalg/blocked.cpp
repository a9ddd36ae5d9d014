#include "linalg/blocked.h"

#include <algorithm>
#include <cmath>

#include "base/parallel.h"
#include "linalg/workspace.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

// A thread is worth waking for about 0.4 ms of work: on a busy machine it may come late.
constexpr double kWorkPerThread = 1e7;

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
    leaf.gemm_direct(m, n, depth, alpha, block, 1, stride, right, b.row, b.col, beta, c.data, c.col,
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
  if (n == 1 && a.row == 1 && b.row == 1) {
    leaf.gemv(m, k, alpha, a.data, a.col, b.data, beta, c.data);
    return;
  }
  if (volume(m, n, k) <= kSmall || m <= leaf.mr || (a.row == 1 && n <= leaf.nr)) {
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

void multiply_blocked(Index m, Index n, Index k, double alpha, const ConstView& a,
                      const ConstView& b, double beta, const View& c, Part part, int threads) {
  const Index below = part == Part::lower ? 0 : n;
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

}  // namespace gpsieve
