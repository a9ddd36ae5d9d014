// Quadrature against closed forms, and the tilted integral against a fine long double rule.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "check.h"
#include "math/constants.h"
#include "math/line_integrals.h"
#include "math/normal.h"
#include "math/quadrature.h"
#include "math/tilted_integral.h"

using namespace gpsieve;

namespace {

using Long = long double;

Jet logit(double f) {
  const double e = std::exp(-std::abs(f));
  return {std::min(f, 0.0) - std::log1p(e), (f >= 0.0 ? e : 1.0) / (1.0 + e),
          -e / ((1.0 + e) * (1.0 + e))};
}
Jet probit(double f) {
  const normal::Site s = normal::site(f);
  return {s.log_cdf, s.r, -s.q};
}

// Trapezoidal rule in long double on twelve standard deviations, for logistic likelihoods.
Jet fine_logit(Long mu, Long var) {
  const Long sd = std::sqrt(var), step = std::min(sd / 20, Long(0.05));
  Long mass = 0, total = 0, first = 0, second = 0;
  for (Long x = -12 * sd; x <= 12 * sd; x += step) {
    const Long gauss = std::exp(-x * x / (2 * var));
    const Long p = gauss / (1 + std::exp(-(mu + x)));
    total += gauss;
    mass += p;
    first += p * x;
    second += p * x * x;
  }
  const Long mean = first / mass;
  return {static_cast<double>(std::log(mass / total)), static_cast<double>(mean / var),
          static_cast<double>(((second / mass - mean * mean) / var - 1) / var)};
}

}  // namespace

TEST(gauss_hermite_integrates_polynomials) {
  for (Index order : {1, 2, 5, 20, 32, 48, 101, 300}) {
    const GaussHermite rule = gauss_hermite(order);
    CHECK(rule.nodes.size() == order);
    CHECK_NEAR(rule.weights.sum(), 1.0, 1e-14);
    double moment = 1.0;  // E x^2k = (2k - 1)!!
    for (Index power = 2; power < std::min<Index>(2 * order, 60); power += 2) {
      moment *= static_cast<double>(power - 1);
      const double sum = (rule.weights.array() * rule.nodes.array().pow(power)).sum();
      CHECK_NEAR(sum / moment, 1.0, 1e-12);
    }
    for (Index i = 0; i < order; ++i) {
      CHECK_NEAR(rule.nodes[i], -rule.nodes[order - 1 - i], 1e-14);
      CHECK(rule.line_weights[i] > 0.0 && std::isfinite(rule.line_weights[i]));
      CHECK(i == 0 || rule.nodes[i] > rule.nodes[i - 1]);
    }
  }
  CHECK_THROWS(gauss_hermite(0), InvalidSpec);
  CHECK(&gauss_hermite_table<32>() == &gauss_hermite_table<32>());
}

TEST(gauss_hermite_line_weights_integrate_functions) {
  const GaussHermite& rule = gauss_hermite_table<32>();
  const double sum = (rule.line_weights.array() * (-rule.nodes.array().square() / 3.0).exp()).sum();
  CHECK_NEAR(sum, std::sqrt(3.0 * std::acos(-1.0)), 1e-8);
}

TEST(panels_integrate_across_scales) {
  const Integrands integrands = [](double x, double* out) {
    out[0] = 1.0 / (1.0 + std::exp(-x));
    out[1] = 1e-6 / (x * x + 1e-12);
  };
  double out[kMaxIntegrands];
  integrate_panels(integrands, 2, {-100.0, 17.0, 1e6}, 1e-12, out);
  CHECK_NEAR(out[0], 1e6, 1e-14);
  CHECK_NEAR(out[1], std::atan(1e8) + std::atan(1e12), 1e-12);
  integrate_panels(integrands, 2, {3.0}, 1e-12, out);
  CHECK(out[0] == 0.0);
}

TEST(panels_stop_on_noise) {
  long evaluations = 0;
  const Integrands noise = [&](double x, double* out) {
    ++evaluations;
    out[0] = 1.0 + 1e-6 * std::sin(1e15 * x);
  };
  double out[kMaxIntegrands];
  integrate_panels(noise, 1, {0.0, 1.0}, 1e-12, out);
  CHECK_NEAR(out[0], 1.0, 1e-5);
  CHECK(evaluations < 100000);
}

TEST(tilted_integral_of_a_probit_is_closed_form) {
  const LogDensity density{probit, true};
  for (double var : {1e-12, 1e-4, 1.0, 30.0, 1e3, 1e8})
    for (double mu : {-1e6, -300.0, -4.0, 0.0, 0.3, 5.0, 100.0, 1e6}) {
      const Jet z = integrate_tilted(density, mu, var);
      const double c = 1.0 + var;
      const normal::Site s = normal::site(mu / std::sqrt(c));
      const double r = s.r / std::sqrt(c), q = s.q / c;
      CHECK_NEAR(z.value, s.log_cdf, 1e-11);
      if (q < 1e-30) continue;  // the share of a tail that is cut off
      CHECK(std::abs(z.first - r) <= 1e-10 * (r + std::sqrt(q)));
      CHECK(std::abs(z.second + q) <= 1e-10 * (r * r + q));
    }
}

