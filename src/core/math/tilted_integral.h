// The integral of a likelihood and a Gaussian, which every method of approximate inference needs.
#ifndef GPSIEVE_MATH_TILTED_INTEGRAL_H
#define GPSIEVE_MATH_TILTED_INTEGRAL_H

#include <functional>

namespace gpsieve {

// A function's value and first two derivatives at a point.
struct Jet {
  double value, first, second;
};

struct LogDensity {
  std::function<Jet(double f)> at;  // log p(y | f); -Inf is allowed
  bool concave;                     // in f
  double anchor = 0.0;              // if not concave: where, besides mu, peaks are to be sought
  // If positive: log p rises to one peak and falls from there, and changes over no smaller width.
  double feature = 0.0;
  double tolerance = 1e-11;  // a larger one where the derivatives have errors by rounding
};

// log Z(mu) = log of the integral of p(y | f) N(f | mu, var) df, with d/dmu and d^2/dmu^2.
//
// The trapezoidal rule about the mode, starting at the width that the curvature gives, its step
// halved until value and derivatives agree to the tolerance to the power of 2/3, where the last are
// as exact as the tolerance (the same accuracy takes Gauss-Hermite rules more points, and none can
// be reused). Where that is too slow - several modes, or several scales as in a logistic step of
// width 1 under a Gaussian of width 10^4 - adaptive panels are placed around every mode. All values
// are relative to the value at the mode, so that the result is finite wherever log Z is. With x =
// (f - mu) and expectations under the tilted density the derivatives are
//   E[x] / var,  (Var[x] / var - 1) / var      if the likelihood is narrower than the Gaussian,
//   E[l'],       E[l''] + Var[l']              if it is wider (l = log p): the first form would
// subtract nearly equal numbers and divide by var. var = 0 gives the jet of log p at mu.
// Throws NumericalFailure if mu or var is not finite or if p is zero everywhere.
Jet integrate_tilted(const LogDensity& log_density, double mu, double var);

}  // namespace gpsieve

#endif
