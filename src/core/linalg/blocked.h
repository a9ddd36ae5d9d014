// The engine under gemm, syrk, trsm, trmm and cholesky: one product on views.
#ifndef GPSIEVE_LINALG_BLOCKED_H
#define GPSIEVE_LINALG_BLOCKED_H

#include "linalg/views.h"
#include "simd/kernels.h"

namespace gpsieve {

// Which elements of c a product computes: all, or those on and below the diagonal (c square).
enum class Part { all, lower };

// Multiply-adds of a product.
inline double volume(Index m, Index n, Index k) {
  return static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
}

// Below this many multiply-adds packing costs more than it saves.
constexpr double kSmall = 48.0 * 48.0 * 48.0;

// A product, where one of c's strides is 1. Nothing is checked. Small products go straight to the
// register tiles.
void multiply_blocked(const Product& product, Part part, int threads);

inline void multiply(const Product& product, Part part, int threads) {
  if (product.c.row == 1 && product.k <= (product.a.row == 1 ? kDepth : kDiagonal) &&
      volume(product.m, product.n, product.k) <= kSmall)
    kernels().gemm_direct(product, part == Part::lower ? 0 : product.n);
  else
    multiply_blocked(product, part, threads);
}

// z = z u^-1 or z = z u for rows z (rows x n) and a triangular u (n x n). Each row is computed
// without regard to the others, and (u upper) each column without regard to the later ones.
enum class Shape { upper, lower };
void solve_rows(Index rows, Index n, Shape shape, const ConstView& u, const View& z);
void multiply_rows(Index rows, Index n, Shape shape, const ConstView& u, const View& z);

// Where triangular recursions split n > kDiagonal: the largest kDiagonal 2^i below n. So the
// operations on an element depend on its own position only, and the factor of a leading block is
// the leading block of the factor, bit for bit.
Index leading_size(Index n);

// How many of `threads` threads so many multiply-adds deserve.
int useful_threads(int threads, double work);

// The size of the equal blocks, multiples of `unit`, that give each of `threads` threads one.
Index share(Index n, int threads, Index unit);

}  // namespace gpsieve

#endif
