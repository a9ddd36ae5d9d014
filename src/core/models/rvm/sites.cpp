#include "models/rvm/sites.h"

#include <cmath>

#include "base/parallel.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

constexpr Index kRowsPerTask = 2048;
constexpr int kMaxSteps = 100;
// Newton's method converges quadratically: a step this small leaves an error of its square, and so
// does the first order of what is known where it began.
constexpr double kLastStep = 1e-8;

struct Field {
  double z;
  normal::Site site;  // at z
};

// z + r h(z) = u with h = phi / Phi: increasing and convex, slope in [1 - r, 1], so Newton's method
// converges from anywhere.
Field cavity_field(double u, double r, double start) {
  if (r <= 0.0) return {u, normal::site(u)};
  double z = start;
  normal::Site s = normal::site(z);
  for (int i = 0; i < kMaxSteps; ++i) {
    const double step = (z + r * s.r - u) / ((1.0 - r) + r * s.omega);
    z -= step;
    if (std::abs(step) > kLastStep * (1.0 + std::abs(z))) {
      s = normal::site(z);
      continue;
    }
    // d log Phi = h, dh = -q, d delta = omega = 1 - q, dq = h omega - q delta.
    const double dq = s.r * s.omega - s.q * s.delta;
    return {z,
            {s.log_cdf - s.r * step, s.r + s.q * step, s.delta - s.omega * step, s.q - dq * step,
             s.omega + dq * step}};
  }
  return {z, s};
}

}  // namespace

RvmSites::RvmSites(VectorIn y, double noise, int threads)
    : y_(y),
      noise_(noise),
      threads_(threads),
      z_(Vector::Zero(y.size())),
      tau_(y.size()),
      omega_(y.size()) {}

double RvmSites::solve(VectorIn outputs, VectorIn variances) {
  const Index n = y_.size();
  // Summed by fixed blocks: the threads do not change a bit.
  Vector sums = Vector::Zero((n + kRowsPerTask - 1) / kRowsPerTask);
  parallel_blocks(threads_, n, kRowsPerTask, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) {
      const double c2 = variances(i) + noise_, c = std::sqrt(c2), r = variances(i) / c2;
      const Field field = cavity_field(y_(i) * outputs(i) / c, r, z_(i));
      const normal::Site& s = field.site;
      z_(i) = field.z;
      tau_(i) = y_(i) * s.r / c;
      // 1 - V beta = noise / (V + noise) + V / (V + noise) (1 - h (z + h)): never below the first.
      omega_(i) = s.q / c2 / (noise_ / c2 + r * s.omega);
      sum += s.log_cdf + 0.5 * variances(i) * tau_(i) * tau_(i);
    }
    sums(begin / kRowsPerTask) = sum;
  });
  return sums.sum();
}

Vector RvmSites::cavity_mean(VectorIn variances) const {
  return y_.array() * z_.array() * (variances.array() + noise_).sqrt();
}

Vector RvmSites::curvature(VectorIn variances) const {
  Vector out(z_.size());
  for (Index i = 0; i < out.size(); ++i) out(i) = normal::site(z_(i)).q / (variances(i) + noise_);
  return out;
}

// q = h (z + h), h' = -q: q' = h' (z + h) + h (1 + h').
Vector RvmSites::omega_derivative() const {
  Vector out(z_.size());
  for (Index i = 0; i < out.size(); ++i) {
    const normal::Site s = normal::site(z_(i));
    out(i) = y_(i) * (s.r * s.omega - s.q * s.delta) / (noise_ * std::sqrt(noise_));
  }
  return out;
}

}  // namespace gpsieve