TEST(tilted_integral_of_a_logit_matches_a_fine_rule) {
  const LogDensity density{logit, true};
  for (double var : {1e-4, 0.1, 1.0, 10.0, 1e3, 1e5})
    for (double mu : {-40.0, -3.0, 0.0, 1.0, 12.0, 60.0}) {
      const Jet z = integrate_tilted(density, mu, var), truth = fine_logit(mu, var);
      CHECK_NEAR(z.value, truth.value, 1e-12);
      CHECK_NEAR(z.first * std::sqrt(var), truth.first * std::sqrt(var), 1e-12);
      CHECK_NEAR(z.second * var, truth.second * var, 1e-11);
    }
}

TEST(tilted_integral_keeps_a_step_under_a_wide_gaussian) {
  // Z = Phi(t) + pi^2 / 6 * mu phi(t) / sd^3 + ..., t = mu / sd, by moments of step - logistic;
  // the round numbers put the step on a panel's boundary.
  const double sd = 1e4;
  const double shift = std::acos(-1.0) * std::acos(-1.0) / 6.0;
  for (double mu : {3e4, -30.0, -3.0, 1e3}) {
    const double t = mu / sd;
    const double correction = -shift * t * std::exp(normal::log_pdf(t)) / (sd * sd);
    const Jet z = integrate_tilted({logit, true}, mu, sd * sd);
    CHECK_NEAR(z.value, std::log(normal::cdf(t) + correction), 1e-14);
  }
}

TEST(tilted_integral_finds_both_modes) {
  // A needle and a plateau: p = 1e-3 + exp(-(f - 6)^2 / (2 w^2)); the integral is a sum of two.
  for (double w : {1e-6, 1e-3, 0.1}) {
    const LogDensity density{
        [w](double f) {
          const double t = (f - 6.0) / w;
          const double needle = std::exp(-0.5 * t * t);
          const double p = 1e-3 + needle;
          const double slope = -needle * t / w / p;
          return Jet{std::log(p), slope, needle * (t * t - 1.0) / (w * w) / p - slope * slope};
        },
        false, 6.0};
    const Jet z = integrate_tilted(density, 0.0, 1.0);
    const double c = 1.0 + w * w;
    const double share = w / std::sqrt(c) * std::exp(-18.0 / c);
    const double total = 1e-3 + share;
    CHECK_NEAR(z.value, std::log(total), 1e-10);
    CHECK_NEAR(z.first, share * 6.0 / c / total, 1e-9);
  }
}

TEST(tilted_integral_without_variance_is_the_likelihood) {
  const Jet z = integrate_tilted({logit, true}, 0.7, 0.0), direct = logit(0.7);
  CHECK(z.value == direct.value && z.first == direct.first && z.second == direct.second);
}

TEST(tilted_integral_refuses_invalid_arguments) {
  CHECK_THROWS(integrate_tilted({logit, true}, std::nan(""), 1.0), NumericalFailure);
  CHECK_THROWS(integrate_tilted({logit, true}, 0.0, -1.0), NumericalFailure);
  const LogDensity nowhere{[](double) {
                             return Jet{-std::numeric_limits<double>::infinity(), 0.0, 0.0};
                           },
                           true};
  CHECK_THROWS(integrate_tilted(nowhere, 0.0, 1.0), NumericalFailure);
}

TEST(lines_are_integrated_together_whatever_their_scales) {
  // A narrow peak beside a wide one, a heavy tail, an edge, and nothing at all.
  const LogValues log_values = [](const Indices& which, const Vector& x) {
    Vector out(x.size());
    for (Index j = 0; j < x.size(); ++j) {
      const double narrow = (x[j] - 3.0) / 1e-3;
      switch (which[j]) {
        case 0:
          out[j] = std::log(std::exp(-0.5 * x[j] * x[j]) + std::exp(-0.5 * narrow * narrow));
          break;
        case 1:
          out[j] = -3.0 * std::log1p(x[j] * x[j]);
          break;
        case 2:
          out[j] = x[j] < 0.0 ? -kInfinity : -x[j];
          break;
        default:
          out[j] = -kInfinity;
      }
    }
    return out;
  };
  const std::vector<double> grid{-4.0, -1.0, 0.5, 2.0, 3.0, 5.0};
  const std::vector<Line> lines = integrate_lines(log_values, {grid, grid, grid, grid});
  const auto integral = [&](std::size_t line) {
    return std::exp(lines[line].top) * lines[line].integral([](double, double) { return 1.0; });
  };
  CHECK_NEAR(integral(0), std::sqrt(2.0 * kPi) * (1.0 + 1e-3), 1e-8);
  CHECK_NEAR(integral(1), 3.0 * kPi / 8.0, 1e-8);
  CHECK_NEAR(integral(2), 1.0, 1e-8);
  CHECK(lines[3].panels.empty() && lines[3].top == -kInfinity);
}
