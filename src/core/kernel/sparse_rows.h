// Rows of inputs of which only the numbers that are not zero are stored.
//
// The points of a kernel on sparse rows are a 1 x n matrix of 0-based row numbers. Models pass
// points on to kernels and never look at them, so that they need not know whether points are inputs
// or row numbers. RowNumbers is the type of the second: SparseRows::numbers() makes it from points,
// and refuses points that are anything else.
//
// The inputs are x - c, where x is a stored row and c the centre, which is stored once. Each number
// depends on its own two rows only and is a sum in the order of the columns, so that it is the same
// in every block, and k(x, z) = k(z, x) bit for bit.
#ifndef GPSIEVE_KERNEL_SPARSE_ROWS_H
#define GPSIEVE_KERNEL_SPARSE_ROWS_H

#include <memory>
#include <utility>
#include <vector>

#include "base/types.h"

namespace gpsieve {

// Numbers of rows that a SparseRows has.
class RowNumbers {
 public:
  Index size() const { return static_cast<Index>(rows_.size()); }
  Index operator[](Index i) const { return rows_[static_cast<std::size_t>(i)]; }

 private:
  friend class SparseRows;
  explicit RowNumbers(Indices rows) : rows_(std::move(rows)) {}
  Indices rows_;
};

class SparseRows {
 public:
  // Row i holds value[k] in column[k] for start[i] <= k < start[i + 1], columns increasing. Throws
  // InvalidSpec where that is not so. `centre` has a number for each of the `width` columns, or
  // none: zero.
  SparseRows(Index width, std::vector<int> start, std::vector<int> column,
             std::vector<double> value, Vector centre);

  Index width() const { return width_; }
  Index size() const { return static_cast<Index>(start_.size()) - 1; }

  // Throws InvalidSpec for points that are not row numbers of these rows.
  RowNumbers numbers(Points points) const;

  // `weight` is one number for all columns, or one for each.
  // s_ij = sum_d weight_d (x_id - c_d) (z_jd - c_d)
  void products(const RowNumbers& a, const RowNumbers& b, VectorIn weight, MatrixOut s) const;
  // s_i = sum_d weight_d (x_id - c_d)^2
  void squared_norms(const RowNumbers& a, VectorIn weight, VectorOut s) const;
  // r2_ij = sum_d weight_d (x_id - z_jd)^2; never NaN, exactly 0 for equal rows.
  void squared_distances(const RowNumbers& a, const RowNumbers& b, VectorIn weight,
                         MatrixOut r2) const;

  // The sums over pairs that gradients by one hyper-parameter for each column need:
  // out_d += sum_ij g_ij (x_id - c_d) (z_jd - c_d)
  void add_products(const RowNumbers& a, const RowNumbers& b, MatrixIn g, VectorOut out) const;
  // out_d += sum_i g_i (x_id - c_d)^2
  void add_squares(const RowNumbers& a, VectorIn g, VectorOut out) const;
  // out_d += sum_ij g_ij (x_id - z_jd)^2
  void add_squared_differences(const RowNumbers& a, const RowNumbers& b, MatrixIn g,
                               VectorOut out) const;

  // These rows with the chosen columns only, in the given order.
  std::shared_ptr<const SparseRows> columns(const Indices& chosen) const;

 private:
  class ByColumn;
  double squared_distance(Index i, Index j, VectorIn weight) const;
  template <class Term>
  double sum_over(Index i, const Term& term) const;
  Vector stored_squares(const RowNumbers& a, VectorIn weight) const;
  Vector products_with_centre(const RowNumbers& a, VectorIn weight) const;
  void stored_products(const RowNumbers& a, const RowNumbers& b, VectorIn weight,
                       MatrixOut s) const;
  void add_stored_products(const RowNumbers& a, const RowNumbers& b, MatrixIn g, double factor,
                           VectorOut out) const;
  void add_stored(const RowNumbers& a, VectorIn g, VectorOut out) const;
  void add_stored_squares(const RowNumbers& a, VectorIn g, VectorOut out) const;

  Index width_;
  std::vector<int> start_, column_;
  std::vector<double> value_;
  Vector centre_;  // empty: zero
};

}  // namespace gpsieve

#endif
