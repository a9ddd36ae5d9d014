#include "kernel/families/scaled_pairs.h"

#include <algorithm>
#include <cmath>

#include "base/large_pages.h"
#include "base/parallel.h"
#include "kernel/prepared_points.h"
#include "linalg/blocked.h"
#include "linalg/products.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace {

// A distance that is this small a part of |x|^2 + |z|^2 has lost four of sixteen digits.
constexpr double kNear = 1e-4;
constexpr Index kNearRows = 64;          // rows that are searched together for such distances
constexpr Index kFinishedTogether = 64;  // points whose sums over pairs one thread finishes
constexpr double kFinishing = 60.0;      // multiply-adds that take as long as finishing one number

bool is_near(double r2, double norms) {
  return !(r2 > kNear * norms);  // also where the norms are infinite
}

// Turns r2 = -2 a'b into squared distances; distance(i, j) is asked for the pairs whose difference
// of squares cancels.
template <class Distance>
void add_norms(VectorIn norm_a, VectorIn norm_b, MatrixOut r2, const Distance& distance) {
  for (Index j = 0; j < r2.cols(); ++j)
    for (Index begin = 0; begin < r2.rows(); begin += kNearRows) {
      const Index end = std::min(r2.rows(), begin + kNearRows);
      if (!kernels().add_norms(&r2(begin, j), norm_a.data() + begin, norm_b[j], end - begin, kNear))
        continue;
      for (Index i = begin; i < end; ++i)
        if (is_near(r2(i, j), norm_a[i] + norm_b[j])) r2(i, j) = distance(i, j);
    }
}

}  // namespace

Vector centre_of(Points points) {
  Vector centre = Vector::Zero(points.rows());
  if (points.cols() == 0) return centre;
  for (Index j = 0; j < points.cols(); ++j) centre += points.col(j);
  centre /= static_cast<double>(points.cols());
  return centre.unaryExpr([](double m) { return std::isfinite(m) ? m : 0.0; });
}

ScaledPoints::ScaledPoints(Points points, const Vector& centre, VectorIn lengthscale)
    : coordinates(large_matrix(points.rows(), points.cols())), norms(points.cols()) {
  const Vector per_unit = lengthscale.cwiseInverse();
  for (Index j = 0; j < points.cols(); ++j) {
    if (lengthscale.size() == 1)
      coordinates.col(j) = (points.col(j) - centre) * per_unit[0];
    else
      coordinates.col(j) = (points.col(j) - centre).cwiseProduct(per_unit);
  }
  column_squared_norms(coordinates, norms);
  for (Index j = 0; j < norms.size(); ++j) {
    if (std::isfinite(norms[j])) continue;
    coordinates.col(j).setZero();
    norms[j] = HUGE_VAL;
  }
}

ScaledPoints ScaledPoints::gather(const Index* rows, Index n) const {
  ScaledPoints some;
  some.coordinates = gather_columns(coordinates, rows, n);
  some.norms.resize(n);
  for (Index i = 0; i < n; ++i) some.norms[i] = norms[rows[i]];
  return some;
}

bool ScaledPoints::overflows() const { return !norms.allFinite(); }

void squared_distances(MatrixIn a, VectorIn norm_a, MatrixIn b, VectorIn norm_b, MatrixOut r2) {
  if (r2.size() == 0) return;
  gemm(-2.0, a, Op::transposed, b, Op::plain, 0.0, r2);
  add_norms(norm_a, norm_b, r2,
            [&](Index i, Index j) { return (a.col(i) - b.col(j)).squaredNorm(); });
}

void squared_distances_to(MatrixIn a, VectorIn norm_a, VectorIn b, double norm_b, VectorOut r2) {
  gemv(-2.0, a, Op::transposed, b, 0.0, r2);
  add_norms(norm_a, Vector::Constant(1, norm_b), r2,
            [&](Index i, Index) { return (a.col(i) - b).squaredNorm(); });
}

void squared_distances_from_products(const ScaledPoints& a, const ScaledPoints& b, MatrixOut r2) {
  add_norms(a.norms, b.norms.head(r2.cols()), r2, [&](Index i, Index j) {
    return (a.coordinates.col(i) - b.coordinates.col(j)).squaredNorm();
  });
}

ScaledPairs::Left::Left(Points a, VectorIn lengths)
    : points(a), lengthscale(lengths), centre(centre_of(a)), scaled(a, centre, lengthscale) {}

ScaledPairs::ScaledPairs(std::shared_ptr<const Left> a, Points b) : a_(std::move(a)), b_(b) {
  if (!same_points()) own_b_ = ScaledPoints(b, a_->centre, a_->lengthscale);
}

ScaledPairs::ScaledPairs(Points a, Points b, VectorIn lengthscale)
    : ScaledPairs(std::make_shared<const Left>(a, lengthscale), b) {}

bool ScaledPairs::is_near(Index i, Index j, double r2) const {
  return gpsieve::is_near(r2, a_->scaled.norms[i] + scaled_b().norms[j]);
}

