// Kernel columns of chosen rows, made orthogonal one after the other: C = K_B L^-T (n x m) with a
// lower triangular L that grows by rows.
//
// The caller chooses L: L L' is K_B'K_B + s2 K_BB for the primal form of regression, theory.md (8),
// K_BB + s2 I for its dual form, theory.md (12), and K_BB for Newton's method, theory.md (17). C is
// the one n x m matrix of a fit.
#ifndef GPSIEVE_MODELS_GREEDY_INCREMENTAL_BASIS_H
#define GPSIEVE_MODELS_GREEDY_INCREMENTAL_BASIS_H

#include <algorithm>

#include "base/context.h"
#include "kernel/bound_kernel.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {

class IncrementalBasis {
 public:
  // `kernel` must outlive the basis. Memory of columns never filled is never touched.
  IncrementalBasis(const BoundKernel& kernel, Index capacity);

  const BoundKernel& kernel() const { return kernel_; }
  Index rows() const { return kernel_.size(); }
  Index size() const { return static_cast<Index>(chosen_.size()); }
  Index capacity() const { return columns_.cols(); }
  const Indices& chosen() const { return chosen_; }
  bool contains(Index j) const { return used_[j] != 0; }
  const Vector& diagonal() const { return diagonal_; }  // k(x_i, x_i)
  // Whether only rounding is left of function j, given what the others do not explain of k(x_j,
  // x_j).
  bool in_span(Index j, double residual) const {
    return contains(j) || !(residual > kSpanPivot * diagonal_(j));
  }

  auto columns() const { return columns_.leftCols(size()); }
  auto factor() const { return factor_.factor(); }  // L
  Vector row(Index j) const { return columns_.row(j).head(size()).transpose(); }

  // k_j, every row.
  Vector kernel_column(Index j, const Context& ctx) const;
  // C'v, and v -= C w.
  Vector project(VectorIn v, const Context& ctx) const;
  void subtract(VectorIn w, Vector& v, const Context& ctx) const;

  // The next column is v / root, the next row of L is (w', root).
  void append(Index j, VectorIn v, VectorIn w, double root);

  // Where L L' = K_BB: the diagonal of K - C C' from that before the last column was appended.
  // Throws NotPositiveDefinite where it is negative by more than rounding.
  Vector reduced(VectorIn residual) const;

  // body(first row, block of K's columns `rows`) over blocks of consecutive rows, in order.
  template <class Body>
  void for_kernel_blocks(const Indices& rows, const Context& ctx, const Body& body) const;

 private:
  static constexpr double kSpanPivot = 1e-12;

  void kernel_block(const SelectedPoints& columns, const Indices& rows, Index begin, int threads,
                    Matrix& out) const;

  const BoundKernel& kernel_;
  Vector diagonal_;
  Matrix columns_;
  GrowingCholesky factor_;
  Indices chosen_;
  std::vector<char> used_;
};

// Throws NumericalFailure unless all values are finite, each of them computed from the kernel
// values of one row: of those in `rows`, or of all rows of the data in order.
void require_finite_kernel(VectorIn values, const Indices* rows = nullptr);

// Kernel values evaluated together against a set of candidates: two megabytes.
constexpr Index kBasisBlock = Index{1} << 18;

template <class Body>
void IncrementalBasis::for_kernel_blocks(const Indices& rows, const Context& ctx,
                                         const Body& body) const {
  const auto columns = kernel_.select(rows.data(), static_cast<Index>(rows.size()));
  const Index most = std::max<Index>(256, kBasisBlock / std::max<Index>(1, rows.size()));
  Matrix block;
  for (Index begin = 0; begin < this->rows(); begin += most) {
    const Index height = std::min(most, this->rows() - begin);
    block.resize(height, static_cast<Index>(rows.size()));
    kernel_block(*columns, rows, begin, ctx.threads, block);
    body(begin, block);
    ctx.check();
  }
}

}  // namespace gpsieve

#endif
