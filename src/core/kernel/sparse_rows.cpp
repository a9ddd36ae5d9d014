#include "kernel/sparse_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace gpsieve {
namespace {

// A distance that is this small a part of |x|^2 + |z|^2 has lost four of sixteen digits.
constexpr double kNear = 1e-4;

double weight_of(VectorIn weight, Index d) { return weight[weight.size() == 1 ? 0 : d]; }

}  // namespace

SparseRows::SparseRows(Index width, std::vector<int> start, std::vector<int> column,
                       std::vector<double> value, Vector centre)
    : width_(width),
      start_(std::move(start)),
      column_(std::move(column)),
      value_(std::move(value)),
      centre_(std::move(centre)) {
  bool valid = !start_.empty() && start_.front() == 0 && column_.size() == value_.size() &&
               static_cast<std::size_t>(start_.back()) == column_.size() &&
               std::is_sorted(start_.begin(), start_.end()) &&
               (centre_.size() == 0 || (centre_.size() == width_ && centre_.allFinite()));
  for (Index i = 0; valid && i < size(); ++i)
    for (int k = start_[i]; k < start_[i + 1]; ++k)
      valid = valid && column_[k] >= 0 && column_[k] < width_ &&
              (k == start_[i] || column_[k - 1] < column_[k]) && std::isfinite(value_[k]);
  if (!valid) throw InvalidSpec("the sparse rows of inputs are damaged");
}

RowNumbers SparseRows::numbers(Points points) const {
  if (points.rows() != 1)
    throw InvalidSpec("the points of a kernel on sparse rows must be row numbers");
  Indices rows(static_cast<std::size_t>(points.cols()));
  for (Index i = 0; i < points.cols(); ++i) {
    const double number = points(0, i);
    if (!(number >= 0.0) || number >= static_cast<double>(size()) || number != std::floor(number))
      throw InvalidSpec("a row number is not among the sparse rows");
    rows[static_cast<std::size_t>(i)] = static_cast<Index>(number);
  }
  return RowNumbers(std::move(rows));
}

// The stored numbers of some rows, sorted by column: entries first[d] to first[d + 1] are those of
// column d, in the order of the rows.
class SparseRows::ByColumn {
 public:
  ByColumn(const SparseRows& all, const RowNumbers& rows) : first(all.width_ + 1, 0) {
    for (Index j = 0; j < rows.size(); ++j)
      for (int k = all.start_[rows[j]]; k < all.start_[rows[j] + 1]; ++k)
        ++first[all.column_[k] + 1];
    for (Index d = 0; d < all.width_; ++d) first[d + 1] += first[d];
    place.resize(first.back());
    value.resize(first.back());
    std::vector<Index> next(first.begin(), first.end() - 1);
    for (Index j = 0; j < rows.size(); ++j)
      for (int k = all.start_[rows[j]]; k < all.start_[rows[j] + 1]; ++k) {
        const Index at = next[all.column_[k]]++;
        place[at] = j;
        value[at] = all.value_[k];
      }
  }

  std::vector<Index> first, place;
  std::vector<double> value;
};

template <class Term>
double SparseRows::sum_over(Index i, const Term& term) const {
  double sum = 0.0;
  for (int k = start_[i]; k < start_[i + 1]; ++k) sum += term(column_[k], value_[k]);
  return sum;
}

Vector SparseRows::stored_squares(const RowNumbers& a, VectorIn weight) const {
  Vector out(a.size());
  for (Index i = 0; i < a.size(); ++i)
    out[i] = sum_over(a[i], [&](Index d, double x) { return x * x * weight_of(weight, d); });
  return out;
}

// sum_d weight_d x_id c_d
Vector SparseRows::products_with_centre(const RowNumbers& a, VectorIn weight) const {
  Vector out(a.size());
  for (Index i = 0; i < a.size(); ++i)
    out[i] =
        sum_over(a[i], [&](Index d, double x) { return x * centre_[d] * weight_of(weight, d); });
  return out;
}

void SparseRows::stored_products(const RowNumbers& a, const RowNumbers& b, VectorIn weight,
                                 MatrixOut s) const {
  const ByColumn others(*this, b);
  Vector sums(b.size());
  for (Index i = 0; i < a.size(); ++i) {
    sums.setZero();
    const Index own = a[i];
    for (int k = start_[own]; k < start_[own + 1]; ++k) {
      const Index d = column_[k];
      const double x = value_[k], w = weight_of(weight, d);
      for (Index at = others.first[d]; at < others.first[d + 1]; ++at)
        sums[others.place[at]] += x * others.value[at] * w;
    }
    s.row(i) = sums.transpose();
  }
}

void SparseRows::products(const RowNumbers& a, const RowNumbers& b, VectorIn weight,
                          MatrixOut s) const {
  stored_products(a, b, weight, s);
  if (centre_.size() == 0) return;
  const Vector of_a = products_with_centre(a, weight), of_b = products_with_centre(b, weight);
  double own = 0.0;
  for (Index d = 0; d < width_; ++d) own += centre_[d] * centre_[d] * weight_of(weight, d);
  for (Index j = 0; j < s.cols(); ++j)
    for (Index i = 0; i < s.rows(); ++i) s(i, j) += own - (of_a[i] + of_b[j]);
}

