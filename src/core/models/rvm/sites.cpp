#include "models/rvm/sites.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/parallel.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

constexpr Index kSitesPerTask = 2048;
constexpr Index kBlock = normal::SiteBlock::kSize;
constexpr int kMaxSteps = 100;
// Newton's method converges quadratically, so that the error after a relative step of this size is
// of the order of its square; a first-order Taylor expansion about the last point has an error of
// the same order.
constexpr double kLastStep = 1e-8;

// The Newton step for z + r h(z) = u from a z at which h, and omega = 1 + dh / dz, are known.
double cavity_step(double z, double u, double r, double h, double omega) {
  return (z + r * h - u) / ((1.0 - r) + r * omega);
}

// The site at z - step, to first order: d log Phi = h, dh = -q, d delta = omega = 1 - q,
// dq = h omega - q delta.
normal::Site moved(const normal::Site& s, double step) {
  const double dq = s.r * s.omega - s.q * s.delta;
  return {s.log_cdf - s.r * step, s.r + s.q * step, s.delta - s.omega * step, s.q - dq * step,
          s.omega + dq * step};
}

// Solves the cavity equations z + r h(z) = u with h = phi / Phi, theory.md (24), of up to kBlock
// rows. z holds points to start from and becomes the solutions; `site` becomes the sites there.
//
// The left side is increasing and convex with slope in [1 - r, 1], so that Newton's method
// converges from any start. Each step evaluates the sites of the rows that have not converged
// together; no row depends on another one. Every site is evaluated at least once, so that errors do
// not accumulate over calls.
void solve_cavity_equations(Index count, const double* u, const double* r, double* z,
                            normal::Site* site) {
  Index open[kBlock];  // the rows that have not converged
  for (Index i = 0; i < count; ++i) open[i] = i;
  normal::SiteBlock at;
  for (int round = 0; count > 0 && round < kMaxSteps; ++round) {
    for (Index k = 0; k < count; ++k) at.z[k] = z[open[k]];
    at.evaluate(count);
    Index still_open = 0;
    for (Index k = 0; k < count; ++k) {
      const Index i = open[k];
      const double step = cavity_step(z[i], u[i], r[i], at.r[k], at.omega[k]);
      z[i] -= step;
      site[i] = moved(at[k], step);
      if (std::abs(step) > kLastStep * (1.0 + std::abs(z[i]))) open[still_open++] = i;
    }
    count = still_open;
  }
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
    for (Index i = begin; i < end; i += kBlock)
      sum += update_block(i, std::min(kBlock, end - i), latent, cavity_variance);
    sums(begin / kSitesPerTask) = sum;
  });
  return sums.sum();
}

double RvmSites::update_block(Index begin, Index count, VectorIn latent, VectorIn variance) {
  double u[kBlock], ratio[kBlock];
  for (Index k = 0; k < count; ++k) {
    const Index i = begin + k;
    const double c2 = variance(i) + noise_;
    ratio[k] = variance(i) / c2;
    u[k] = y_(i) * latent(i) / std::sqrt(c2);
    if (ratio[k] > 0.0)
      z_(i) -= cavity_step(z_(i), u[k], ratio[k], h_(i), omega_(i));
    else
      z_(i) = u[k];
  }
  normal::Site site[kBlock];
  solve_cavity_equations(count, u, ratio, z_.data() + begin, site);

  double sum = 0.0;
  for (Index k = 0; k < count; ++k) {
    const Index i = begin + k;
    const normal::Site& s = site[k];
    const double c2 = variance(i) + noise_, slope = y_(i) * s.r / std::sqrt(c2);
    h_(i) = s.r;
    omega_(i) = s.omega;
    gradient_(i) = weight_(i) * slope;
    // The divisor is 1 - V beta, written as a sum of positive terms, theory.md (25).
    precision_(i) = weight_(i) * (s.q / c2 / (noise_ / c2 + ratio[k] * s.omega));
    sum += weight_(i) * (s.log_cdf + 0.5 * variance(i) * slope * slope);
  }
  return sum;
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
