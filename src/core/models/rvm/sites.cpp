#include "models/rvm/sites.h"

#include <cmath>

#include "base/parallel.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

constexpr Index kSitesPerTask = 2048;
constexpr int kMaxSteps = 100;
// Newton's method converges quadratically, so that the error after a relative step of this size is
// of the order of its square; a first-order Taylor expansion about the last point has an error of
// the same order.
constexpr double kLastStep = 1e-8;

struct CavityRoot {
  double z;
  normal::Site site;  // at z
};

// The Newton step for z + r h(z) = u from a z at which h, and omega = 1 + dh / dz, are known.
double cavity_step(double z, double u, double r, double h, double omega) {
  return (z + r * h - u) / ((1.0 - r) + r * omega);
}

// Solves z + r h(z) = u with h = phi / Phi, theory.md (24), by Newton's method from `start`, where
// h and omega are known. The left side is increasing and convex with slope in [1 - r, 1], so that
// the iteration converges from any start. The site is evaluated once or more, so that its errors do
// not accumulate over calls.
CavityRoot solve_cavity_equation(double u, double r, double start, double h, double omega) {
  if (r <= 0.0) return {u, normal::site(u)};
  double z = start - cavity_step(start, u, r, h, omega);
  normal::Site s = normal::site(z);
  for (int i = 0; i < kMaxSteps; ++i) {
    const double step = cavity_step(z, u, r, s.r, s.omega);
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

RvmSites::RvmSites(VectorIn y, Vector weight, double noise, int threads)
    : y_(y),
      weight_(std::move(weight)),
      noise_(noise),
      threads_(threads),
      z_(Vector::Zero(y.size())),
      h_(Vector::Constant(y.size(), normal::site(0.0).r)),
      omega_(Vector::Constant(y.size(), normal::site(0.0).omega)),
      gradient_(y.size()),
      precision_(y.size()) {}

double RvmSites::update(VectorIn latent, VectorIn cavity_variance) {
  const Index n = y_.size();
  // One partial sum for each fixed block of rows: the total does not depend on the threads.
  Vector sums = Vector::Zero((n + kSitesPerTask - 1) / kSitesPerTask);
  parallel_blocks(threads_, n, kSitesPerTask, [&](Index begin, Index end) {
    double sum = 0.0;
    for (Index i = begin; i < end; ++i) {
      const double v = cavity_variance(i), c2 = v + noise_, c = std::sqrt(c2), r = v / c2;
      const CavityRoot root =
          solve_cavity_equation(y_(i) * latent(i) / c, r, z_(i), h_(i), omega_(i));
      const normal::Site& s = root.site;
      z_(i) = root.z;
      h_(i) = s.r;
      omega_(i) = s.omega;
      const double slope = y_(i) * s.r / c;
      gradient_(i) = weight_(i) * slope;
      // The divisor is 1 - V beta, written as a sum of positive terms, theory.md (25).
      precision_(i) = weight_(i) * (s.q / c2 / (noise_ / c2 + r * s.omega));
      sum += weight_(i) * (s.log_cdf + 0.5 * v * slope * slope);
    }
    sums(begin / kSitesPerTask) = sum;
  });
  return sums.sum();
}

Vector RvmSites::cavity_mean(VectorIn cavity_variance) const {
  return y_.array() * z_.array() * (cavity_variance.array() + noise_).sqrt();
}

Vector RvmSites::curvature(VectorIn cavity_variance) const {
  Vector out(z_.size());
  for (Index i = 0; i < out.size(); ++i)
    out(i) = weight_(i) * (normal::site(z_(i)).q / (cavity_variance(i) + noise_));
  return out;
}

// With q = h (z + h) and h' = -q the derivative is q' = h' (z + h) + h (1 + h').
Vector RvmSites::precision_derivative() const {
  Vector out(z_.size());
  for (Index i = 0; i < out.size(); ++i) {
    const normal::Site s = normal::site(z_(i));
    out(i) = weight_(i) * (y_(i) * (s.r * s.omega - s.q * s.delta) / (noise_ * std::sqrt(noise_)));
  }
  return out;
}

}  // namespace gpsieve