void SparseRows::squared_norms(const RowNumbers& a, VectorIn weight, VectorOut s) const {
  s = stored_squares(a, weight);
  if (centre_.size() == 0) return;
  const Vector of_a = products_with_centre(a, weight);
  double own = 0.0;
  for (Index d = 0; d < width_; ++d) own += centre_[d] * centre_[d] * weight_of(weight, d);
  for (Index i = 0; i < s.size(); ++i) s[i] = std::max(0.0, s[i] + own - (of_a[i] + of_a[i]));
}

// The columns of both rows, merged.
double SparseRows::squared_distance(Index i, Index j, VectorIn weight) const {
  double sum = 0.0;
  int k = start_[i], l = start_[j];
  const int end_k = start_[i + 1], end_l = start_[j + 1];
  while (k < end_k || l < end_l) {
    const int d = std::min(k < end_k ? column_[k] : static_cast<int>(width_),
                           l < end_l ? column_[l] : static_cast<int>(width_));
    const double x = k < end_k && column_[k] == d ? value_[k++] : 0.0;
    const double z = l < end_l && column_[l] == d ? value_[l++] : 0.0;
    const double step = std::sqrt(weight_of(weight, d)) * (x - z);
    sum += step * step;
  }
  return sum;
}

void SparseRows::squared_distances(const RowNumbers& a, const RowNumbers& b, VectorIn weight,
                                   MatrixOut r2) const {
  stored_products(a, b, weight, r2);
  const Vector of_a = stored_squares(a, weight), of_b = stored_squares(b, weight);
  for (Index j = 0; j < r2.cols(); ++j)
    for (Index i = 0; i < r2.rows(); ++i) {
      const double norms = of_a[i] + of_b[j], difference = norms - 2.0 * r2(i, j);
      // Also where numbers overflow and the difference is NaN.
      const bool near = !(difference > kNear * norms) || !std::isfinite(difference);
      r2(i, j) = near ? squared_distance(a[i], b[j], weight) : difference;
    }
}

void SparseRows::add_stored_products(const RowNumbers& a, const RowNumbers& b, MatrixIn g,
                                     double factor, VectorOut out) const {
  const ByColumn others(*this, b);
  for (Index i = 0; i < a.size(); ++i) {
    const Index own = a[i];
    for (int k = start_[own]; k < start_[own + 1]; ++k) {
      const Index d = column_[k];
      double sum = 0.0;
      for (Index at = others.first[d]; at < others.first[d + 1]; ++at)
        sum += g(i, others.place[at]) * others.value[at];
      out[d] += factor * value_[k] * sum;
    }
  }
}

void SparseRows::add_stored(const RowNumbers& a, VectorIn g, VectorOut out) const {
  for (Index i = 0; i < a.size(); ++i) {
    const Index own = a[i];
    for (int k = start_[own]; k < start_[own + 1]; ++k) out[column_[k]] += g[i] * value_[k];
  }
}

void SparseRows::add_stored_squares(const RowNumbers& a, VectorIn g, VectorOut out) const {
  for (Index i = 0; i < a.size(); ++i) {
    const Index own = a[i];
    for (int k = start_[own]; k < start_[own + 1]; ++k)
      out[column_[k]] += g[i] * value_[k] * value_[k];
  }
}

void SparseRows::add_products(const RowNumbers& a, const RowNumbers& b, MatrixIn g,
                              VectorOut out) const {
  add_stored_products(a, b, g, 1.0, out);
  if (centre_.size() == 0) return;
  Vector sums = Vector::Zero(width_);
  add_stored(a, g.rowwise().sum(), sums);
  add_stored(b, g.colwise().sum().transpose(), sums);
  out.array() += centre_.array() * (g.sum() * centre_.array() - sums.array());
}

void SparseRows::add_squares(const RowNumbers& a, VectorIn g, VectorOut out) const {
  add_stored_squares(a, g, out);
  if (centre_.size() == 0) return;
  Vector sums = Vector::Zero(width_);
  add_stored(a, g, sums);
  out.array() += centre_.array() * (g.sum() * centre_.array() - 2.0 * sums.array());
}

void SparseRows::add_squared_differences(const RowNumbers& a, const RowNumbers& b, MatrixIn g,
                                         VectorOut out) const {
  add_stored_squares(a, g.rowwise().sum(), out);
  add_stored_squares(b, g.colwise().sum().transpose(), out);
  add_stored_products(a, b, g, -2.0, out);
}

std::shared_ptr<const SparseRows> SparseRows::columns(const Indices& chosen) const {
  std::vector<std::vector<int>> places(static_cast<std::size_t>(width_));
  for (std::size_t d = 0; d < chosen.size(); ++d) places[chosen[d]].push_back(static_cast<int>(d));
  std::vector<int> start(1, 0), column;
  std::vector<double> value;
  std::vector<std::pair<int, double>> numbers;
  for (Index i = 0; i < size(); ++i) {
    numbers.clear();
    for (int k = start_[i]; k < start_[i + 1]; ++k)
      for (const int d : places[column_[k]]) numbers.emplace_back(d, value_[k]);
    std::sort(numbers.begin(), numbers.end());
    for (const auto& number : numbers) {
      column.push_back(number.first);
      value.push_back(number.second);
    }
    start.push_back(static_cast<int>(column.size()));
  }
  Vector centre(centre_.size() == 0 ? 0 : static_cast<Index>(chosen.size()));
  for (Index d = 0; d < centre.size(); ++d) centre[d] = centre_[chosen[d]];
  return std::make_shared<SparseRows>(static_cast<Index>(chosen.size()), std::move(start),
                                      std::move(column), std::move(value), std::move(centre));
}

}  // namespace gpsieve
