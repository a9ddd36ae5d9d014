#include "math/normal_interval.h"

#include <array>
#include <cmath>

#include "math/constants.h"
#include "math/normal.h"

namespace gpsieve::normal {
namespace {

// Gauss-Legendre nodes and weights on [-1, 1].
struct GaussLegendre {
  static constexpr int kOrder = 48;
  std::array<double, kOrder> nodes, weights;

  GaussLegendre() {
    for (int i = 0; i < kOrder; ++i) {
      double x = std::cos(kPi * (i + 0.75) / (kOrder + 0.5)), slope = 1.0;
      for (int step = 0; step < 20; ++step) {
        double value = x, before = 1.0;
        for (int k = 2; k <= kOrder; ++k) {
          const double next = ((2.0 * k - 1.0) * x * value - (k - 1.0) * before) / k;
          before = value;
          value = next;
        }
        slope = kOrder * (x * value - before) / (x * x - 1.0);
        const double move = value / slope;
        x -= move;
        if (std::abs(move) < kEpsilon) break;
      }
      nodes[i] = x;
      weights[i] = 2.0 / ((1.0 - x * x) * slope * slope);
    }
  }
};

Interval below(double b) {
  const Site s = site(b);
  return {s.log_cdf, -s.r, -s.q, 0.0, s.r};
}

Interval mirrored(const Interval& i) { return {i.log_mass, -i.mean, i.excess, i.upper, i.lower}; }

// By quadrature, relative to the largest density in the interval, for a + b <= 0. No density there
// is below exp(-50) of the largest, for which the rule has enough nodes.
Interval by_quadrature(double a, double b) {
  static const GaussLegendre rule;
  const double half = 0.5 * (b - a), centre = 0.5 * (a + b);
  const double peak = b < 0.0 ? b : 0.0;
  // (z^2 - peak^2) / 2 at a distance of the larger end b
  const auto fall = [&](double from_b) {
    const double z = b + from_b;
    return b < 0.0 ? 0.5 * from_b * (z + b) : 0.5 * z * z;
  };
  double mass = 0.0, first = 0.0, second = 0.0;
  for (int i = 0; i < GaussLegendre::kOrder; ++i) {
    const double t = half * rule.nodes[i];
    const double weight = rule.weights[i] * std::exp(-fall(t - half));
    mass += weight;
    first += weight * t;
    second += weight * t * t;
  }
  const double mean = first / mass, width = mass * half;
  return {log_pdf(peak) + std::log(width), centre + mean, second / mass - mean * mean - 1.0,
          std::exp(-fall(a - b)) / width, std::exp(-fall(0.0)) / width};
}

}  // namespace

Interval interval(double a, double b) {
  if (std::isinf(a)) return below(b);
  if (std::isinf(b)) return mirrored(below(-a));
  if (a + b > 0.0) return mirrored(interval(-b, -a));
  constexpr double kNegligible = -45.0;
  const double log_upper = log_cdf(b), log_ratio = log_cdf(a) - log_upper;
  if (log_ratio < kNegligible) {
    Interval out = below(b);
    out.lower = std::exp(log_pdf(a) - out.log_mass);
    return out;
  }
  const double log_mass = log_upper + std::log(-std::expm1(log_ratio));
  constexpr double kCancelsBelow = -2.3;  // log of a tenth
  if (!(log_mass > kCancelsBelow)) return by_quadrature(a, b);
  const double lower = std::exp(log_pdf(a) - log_mass), upper = std::exp(log_pdf(b) - log_mass);
  const double mean = lower - upper;
  return {log_mass, mean, a * lower - b * upper - mean * mean, lower, upper};
}

}  // namespace gpsieve::normal
