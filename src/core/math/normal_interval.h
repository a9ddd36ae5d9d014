// The standard normal distribution on an interval.
#ifndef GPSIEVE_MATH_NORMAL_INTERVAL_H
#define GPSIEVE_MATH_NORMAL_INTERVAL_H

namespace gpsieve::normal {

// With z standard normal and Z = P(a < z < b): log Z, the mean of z given that it lies there, its
// variance there minus 1, and the densities at both ends divided by Z. They are the derivatives
//   d log Z / d shift = mean,  d^2 log Z / d shift^2 = excess
// by a shift of the distribution, and d log Z / d b = upper, d log Z / d a = -lower.
struct Interval {
  double log_mass, mean, excess, lower, upper;
};

// a < b, either of which may be infinite. Relative errors are small also where Z underflows, and
// for intervals of any width.
Interval interval(double a, double b);

}  // namespace gpsieve::normal

#endif
