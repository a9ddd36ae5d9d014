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
#include "linalg/scratch_matrix.h"
#include "models/greedy/newton/row_chunks.h"

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

  // k_j - C w, every row, and with `projection` C'(k_j - C w): C is read once.
  Vector kernel_column(Index j, VectorIn w, const Context& ctx, Vector* projection = nullptr) const;
  // v -= C w, and with `projection` C'v after that.
  void subtract(VectorIn w, Vector& v, const Context& ctx, Vector* projection = nullptr) const;

  // The next column is v / root, the next row of L is (w', root).
  void append(Index j, VectorIn v, VectorIn w, double root);

  // Where L L' = K_BB: the diagonal of K - C C' from that before the last column was appended.
  // Throws NotPositiveDefinite where it is negative by more than rounding.
  Vector reduced(VectorIn residual) const;

  // The sum over chunks of consecutive rows of what body(first row, block of K's columns `rows`,
  // sums) adds to `sums`, a vector of so many zeros. Threads share the chunks, and a row costs so
  // many multiply-adds besides the kernel values.
  template <class Body>
  Vector sum_over_kernel_rows(const Indices& rows, Index length, double work_per_row,
                              const Context& ctx, const Body& body) const;

 private:
  static constexpr double kSpanPivot = 1e-12;

  // v - C w in place of v, and where the projection of that is wanted.
  struct Difference {
    VectorIn w;
    Vector& v;
    Vector* projection;
  };
  // fill(first row, part of v) comes before the subtraction.
  template <class Fill>
  void subtract_in_chunks(const Difference& of, double work, const Context& ctx,
                          const Fill& fill) const;
  void kernel_block(const SelectedPoints& columns, const Indices& rows, Index begin,
                    MatrixOut out) const;

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

// Candidates that are judged together.
constexpr Index kCandidatesTogether = 64;

// gains(some candidates) of all candidates.
template <class Gains>
Vector in_groups(const Indices& candidates, const Gains& gains) {
  const Index c = static_cast<Index>(candidates.size());
  Vector out(c);
  for (Index first = 0; first < c; first += kCandidatesTogether) {
    const Index count = std::min(kCandidatesTogether, c - first);
    out.segment(first, count) =
        gains(Indices(candidates.begin() + first, candidates.begin() + first + count));
  }
  return out;
}

template <class Body>
Vector IncrementalBasis::sum_over_kernel_rows(const Indices& rows, Index length,
                                              double work_per_row, const Context& ctx,
                                              const Body& body) const {
  constexpr Index kMostChunks = 64, kMostNumbers = Index{1} << 22;
  const Index c = static_cast<Index>(rows.size());
  const auto columns = kernel_.select(rows.data(), c);
  const Index together = std::clamp<Index>(kMostNumbers / std::max<Index>(1, length), 1,
                                           std::min(kMostChunks, chunks_of(this->rows())));
  ScratchMatrix sums(length, together);
  Vector total = Vector::Zero(length);
  const double work = work_per_row + static_cast<double>(c * kernel_.points().rows());
  for (Index first = 0; first < this->rows(); first += together * kChunkRows) {
    const Index height = std::min(together * kChunkRows, this->rows() - first);
    sums.leftCols(chunks_of(height)).setZero();
    for_row_chunks(height, work, ctx, [&](Index chunk, Index begin, Index count) {
      ScratchMatrix block(count, c);
      kernel_block(*columns, rows, first + begin, block);
      body(first + begin, block, sums.col(chunk));
    });
    for (Index t = 0; t < chunks_of(height); ++t) total += sums.col(t);
  }
  return total;
}

}  // namespace gpsieve

#endif
