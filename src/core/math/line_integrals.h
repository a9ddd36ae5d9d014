// Integrals over the real line of many positive functions at once, which are known by the
// logarithms of their values: each round asks for values of all functions together, for hosts whose
// calls are dear and whose values are cheap.
#ifndef GPSIEVE_MATH_LINE_INTEGRALS_H
#define GPSIEVE_MATH_LINE_INTEGRALS_H

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "base/types.h"
#include "math/quadrature.h"

namespace gpsieve {

// log g at x(j), of the function with number which[j]; -Inf is allowed.
using LogValues = std::function<Vector(const Indices& which, const Vector& x)>;

// A part of the line with the logarithms of the function at the nodes of gauss_kronrod().
struct LinePanel {
  double from, to;
  std::array<double, kKronrodNodes> log_values;

  double half() const { return 0.5 * (to - from); }
  double node(int i) const { return from + half() * (1.0 + gauss_kronrod().nodes[i]); }
};

// What is known of one function: panels in ascending order that cover all of its integral, and the
// logarithm of its largest value, -Inf if it vanishes wherever it was looked at.
struct Line {
  std::vector<LinePanel> panels;
  double top, at_top;

  // The sum over panels of the integrals of h(x, log g(x)) g(x) / exp(top).
  template <class H>
  double integral(const H& h) const {
    double sum = 0.0;
    for (const LinePanel& panel : panels)
      for (int i = 0; i < kKronrodNodes; ++i) {
        const double weight = std::exp(panel.log_values[i] - top);
        if (weight > 0.0)
          sum += panel.half() * gauss_kronrod().kronrod[i] * weight *
                 h(panel.node(i), panel.log_values[i]);
      }
    return sum;
  }
};

struct LineOptions {
  double negligible = 45.0;  // exp(-negligible) of the largest value contributes nothing
  // Of the difference of the pair of rules in a panel, as a share of the integral; the rule that is
  // used is usually several digits better.
  double tolerance = 1e-6;
  double growth = 3.0;  // of the distances from a peak at which panels end
};

// Starts from a grid for each function, ascending. Peaks are looked for between the points of a
// grid that are higher than their neighbours, and beyond its ends; panels end at peaks, where the
// function has fallen to 1/e, and at growing distances from there. They are halved until the
// moments of order 0, 1 and 2 are known to the tolerance.
std::vector<Line> integrate_lines(const LogValues& log_values,
                                  const std::vector<std::vector<double>>& grids,
                                  const LineOptions& options = {});

}  // namespace gpsieve

#endif
