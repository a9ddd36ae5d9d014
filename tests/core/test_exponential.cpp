#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "isa_helpers.h"
#include "simd/profiles.h"

using namespace gpsieve;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

// scale exp(x) for x <= 0, as the covariance of points at the squared distance -2 x.
std::vector<double> exp_of(const std::vector<double>& x, double scale = 1.0) {
  std::vector<double> r2(x.size()), y(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) r2[i] = -2.0 * x[i];
  profile_rbf(r2.data(), y.data(), static_cast<Index>(x.size()), scale);
  return y;
}

// high + low, an unevaluated sum: about 32 digits whatever long double is (valgrind's has 16).
struct TwoDoubles {
  double high, low;
};

TwoDoubles normalised(double high, double low) {
  const double sum = high + low;
  return {sum, low - (sum - high)};
}

TwoDoubles plus(TwoDoubles a, double b) {
  const double sum = a.high + b, part = sum - a.high;
  return normalised(sum, (a.high - (sum - part)) + (b - part) + a.low);
}

TwoDoubles times(TwoDoubles a, TwoDoubles b) {
  const double product = a.high * b.high;
  return normalised(product,
                    std::fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high));
}

// exp(x) = 2^k e: e near 1 by a Taylor series at a sixteenth of the remainder, squared four times.
TwoDoubles reduced_exp(double x, int& k) {
  const TwoDoubles log_two{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
  k = static_cast<int>(std::nearbyint(x / log_two.high));
  const TwoDoubles multiple = times(log_two, {static_cast<double>(k), 0.0});
  TwoDoubles r = plus({-multiple.high, -multiple.low}, x);
  r = {r.high / 16.0, r.low / 16.0};
  TwoDoubles e{1.0, 0.0};
  for (int n = 18; n >= 1; --n) {
    const double inverse = 1.0 / n;
    const TwoDoubles reciprocal{inverse, std::fma(-inverse, n, 1.0) / n};
    e = plus(times(times(e, r), reciprocal), 1.0);
  }
  for (int i = 0; i < 4; ++i) e = times(e, e);
  return e;
}

// Distance of y from exp(x) in units of the last place of exp(x).
double error_in_ulps(double y, double x) {
  int k = 0;
  const TwoDoubles truth = reduced_exp(x, k);
  const double scaled = std::ldexp(y, -k);  // exact, also where y is denormal
  const double ulp =
      std::max(std::nextafter(truth.high, kInf) - truth.high, std::ldexp(1.0, -1074 - k));
  return std::abs((scaled - truth.high) - truth.low) / ulp;
}

}  // namespace

TEST(the_reference_for_exp_has_more_digits_than_a_double) {
  // e and 1 / e to 32 digits, as two doubles.
  for (const auto& [x, high, low] :
       {std::tuple(1.0, 0x1.5bf0a8b145769p+1, 0x1.4d57ee2b1013ap-53),
        std::tuple(-1.0, 0x1.78b56362cef38p-2, -0x1.ca8a4270fadf5p-57)}) {
    int k = 0;
    const TwoDoubles e = reduced_exp(x, k);
    CHECK(std::ldexp(e.high, k) == high);
    CHECK(std::abs(std::ldexp(e.low, k) - low) <= 1e-30);
  }
}

TEST(exp_is_within_two_ulps) {
  for (const auto& x : {sweep(-745.13, 0.0, 100001), sweep(-1.0, 0.0, 25001),
                        sweep(-1e-8, 0.0, 501), sweep(-745.13, -707.0, 20001)})
    for_each_isa([&](Isa isa) {
      const double worst = isa == Isa::portable ? 2.0 : 1.0;
      const auto y = exp_of(x);
      for (std::size_t i = 0; i < x.size(); ++i)
        if (!(error_in_ulps(y[i], x[i]) <= worst))
          check::fail(__FILE__, __LINE__, "exp(" + std::to_string(x[i]) + ")");
    });
}

TEST(exp_of_special_values) {
  for_each_isa([](Isa) {
    const double smallest = 5e-324, largest = std::numeric_limits<double>::max();
    const auto y =
        exp_of({0.0, -0.0, -smallest, -kInf, -745.2, -1e300, -largest, kNaN, -kNaN, -745.13});
    for (int i : {0, 1, 2}) CHECK(same_bits(y[i], 1.0));
    for (int i : {3, 4, 5, 6}) CHECK(same_bits(y[i], 0.0));
    for (int i : {7, 8}) CHECK(std::isnan(y[i]));
    CHECK(y[9] == smallest);
  });
}

TEST(exp_does_not_depend_on_position_or_neighbours) {
  for_each_isa([](Isa) {
    Rng rng(1);
    for (int trial = 0; trial < 200; ++trial) {
      std::vector<double> x(1 + rng.below(40));
      for (double& value : x) {
        value = -50.0 * rng.uniform();
        if (rng.below(10) == 0) value *= 15.0;
        if (rng.below(20) == 0) value = kNaN;
      }
      const auto y = exp_of(x, 1.7);
      for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(std::isnan(x[i]) ? std::isnan(y[i]) : same_bits(y[i], exp_of({x[i]}, 1.7)[0]));
      auto in_place = x;
      for (double& value : in_place) value *= -2.0;
      profile_rbf(in_place.data(), in_place.data(), static_cast<Index>(x.size()), 1.7);
      for (std::size_t i = 0; i < x.size(); ++i)
        CHECK(std::isnan(x[i]) || same_bits(in_place[i], y[i]));
    }
  });
}

TEST(exp_writes_nothing_beyond_the_end) {
  for_each_isa([](Isa) {
    for (Index n = 0; n < 20; ++n) {
      std::vector<double> r2(32, 2.0), y(32, 7.0);
      profile_rbf(r2.data(), y.data(), n, 1.0);
      for (Index i = 0; i < 32; ++i) CHECK((y[i] == 7.0) == (i >= n));
    }
  });
}
