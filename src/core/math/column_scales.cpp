#include "math/column_scales.h"

#include <algorithm>
#include <cmath>

namespace gpsieve {
namespace {

// Deviations of equal numbers from their own mean are this small, relatively.
constexpr double kConstant = 1e-14;

}  // namespace

ColumnScales column_scales(const double* data, Index rows, Index columns) {
  ColumnScales out;
  out.scale.setOnes(columns);
  for (Vector* each : {&out.center, &out.lowest, &out.highest}) each->setZero(columns);
  for (Index j = 0; j < columns; ++j) {
    const Eigen::Map<const Vector> x(data + j * rows, rows);
    if (out.not_finite < 0 && !x.allFinite()) out.not_finite = j;
    if (rows == 0) continue;
    out.lowest[j] = x.minCoeff();
    out.highest[j] = x.maxCoeff();
    // Of x / n, which cannot overflow, and corrected once: as exact as sums in extended precision.
    const double n = static_cast<double>(rows), mean = (x / n).sum();
    out.center[j] = mean + ((x.array() - mean) / n).sum();
    const double largest = std::max(out.highest[j] - out.center[j], out.center[j] - out.lowest[j]);
    if (rows == 1 || !(largest > kConstant * std::abs(out.center[j]))) continue;
    const double squares = ((x.array() - out.center[j]) / largest).square().sum();
    out.scale[j] = largest * std::sqrt(squares / (n - 1.0));
  }
  return out;
}

}  // namespace gpsieve
