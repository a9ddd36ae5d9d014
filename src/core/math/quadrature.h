// One-dimensional integration: Gauss-Hermite rules and an adaptive rule for many scales at once.
#ifndef GPSIEVE_MATH_QUADRATURE_H
#define GPSIEVE_MATH_QUADRATURE_H

#include <array>
#include <functional>
#include <vector>

#include "base/types.h"

namespace gpsieve {

// Exact for polynomials g of degree below 2 * order:
//   sum_i weights[i] g(nodes[i]) = integral of g(x) N(x | 0, 1) dx.
// line_weights[i] = weights[i] / N(nodes[i] | 0, 1) integrate g(x) dx itself and do not underflow.
struct GaussHermite {
  Vector nodes, weights, line_weights;
};

GaussHermite gauss_hermite(Index order);

// gauss_hermite(), computed once per order named in the code.
template <int Order>
const GaussHermite& gauss_hermite_table() {
  static const GaussHermite rule = gauss_hermite(Order);
  return rule;
}

// The Gauss-Kronrod pair of 7 and 15 points on [-1, 1], nodes ascending; `gauss` is 0 at nodes that
// are Kronrod's alone.
inline constexpr int kKronrodNodes = 15;
struct GaussKronrod {
  std::array<double, kKronrodNodes> nodes, kronrod, gauss;
};
const GaussKronrod& gauss_kronrod();

// Several integrands that share their expensive part: writes their values at x.
using Integrands = std::function<void(double x, double* values)>;
inline constexpr int kMaxIntegrands = 4;

// Integrates `count` functions from breaks.front() to breaks.back() (ascending) by the
// Gauss-Kronrod pair of 7 and 15 points on every panel between neighbouring breaks, halving panels
// until in each of them the pair differs by less than tolerance * integral |f_k| for every k, and
// until no panel is more than four times as wide as its neighbour: beside a narrow
// panel, a wide one could have no node where the integrand is large. The Kronrod value is usually
// far more accurate than the difference of the pair. Gives up refining after a thousand panels:
// noise in the integrand then limits what can be reached.
void integrate_panels(const Integrands& integrands, int count, const std::vector<double>& breaks,
                      double tolerance, double* integrals);

}  // namespace gpsieve

#endif
