#include "models/rvm/anderson.h"

#include <Eigen/QR>
#include <algorithm>

namespace gpsieve {
namespace {

constexpr double kDamping = 0.5;
// Relative pivot below which a residual difference counts as a combination of the others.
constexpr double kRankTolerance = 1e-8;

}  // namespace

Vector AndersonMixing::next(VectorIn x, VectorIn residual) {
  const double norm = residual.norm();
  const bool first = last_iterate_.size() == 0, grown = !first && !(norm < last_norm_);
  if (first) {
    iterate_differences_.resize(x.size(), depth_);
    residual_differences_.resize(x.size(), depth_);
  } else if (grown) {
    count_ = slot_ = 0;
  } else {
    iterate_differences_.col(slot_) = x - last_iterate_;
    residual_differences_.col(slot_) = residual - last_residual_;
    slot_ = (slot_ + 1) % depth_;
    count_ = std::min(count_ + 1, depth_);
  }
  last_iterate_ = x;
  last_residual_ = residual;
  last_norm_ = norm;
  Vector out = x + (grown ? kDamping : 1.0) * residual;
  if (count_ > 0) {
    Eigen::ColPivHouseholderQR<Matrix> qr(residual_differences_.leftCols(count_));
    qr.setThreshold(kRankTolerance);
    const Vector coefficients = qr.solve(residual);
    out -= iterate_differences_.leftCols(count_) * coefficients +
           residual_differences_.leftCols(count_) * coefficients;
  }
  return out;
}

}  // namespace gpsieve
