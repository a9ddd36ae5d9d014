#include "math/column_scales.h"

#include <algorithm>
#include <cmath>

#include "base/large_pages.h"

namespace gpsieve {
namespace {

// Deviations of equal numbers from their own mean are this small, relatively.
constexpr double kConstant = 1e-14;

// `stride` is the distance between columns.
ColumnScales panel_scales(const double* data, Index stride, Index rows, Index columns,
                          const double* weights) {
  ColumnScales out(columns);
  out.rows = rows;
  const Vector w = weights ? Vector(Eigen::Map<const Vector>(weights, rows)) : Vector();
  out.weight = weights ? w.sum() : static_cast<double>(rows);
  for (Index j = 0; j < columns; ++j) {
    const Eigen::Map<const Vector> x(data + j * stride, rows);
    if (out.not_finite < 0 && !x.allFinite()) out.not_finite = j;
    out.lowest[j] = x.minCoeff();
    out.highest[j] = x.maxCoeff();
    // The mean of x / n cannot overflow; one correction makes it as exact as a sum in extended
    // precision.
    const double n = out.weight;
    if (weights) {
      const double mean = (w.array() * (x.array() / n)).sum();
      out.mean[j] = mean + (w.array() * ((x.array() - mean) / n)).sum();
    } else {
      const double mean = (x / n).sum();
      out.mean[j] = mean + ((x.array() - mean) / n).sum();
    }
    const double largest = std::max(out.highest[j] - out.mean[j], out.mean[j] - out.lowest[j]);
    if (!(largest > 0.0)) continue;
    out.unit[j] = largest;
    const auto deviation = (x.array() - out.mean[j]) / largest;
    out.squares[j] = weights ? (w.array() * deviation.square()).sum() : deviation.square().sum();
  }
  return out;
}

}  // namespace

ColumnScales::ColumnScales(Index columns)
    : mean(Vector::Zero(columns)),
      lowest(Vector::Zero(columns)),
      highest(Vector::Zero(columns)),
      unit(Vector::Zero(columns)),
      squares(Vector::Zero(columns)) {}

double ColumnScales::scale(Index j) const {
  const double largest = std::max(highest[j] - mean[j], mean[j] - lowest[j]);
  if (!(weight > 1.0) || !(largest > kConstant * std::abs(mean[j]))) return 1.0;
  return unit[j] * std::sqrt(squares[j] / (weight - 1.0));
}

Vector ColumnScales::scales() const {
  Vector all(mean.size());
  for (Index j = 0; j < all.size(); ++j) all[j] = scale(j);
  return all;
}

// Chan, Golub and LeVeque's rule for the mean and the squared deviations of two groups together.
void ColumnScales::merge(const ColumnScales& next) {
  if (rows == 0) {
    *this = next;
    return;
  }
  const double share = next.weight / (weight + next.weight);
  const double between = weight * share;
  for (Index j = 0; j < mean.size(); ++j) {
    const double shift = next.mean[j] - mean[j];
    const double largest = std::max({unit[j], next.unit[j], std::abs(shift)});
    if (largest > 0.0) {
      const double own = unit[j] / largest, other = next.unit[j] / largest, gap = shift / largest;
      squares[j] = squares[j] * own * own + next.squares[j] * other * other + gap * gap * between;
      unit[j] = largest;
    }
    mean[j] += shift * share;
    lowest[j] = std::min(lowest[j], next.lowest[j]);
    highest[j] = std::max(highest[j], next.highest[j]);
  }
  rows += next.rows;
  weight += next.weight;
  if (not_finite < 0) not_finite = next.not_finite;
}

void ColumnScales::extend(const double* data, Index stride, Index count, const double* weights) {
  for (Index begin = 0; begin < count; begin += kScalePanel)
    merge(panel_scales(data + begin, stride, std::min(kScalePanel, count - begin), mean.size(),
                       weights ? weights + begin : nullptr));
}

ColumnScales column_scales(const double* data, Index rows, Index columns, const double* weights) {
  ColumnScales out(columns);
  out.extend(data, rows, rows, weights);
  return out;
}

namespace {

struct Scaling {
  double center, scale;
  double operator()(double value) const { return (value - center) / scale; }
};

}  // namespace

void scale_columns(const double* data, Index rows, Index columns, const Vector& center,
                   const Vector& scale, double* out) {
  for (Index j = 0; j < columns; ++j)
    std::transform(data + j * rows, data + (j + 1) * rows, out + j * rows,
                   Scaling{center[j], scale[j]});
}

// In strips of rows, so that what is written stays in cache.
Matrix scaled_points(const double* data, Index rows, Index columns, const Vector& center,
                     const Vector& scale) {
  constexpr Index kStrip = 64;
  Matrix out = large_matrix(columns, rows);
  for (Index begin = 0; begin < rows; begin += kStrip) {
    const Index end = std::min(rows, begin + kStrip);
    for (Index j = 0; j < columns; ++j) {
      const Scaling scaling{center[j], scale[j]};
      for (Index i = begin; i < end; ++i) out(j, i) = scaling(data[j * rows + i]);
    }
  }
  return out;
}

}  // namespace gpsieve
