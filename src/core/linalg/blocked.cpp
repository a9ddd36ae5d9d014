#include "linalg/blocked.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "linalg/workspace.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

// A thread is worth waking for about 0.4 ms of work: on a busy machine it may come late.
constexpr double kWorkPerThread = 1e7;

// No packing of b, and of a only to make its columns contiguous.
void multiply_direct(const Product& product, Index below) {
  const Kernels& loops = kernels();
  const Index m = product.m, k = product.k;
  Product block = product;
  Index p = 0;
  do {
    block.k = std::min(kDepth, k - p);
    block.a = product.a.from(0, p);
    block.b = product.b.from(p, 0);
    if (product.a.row != 1) {
      double* packed = workspace().a.reserve(m * block.k);
      loops.pack(m, m, block.k, block.a.data, product.a.row, product.a.col, packed);
      block.a = {packed, 1, m};
    }
    loops.gemm_direct(block, below);
    block.beta = 1.0;
    p += block.k;
  } while (p < k);
}

// c has unit row stride; elements with row + below >= column are computed.
void multiply_serial(const Product& product, Index below) {
  const auto [m, n, k, alpha, a, b, beta, c] = product;
  if (m == 0 || n == 0) return;
  const Kernels& loops = kernels();
  if (n == 1 && a.row == 1 && b.row == 1) {
    loops.gemv(m, k, alpha, a.data, a.col, b.data, beta, c.data);
    return;
  }
  if (volume(m, n, k) <= kSmall || m <= loops.mr || (a.row == 1 && n <= loops.nr)) {
    multiply_direct(product, below);
    return;
  }
  const Index rows = std::min(kRows, (m + loops.mr - 1) / loops.mr * loops.mr);
  const Index columns = std::min(kColumns, (n + loops.nr - 1) / loops.nr * loops.nr);
  double* packed_a = workspace().a.reserve(rows * std::min(k, kDepth));
  double* packed_b = workspace().b.reserve(columns * loops.right_copies * std::min(k, kDepth));
  for (Index j = 0; j < n; j += kColumns) {
    const Index width = std::min(kColumns, n - j);
    for (Index p = 0; p < k; p += kDepth) {
      const Index depth = std::min(kDepth, k - p);
      loops.pack_right(width, depth, b.at(p, j), b.col, b.row, packed_b);
      for (Index i = std::max<Index>(0, j - below); i < m; i += kRows) {
        const Index height = std::min(kRows, m - i);
        loops.pack(loops.mr, height, depth, a.at(i, p), a.row, a.col, packed_a);
        loops.gemm_packed({height,
                           width,
                           depth,
                           alpha,
                           {packed_a, 1, 0},
                           {packed_b, 1, 0},
                           p == 0 ? beta : 1.0,
                           c.from(i, j)},
                          below + i - j);
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

void multiply_blocked(const Product& product, Part part, int threads) {
  const Index m = product.m, n = product.n, below = part == Part::lower ? 0 : n;
  if (product.c.row != 1 && part == Part::all) {
    Product exchanged = product;
    std::swap(exchanged.m, exchanged.n);
    exchanged.a = product.b.transposed();
    exchanged.b = product.a.transposed();
    exchanged.c = product.c.transposed();
    multiply(exchanged, part, threads);
    return;
  }
  // The elements of rows first..last - 1 of c that lie in its first `columns` columns.
  const auto rows = [&](Index first, Index last, Index columns) {
    Product some = product;
    some.m = last - first;
    some.n = columns;
    some.a = product.a.from(first, 0);
    some.c = product.c.from(first, 0);
    return some;
  };
  if (threads > 1)
    threads = useful_threads(threads, volume(m, n, product.k) * (part == Part::lower ? 0.5 : 1.0));
  if (threads <= 1) {
    multiply_serial(product, below);
  } else if (part == Part::lower) {
    // Strips of rows, narrower where they are longer, so that all have the same area.
    parallel_blocks(threads, threads, 1, [&](Index t, Index) {
      const auto bound = [&](Index i) {
        return i == threads ? m
                            : static_cast<Index>(static_cast<double>(m) *
                                                 std::sqrt(static_cast<double>(i) / threads));
      };
      const Index first = bound(t), last = bound(t + 1);
      multiply_serial(rows(first, last, last), first);
    });
  } else if (n >= m) {
    parallel_blocks(threads, n, share(n, threads, kernels().nr), [&](Index first, Index last) {
      Product some = product;
      some.n = last - first;
      some.b = product.b.from(0, first);
      some.c = product.c.from(0, first);
      multiply_serial(some, some.n);
    });
  } else {
    parallel_blocks(threads, m, share(m, threads, kernels().mr),
                    [&](Index first, Index last) { multiply_serial(rows(first, last, n), n); });
  }
}

}  // namespace gpsieve
