// Incomplete gamma and beta functions, digamma and trigamma, and normal intervals.
#include <cmath>

#include "check.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/incomplete.h"
#include "math/normal.h"
#include "math/normal_interval.h"

using namespace gpsieve;

TEST(digamma_and_trigamma_are_derivatives) {
  CHECK_NEAR(digamma(1.0), -0.57721566490153286, 1e-15);
  CHECK_NEAR(trigamma(1.0), kPi * kPi / 6.0, 1e-14);
  for (double x : {1e-3, 0.4, 3.0, 15.9, 16.1, 1e4}) {
    const double h = 1e-4 * x;
    CHECK_NEAR((log_gamma(x + h) - log_gamma(x - h)) / (2.0 * h), digamma(x),
               1e-6 * (1.0 + std::abs(digamma(x))));
    CHECK_NEAR((digamma(x + h) - digamma(x - h)) / (2.0 * h), trigamma(x),
               1e-6 * (1.0 + trigamma(x)));
    CHECK_NEAR(digamma(x + 1.0) - digamma(x), 1.0 / x, 1e-14 * (10.0 + 1.0 / x));
    const LogGammaJet jet = log_gamma_jet(x);
    CHECK(jet.value == log_gamma(x));
    CHECK_NEAR(jet.first, digamma(x), 1e-15 * (10.0 + std::abs(digamma(x))));
    CHECK_NEAR(jet.second, trigamma(x), 1e-15 * (10.0 + trigamma(x)));
  }
}

TEST(gamma_cdf_has_closed_forms) {
  for (double x : {1e-5, 0.3, 1.0, 4.0, 40.0}) {
    CHECK_NEAR(gamma_cdf(x, 1.0), -std::expm1(-x), 1e-14);
    CHECK_NEAR(gamma_cdf(x, 0.5), 2.0 * normal::cdf(std::sqrt(2.0 * x)) - 1.0, 1e-14);
    CHECK_NEAR(gamma_cdf(x, 3.0), 1.0 - std::exp(-x) * (1.0 + x + 0.5 * x * x), 1e-14);
  }
  for (double shape : {0.05, 2.5, 30.0, 1e4, 1e7}) {
    // P(a + 1, x) = P(a, x) - x^a exp(-x) / Gamma(a + 1), on both sides of where the methods change
    for (double ratio : {0.5, 0.99, 1.0, 1.01, 2.0}) {
      const double x = ratio * shape;
      const double term = std::exp(-shape * exp_minus_linear(std::log(ratio)) -
                                   0.5 * std::log(shape) - kLogSqrt2Pi - stirling_error(shape));
      CHECK_NEAR(gamma_cdf(x, shape + 1.0), gamma_cdf(x, shape) - term, 1e-12);
    }
  }
  CHECK(gamma_cdf(0.0, 2.0) == 0.0 && gamma_cdf(kInfinity, 2.0) == 1.0);
  for (double x : {1e5, 1e200, 1e307, 1.7e308}) CHECK(gamma_cdf(x, 0.05) == 1.0);
  CHECK_NEAR(gamma_cdf(1.0001e12, 1e12), 1.0, 1e-9);
}

TEST(beta_cdf_has_closed_forms) {
  for (double x : {1e-6, 0.2, 0.5, 0.9}) {
    CHECK_NEAR(beta_cdf(x, 1.0 - x, 1.0, 3.0), 1.0 - std::pow(1.0 - x, 3.0), 1e-14);
    CHECK_NEAR(beta_cdf(x, 1.0 - x, 2.5, 1.0), std::pow(x, 2.5), 1e-14);
    CHECK_NEAR(beta_cdf(x, 1.0 - x, 0.5, 0.5), 2.0 / kPi * std::asin(std::sqrt(x)), 1e-13);
    for (double a : {0.01, 3.0, 500.0})
      for (double b : {0.2, 40.0, 1e5}) {
        CHECK_NEAR(beta_cdf(x, 1.0 - x, a, b) + beta_cdf(1.0 - x, x, b, a), 1.0, 1e-12);
      }
  }
  // The sum of the probabilities of 0, ..., 3 successes among 10.
  double sum = 0.0, choose = 1.0;
  for (int k = 0; k < 4; ++k) {
    sum += choose * std::pow(0.3, k) * std::pow(0.7, 10 - k);
    choose *= (10.0 - k) / (k + 1.0);
  }
  CHECK_NEAR(beta_cdf(0.7, 0.3, 7.0, 4.0), sum, 1e-14);
  CHECK(beta_cdf(0.0, 1.0, 2.0, 2.0) == 0.0 && beta_cdf(1.0, 0.0, 2.0, 2.0) == 1.0);
  // Of a large b, b X is a gamma variable but for terms of the order of 1 / b.
  for (double a : {0.05, 0.7, 8.0})
    for (double b : {1e9, 1e12, 1e15})
      for (double z : {0.01, 0.5, 3.0, 12.0}) {
        CHECK_NEAR(beta_cdf(z / b, 1.0 - z / b, a, b), gamma_cdf(z, a), 1e-12 + 100.0 / b);
      }
}

