// Roots of increasing functions.
#ifndef GPSIEVE_MATH_ROOT_H
#define GPSIEVE_MATH_ROOT_H

#include <algorithm>
#include <cmath>

#include "math/constants.h"

namespace gpsieve {

// Chandrupatla's (1997) root of an increasing function between a and b, f(a) <= 0 <= f(b).
template <class Function>
double root_between(double a, double b, double fa, double fb, const Function& f) {
  constexpr double kTolerance = 4.0 * kEpsilon;
  constexpr int kMaxSteps = 200;
  double c = a, fc = fa, t = 0.5;
  for (int step = 0; step < kMaxSteps; ++step) {
    const double x = a + t * (b - a);
    const double fx = f(x);
    if ((fx < 0.0) == (fa < 0.0)) {
      c = a;
      fc = fa;
    } else {
      c = b;
      b = a;
      fc = fb;
      fb = fa;
    }
    a = x;
    fa = fx;
    const double best = std::abs(fa) < std::abs(fb) ? a : b;
    const double narrow = kTolerance * std::abs(best) / std::abs(b - a);
    if (fa == 0.0 || narrow > 0.5 || a == b) return best;
    const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    t = 0.5;
    if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)
      t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    t = std::min(std::max(t, narrow), 1.0 - narrow);
  }
  return a;
}

// The root of an increasing function, sought from `start` outwards in steps that double, the first
// of which is `unit`; infinite where there is none.
template <class Function>
double increasing_root(const Function& f, double start, double unit) {
  const double at_start = f(start);
  if (at_start == 0.0) return start;
  const double direction = at_start < 0.0 ? 1.0 : -1.0;
  double inner = start, f_inner = at_start;
  for (double step = unit;; step *= 2.0) {
    const double outer = start + direction * step;
    if (!std::isfinite(outer)) return outer;
    const double f_outer = f(outer);
    if (f_outer * direction >= 0.0)
      return direction > 0.0 ? root_between(inner, outer, f_inner, f_outer, f)
                             : root_between(outer, inner, f_outer, f_inner, f);
    inner = outer;
    f_inner = f_outer;
  }
}

}  // namespace gpsieve

#endif