double ScaledPairs::squared_distance(Index i, Index j) const {
  if (same_points() && i == j) return 0.0;
  double sum = 0.0;
  for (Index d = 0; d < b_.rows(); ++d) {
    const double step = difference(d, i, j);
    sum += step * step;
  }
  return sum;
}

void ScaledPairs::squared_distances(MatrixOut r2, NearPairs* near) const {
  if (r2.size() == 0) return;
  const ScaledPoints &a = a_->scaled, &b = scaled_b();
  if (same_points()) {
    syrk(-2.0, a.coordinates, Op::transposed, 0.0, r2);
    symmetrise_from_lower(r2);
  } else {
    gemm(-2.0, a.coordinates, Op::transposed, b.coordinates, Op::plain, 0.0, r2);
  }
  add_norms(a.norms, b.norms, r2, [&](Index i, Index j) {
    if (near) near->emplace_back(i, j);
    return squared_distance(i, j);
  });
}

// A distance that its difference of squares had lost may not be so small after all.
NearWeights ScaledPairs::take_near(MatrixIn r2, const NearPairs& near, MatrixOut h) const {
  NearWeights taken;
  for (const auto& [i, j] : near) {
    if (!is_near(i, j, r2(i, j))) continue;
    if (h(i, j) != 0.0) taken.push_back({i, j, h(i, j)});  // 0 also where the distance is infinite
    h(i, j) = 0.0;
  }
  return taken;
}

void ScaledPairs::add_near(const NearWeights& near, VectorOut squares, Side side,
                           MatrixOut slopes) const {
  const bool left = side == Side::left;
  for (const auto& [i, j, weight] : near)
    for (Index d = 0; d < dimension(); ++d) {
      const double step = difference(d, i, j);
      if (squares.size() > 0) squares[d] += weight * step * step;
      if (slopes.size() > 0)
        slopes(d, left ? i : j) += (left ? -2.0 : 2.0) * weight * step / lengthscale(d);
    }
}

void PairSums::take(PairSums& others) {
  if (!others.any) return;
  if (any) {
    products += others.products;
    weights += others.weights;
  } else {
    products = MatrixIn(others.products);
    weights = others.weights;
  }
  any = true;
  others.any = false;
}

NearWeights ScaledPairs::collect_sums(MatrixIn r2, const NearPairs& near, MatrixOut h,
                                      VectorOut squares, Side side, PairSums& sums,
                                      int threads) const {
  if (r2.size() == 0) return {};
  const bool left = side == Side::left;
  NearWeights taken = take_near(r2, near, h);
  const Matrix& x = (left ? scaled_b() : a_->scaled).coordinates;
  gemm(1.0, x, Op::plain, h, left ? Op::transposed : Op::plain, sums.any ? 1.0 : 0.0, sums.products,
       threads);
  const Vector of_a = h.rowwise().sum(), of_b = h.colwise().sum().transpose();
  const Vector &of_x = left ? of_b : of_a, &of_z = left ? of_a : of_b;
  sums.weights = sums.any ? Vector(sums.weights + of_z) : of_z;
  sums.any = true;
  if (squares.size() > 0)
    for (Index i = 0; i < x.cols(); ++i)
      kernels().add_squares(x.col(i).data(), of_x[i], x.rows(), squares.data());
  return taken;
}

void ScaledPairs::finish_sums(const PairSums& sums, VectorOut squares, Side side, MatrixOut slopes,
                              int threads) const {
  if (!sums.any) return;
  const Matrix& z = (side == Side::left ? a_->scaled : scaled_b()).coordinates;
  const Index p = z.rows(), blocks = (z.cols() + kFinishedTogether - 1) / kFinishedTogether;
  const Vector twice_per_unit = Vector::Constant(p, 2.0).cwiseQuotient(
      a_->lengthscale.replicate(p / a_->lengthscale.size(), 1));
  Matrix of_blocks = Matrix::Zero(p, blocks);  // their parts of `squares`, added in order
  threads = useful_threads(threads, kFinishing * static_cast<double>(z.size()));
  parallel_blocks(threads, z.cols(), kFinishedTogether, [&](Index begin, Index end) {
    Vector unwanted = Vector::Zero(slopes.size() > 0 ? 0 : p);
    for (Index j = begin; j < end; ++j)
      kernels().add_differences(z.col(j).data(), sums.products.col(j).data(), sums.weights[j],
                                twice_per_unit.data(), p,
                                of_blocks.col(begin / kFinishedTogether).data(),
                                slopes.size() > 0 ? slopes.col(j).data() : unwanted.data());
  });
  if (squares.size() > 0)
    for (Index b = 0; b < blocks; ++b) squares += of_blocks.col(b);
}

NearWeights ScaledPairs::add_sums(MatrixIn r2, const NearPairs& near, MatrixOut h,
                                  VectorOut squares, Side side, MatrixOut slopes) const {
  PairSums sums(dimension(), side == Side::left ? r2.rows() : r2.cols());
  NearWeights taken = collect_sums(r2, near, h, squares, side, sums, 1);
  add_near(taken, squares, side, slopes);
  finish_sums(sums, squares, side, slopes, 1);
  return taken;
}

}  // namespace gpsieve
