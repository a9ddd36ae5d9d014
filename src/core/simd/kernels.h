// The innermost loops, one table of function pointers per instruction set.
//
// Each of kernels_{portable,neon,avx2,avx512}.cpp includes one file of vectors/ (the vector type)
// and then the same *_body.h files (the loops), inside its own namespace. So there is one text of
// every loop, and neon, avx2 and avx512 agree bit for bit: fused multiply-adds in the same order on
// every element. The bodies see raw pointers and strides only; no Eigen, no std container, no
// function shared between namespaces, because the linker could keep the AVX copy of a shared one
// for everybody.
#ifndef GPSIEVE_SIMD_KERNELS_H
#define GPSIEVE_SIMD_KERNELS_H

#include <atomic>
#include <cstddef>

#include "simd/isa.h"
#include "simd/product.h"

#if defined(__x86_64__) && defined(__GNUC__)
#define GPSIEVE_SIMD_X86 1
#else
#define GPSIEVE_SIMD_X86 0
#endif
#if defined(__aarch64__) && defined(__GNUC__) && !defined(__AARCH64EB__)
#define GPSIEVE_SIMD_NEON 1
#else
#define GPSIEVE_SIMD_NEON 0
#endif

namespace gpsieve {

// The order of summation. Every element of a product c = beta c + alpha a b is computed as
//   c <- alpha s_0 + beta c,  c <- alpha s_1 + c,  ...    s_t = sum over block t of kDepth terms,
// the terms of a block added in order to 0. Nothing else about the shapes, the tiles or the
// threads has an influence, so that an element never depends on its neighbours.
constexpr Index kDepth = 256;

// A packed block of the left operand (kRows x kDepth) stays in the second-level cache, one of the
// right operand (kDepth x kColumns) in the third. Both hold whole register tiles.
constexpr Index kRows = 192, kColumns = 2048;

// Triangular solves and products handle diagonal blocks of at most kDiagonal columns in one loop,
// which reads the triangle in panels of kGroup columns, kDiagonal rows each: where u(p, j) is.
constexpr Index kDiagonal = 64, kGroup = 4;
constexpr Index place_in_diagonal(Index p, Index j) {
  return (j / kGroup * kDiagonal + p) * kGroup + j % kGroup;
}

// Sums of products along a column run in this many interleaved chains, added as a binary tree.
constexpr Index kChains = 16;

// The results of normal_sites(), one array for each field of a site (math/normal.h).
struct SiteColumns {
  double *log_cdf, *r, *delta, *q, *omega;
};

struct Kernels {
  Isa isa;
  Index mr, nr;        // rows and columns of the register tile
  Index right_copies;  // how often a packed right operand holds each element

  // Panels of `width` items: dst[q0 * k + p * width + q] = src[(q0 + q) * item + p * depth] for
  // item q0 + q < n, 0 beyond; q0 = 0, width, 2 width, ... If item is 1 width must be mr or nr.
  // The right operand: panels of nr columns.
  void (*pack)(Index width, Index n, Index k, const double* src, Index item, Index depth,
               double* dst);
  void (*pack_right)(Index n, Index k, const double* src, Index item, Index depth, double* dst);

  // A product of one block of depth k <= kDepth, where c has unit row stride.
  // Only elements with row + below >= column are computed: below >= n means all of them.
  // a is packed by pack(mr, ...), b by pack_right(); their strides are not read.
  void (*gemm_packed)(const Product& product, Index below);

  // out[j] = x' (column idx[j] of a)
  void (*gathered_dots)(Index n, Index columns, const double* x, const double* a, Index lda,
                        const Index* idx, double* out);

  // The product that gemm_packed() computes, with operands of any strides, but k <= kDiagonal where
  // a's row stride is not 1.
  void (*gemm_direct)(const Product& product, Index below);

  // Rows z of a matrix with element strides (row, col) and n <= kDiagonal columns, u upper
  // triangular, filled up with zeros to a multiple of kGroup rows and columns: z = z u^-1 (u's
  // diagonal holds reciprocals) and z = z u. Each row is computed without regard to the others.
  void (*solve_rows)(Index rows, Index n, const double* u, double* z, Index row, Index col);
  void (*multiply_rows)(Index rows, Index n, const double* u, double* z, Index row, Index col);

  // out[j] = x' (column j of a), |column j of a|^2
  void (*dots)(Index n, Index columns, const double* x, const double* a, Index lda, double* out);
  void (*squared_norms)(Index n, Index columns, const double* a, Index lda, double* out);
  // y = beta y + alpha a x, in the order of summation above.
  void (*gemv)(Index m, Index n, double alpha, const double* a, Index lda, const double* x,
               double beta, double* y);

  // Elementwise; see profiles.h. Input and output may be the same array.
  void (*rbf)(const double* r2, double* k, Index n, double variance);
  void (*matern12)(const double* r2, double* k, Index n, double variance);
  void (*matern32)(const double* r2, double* k, Index n, double variance);
  void (*matern52)(const double* r2, double* k, Index n, double variance);
  // The kernels with their slopes dk/dr2, which may be the array r2 but not k.
  void (*matern12_slope)(const double* r2, double* k, double* slope, Index n, double variance);
  void (*matern32_slope)(const double* r2, double* k, double* slope, Index n, double variance);
  void (*matern52_slope)(const double* r2, double* k, double* slope, Index n, double variance);
  // r2[i] += norms[i] + norm. Returns false only if every sum exceeds `share` times its norms.
  bool (*add_norms)(double* r2, const double* norms, double norm, Index n, double share);

  // scale Phi(z) and the probit sites at z: see math/normal.h.
  void (*normal_cdf)(const double* z, double* cdf, Index n, double scale);
  void (*normal_sites)(const double* z, Index n, const SiteColumns& out);

  // Sums over the pairs of two sets of points: linear in products that are known.
  // squares += weight x o x
  void (*add_squares)(const double* x, double weight, Index n, double* squares);
  // With t = weight z - product: squares += z o (t - product) and slopes += per_unit o t.
  void (*add_differences)(const double* z, const double* product, double weight,
                          const double* per_unit, Index n, double* squares, double* slopes);
};

// Besides scratch memory of threads (linalg/workspace.h, linalg/scratch_matrix.h) the core's only
// global: a pointer to one of the constant tables, null until first used. It caches what the
// processor can do, so threads that race to fill it in write the same value.
extern std::atomic<const Kernels*> active_kernels;
const Kernels& choose_kernels();

// The active table.
inline const Kernels& kernels() {
  const Kernels* table = active_kernels.load(std::memory_order_acquire);
  return table ? *table : choose_kernels();
}

namespace kernels_portable {
extern const Kernels table;
}
#if GPSIEVE_SIMD_NEON
namespace kernels_neon {
extern const Kernels table;
}
#endif
#if GPSIEVE_SIMD_X86
namespace kernels_avx2 {
extern const Kernels table;
}
namespace kernels_avx512 {
extern const Kernels table;
}
#endif

}  // namespace gpsieve

#endif
