#include "models/rvm/anderson.h"

#include <Eigen/QR>
#include <algorithm>

namespace gpsieve {
namespace {

constexpr double kDamped = 0.5;
// Differences that are nearly combinations of others say nothing new.
constexpr double kIndependent = 1e-8;

}  // namespace

Vector AndersonMixing::next(VectorIn x, VectorIn residual) {
  const double size = residual.norm();
  const bool first = last_point_.size() == 0, grown = !first && !(size < last_size_);
  if (first) {
    steps_.resize(x.size(), depth_);
    changes_.resize(x.size(), depth_);
  } else if (grown) {
    kept_ = slot_ = 0;
  } else {
    steps_.col(slot_) = x - last_point_;
    changes_.col(slot_) = residual - last_residual_;
    slot_ = (slot_ + 1) % depth_;
    kept_ = std::min(kept_ + 1, depth_);
  }
  last_point_ = x;
  last_residual_ = residual;
  last_size_ = size;
  Vector out = x + (grown ? kDamped : 1.0) * residual;
  if (kept_ > 0) {
    Eigen::ColPivHouseholderQR<Matrix> basis(changes_.leftCols(kept_));
    basis.setThreshold(kIndependent);
    const Vector share = basis.solve(residual);
    out -= steps_.leftCols(kept_) * share + changes_.leftCols(kept_) * share;
  }
  return out;
}

}  // namespace gpsieve
