// E h(f), f ~ N(mu, var), for bounded functions that may change on a scale far smaller than the
// standard deviation.
#ifndef GPSIEVE_MATH_GAUSSIAN_EXPECTATION_H
#define GPSIEVE_MATH_GAUSSIAN_EXPECTATION_H

#include <algorithm>
#include <cmath>
#include <vector>

#include "math/normal.h"
#include "math/quadrature.h"

namespace gpsieve {

// Panels whose widths double with the distance from `centre`, over a range of scales around `unit`.
inline std::vector<double> doubling_breaks(double centre, double unit, int finest, int coarsest) {
  std::vector<double> breaks;
  for (int k = coarsest; k >= finest; --k) breaks.push_back(centre - std::ldexp(unit, k));
  breaks.push_back(centre);
  for (int k = finest; k <= coarsest; ++k) breaks.push_back(centre + std::ldexp(unit, k));
  return breaks;
}

// Panels are as wide as the standard deviation and narrower where the function changes faster;
// `breaks` are further ends of panels, for functions that change where no panel would look.
template <class Function>
double gaussian_expectation(const Function& h, double mu, double var,
                            std::vector<double> breaks = {}) {
  if (var == 0.0) return h(mu);
  constexpr double kTolerance = 1e-10;
  constexpr double kReach = 9.0;  // standard deviations; 1e-18 lies beyond
  const double sd = std::sqrt(var), low = mu - kReach * sd, high = mu + kReach * sd;
  for (double step = -kReach; step <= kReach; step += 1.0) breaks.push_back(mu + step * sd);
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end()), breaks.end());
  breaks.erase(
      std::remove_if(breaks.begin(), breaks.end(), [&](double b) { return b < low || b > high; }),
      breaks.end());
  const Integrands integrand = [&](double f, double* out) {
    const double z = (f - mu) / sd;
    out[0] = h(f) * std::exp(normal::log_pdf(z)) / sd;
  };
  double sum[kMaxIntegrands];
  integrate_panels(integrand, 1, breaks, kTolerance, sum);
  return sum[0];
}

// The same for functions that are smooth on the scale of the standard deviation.
template <int Order, class Function>
double gaussian_average(const Function& h, double mu, double sd) {
  const GaussHermite& rule = gauss_hermite_table<Order>();
  double sum = 0.0;
  for (Index i = 0; i < rule.nodes.size(); ++i) sum += rule.weights[i] * h(mu + sd * rule.nodes[i]);
  return sum;
}

}  // namespace gpsieve

#endif
