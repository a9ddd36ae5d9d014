// Mathematical constants, each rounded to the nearest double.
#ifndef GPSIEVE_MATH_CONSTANTS_H
#define GPSIEVE_MATH_CONSTANTS_H

#include <limits>

namespace gpsieve {

inline constexpr double kPi = 3.141592653589793238462643383280;
inline constexpr double kTwoPi = 6.283185307179586476925286766559;
inline constexpr double kSqrt2 = 1.414213562373095048801688724210;
inline constexpr double kSqrt2Pi = 2.506628274631000502415765284811;
inline constexpr double kInvSqrt2Pi = 0.398942280401432677939946059934;
inline constexpr double kLogSqrt2Pi = 0.918938533204672741780329736406;
inline constexpr double kLogTwoPi = 1.837877066409345483560659472811;

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kEpsilon = std::numeric_limits<double>::epsilon();

}  // namespace gpsieve

#endif