TEST(normal_interval_with_an_infinite_end_is_a_site) {
  for (double z : {-1e6, -40.0, -1.0, 0.0, 2.0, 30.0}) {
    const normal::Site s = normal::site(z);
    const normal::Interval below = normal::interval(-kInfinity, z);
    CHECK(below.log_mass == s.log_cdf && below.mean == -s.r && below.excess == -s.q);
    const normal::Interval above = normal::interval(-z, kInfinity);
    CHECK(above.log_mass == s.log_cdf && above.mean == s.r && above.excess == -s.q);
  }
}

TEST(normal_interval_is_the_derivative_of_its_mass) {
  for (double a : {-30.0, -3.0, -0.5, 0.0, 1.0, 12.0})
    for (double width : {1e-3, 0.1, 1.0, 4.0, 40.0}) {
      const double b = a + width, h = 1e-4 * std::min(1.0, width);
      const normal::Interval i = normal::interval(a, b);
      const auto log_mass = [](double low, double high) {
        return normal::interval(low, high).log_mass;
      };
      const auto mean = [](double low, double high) { return normal::interval(low, high).mean; };
      // A shift of the distribution to the right moves both ends to the left.
      const double scale = 1.0 + std::abs(a);
      CHECK_NEAR((log_mass(a - h, b - h) - log_mass(a + h, b + h)) / (2.0 * h), i.mean,
                 1e-6 * scale);
      CHECK_NEAR((mean(a - h, b - h) - mean(a + h, b + h)) / (2.0 * h), i.excess, 1e-5 * scale);
      CHECK_NEAR((log_mass(a, b + h) - log_mass(a, b - h)) / (2.0 * h), i.upper,
                 1e-5 * (scale + i.upper));
      CHECK_NEAR(-(log_mass(a + h, b) - log_mass(a - h, b)) / (2.0 * h), i.lower,
                 1e-5 * (scale + i.lower));
      CHECK(i.excess <= 0.0 && i.excess >= -1.0);
      CHECK(i.mean >= a - 1e-12 * scale && i.mean <= b + 1e-12 * scale);
    }
}

TEST(normal_interval_is_continuous_where_its_methods_change) {
  for (double b : {-8.0, -2.0, -1.0, 0.3})
    for (double width = 0.01; width < 30.0; width *= 1.003) {
      const normal::Interval now = normal::interval(b - width, b);
      const normal::Interval next = normal::interval(b - width * 1.003, b);
      CHECK(next.log_mass >= now.log_mass - 1e-12);
      CHECK(next.excess >= now.excess - 1e-9);
      CHECK(next.mean <= now.mean + 1e-9 * (1.0 + std::abs(b)));
    }
}

TEST(large_parameters_cost_no_digits) {
  // Where the integrals take over from series and fractions, and far beyond.
  for (double z : {-5.0, -1.0, 0.0, 0.3, 4.0}) {
    const double a = kManyCounts, x = a + z * std::sqrt(a);
    CHECK_NEAR(gamma_cdf(x, a * (1.0 - 1e-14)), gamma_cdf(x, a), 1e-12);
    CHECK_NEAR(gamma_cdf(x, a) + large_gamma_survival(x, a), 1.0, 1e-14);
    const double p = 0.4 + z * 0.005;
    CHECK_NEAR(beta_cdf(p, 1.0 - p, a * (1.0 - 1e-14), 1.5 * a), beta_cdf(p, 1.0 - p, a, 1.5 * a),
               1e-12);
  }
  // The log-odds with their maximum at log(a / b).
  for (double d : {-40.0, -2.0, -1e-3, 0.0, 1e-3, 2.0, 40.0}) {
    const double a = 3.0, b = 11.0, l = std::log(a / b);
    const double expected =
        a * d - (a + b) * (std::log1p(std::exp(l + d)) - std::log1p(std::exp(l)));
    CHECK_NEAR(log_odds_below_peak(a, b, d), expected, 1e-12 * (1.0 + std::abs(expected)));
    CHECK_NEAR(log_odds_below_peak(b, a, -d), expected, 1e-12 * (1.0 + std::abs(expected)));
  }
}
