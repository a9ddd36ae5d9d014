// The distribution of a response that a likelihood predicts, looped over the registry.
#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "likelihood_helpers.h"

using namespace gpsieve;
using namespace likelihood_helpers;

TEST(binary_probabilities_sum_to_one) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>&) {
    if (likelihood.response() != Response::binary) {
      CHECK_THROWS(likelihood.log_probability(0.0, 1.0), InvalidSpec);
      return;
    }
    for (double mu : kMeans)
      for (double var : kVariances) {
        const double plus = std::exp(likelihood.tilted(1.0, mu, var).log_z);
        const double minus = std::exp(likelihood.tilted(-1.0, mu, var).log_z);
        CHECK_NEAR(plus + minus, 1.0, 1e-12);
        CHECK_NEAR(likelihood.log_probability(mu, var), std::log(plus), 1e-14);
        CHECK_NEAR(likelihood.predict(mu, var).mean, plus, 1e-14);
        CHECK_NEAR(likelihood.predict(mu, var).variance, plus * minus, 1e-14);
      }
    CHECK_THROWS(likelihood.cdf(0.0, 0.0, 1.0), InvalidSpec);
    CHECK_THROWS(likelihood.quantile(0.5, 0.0, 1.0), InvalidSpec);
  });
}

TEST(predictive_distribution_agrees_with_its_density) {
  for_each_representative([](const Likelihood& likelihood, const Representative& of) {
    if (likelihood.response() == Response::binary) return;
    // The defaults integrate over the whole line, on which a density may not be smooth.
    const bool line = of.least < 0.0 || likelihood.response() == Response::count;
    for (double mu : {-1.0, 2.0})
      for (double var : {0.0, 0.04, 1.5}) {
        const double infinity = std::numeric_limits<double>::infinity();
        CHECK_NEAR(likelihood.cdf(infinity, mu, var), 1.0, 1e-13);
        CHECK_NEAR(likelihood.cdf(-infinity, mu, var), 0.0, 1e-13);
        // Sums over the heavy tail of such counts, by quadrature, would take minutes.
        const bool heavy =
            likelihood.response() == Response::count && of.largest > 1e3 && var > 1.0;
        if (!line || (heavy && likelihood.n_params() > 0)) continue;
        CHECK_NEAR(likelihood.Likelihood::cdf(infinity, mu, var), 1.0, 1e-9);
        for (double y : {-2.0, 0.0, 1.0, 4.0}) {
          const double override = likelihood.cdf(y, mu, var);
          CHECK_NEAR(override, likelihood.Likelihood::cdf(y, mu, var), 1e-9);
        }
        const Predicted exact = likelihood.predict(mu, var);
        const Predicted numeric = likelihood.Likelihood::predict(mu, var);
        const double scale = std::max(1.0, exact.mean);
        CHECK_NEAR(numeric.mean, exact.mean, 1e-6 * scale);
        CHECK_NEAR(numeric.variance, exact.variance, 1e-5 * scale * scale);
      }
  });
}

// Over t = log y or logit y, by the trapezoidal rule.
TEST(predictive_moments_of_bounded_responses_are_integrals) {
  for_each_representative([](const Likelihood& likelihood, const Representative& of) {
    if (likelihood.response() != Response::real || of.least < 0.0) return;
    const bool unit = of.largest == 1.0;
    for (double mu : {-1.0, 1.0})
      for (double var : {0.0, 0.04, 1.0}) {
        const double h = 0.01;
        double mass = 0.0, first = 0.0, second = 0.0, below = 0.0;
        for (double t = -60.0; t < 30.0; t += h) {
          const double y = unit ? 1.0 / (1.0 + std::exp(-t)) : std::exp(t);
          if (!(y > 0.0) || (unit && !(y < 1.0))) continue;
          const double slope = unit ? y / (1.0 + std::exp(t)) : y;
          const double weight = h * slope * std::exp(likelihood.tilted(y, mu, var).log_z);
          mass += weight;
          first += weight * y;
          second += weight * y * y;
          if (t < -0.2 - 1e-9) below += weight;
          if (std::abs(t + 0.2) < 1e-9) below += 0.5 * weight;
        }
        const Predicted p = likelihood.predict(mu, var);
        // Doubles end before a density that is large near 1 does.
        if (unit && mass < 1.0 - 1e-6) continue;
        CHECK_NEAR(mass, 1.0, 1e-6);
        CHECK_NEAR(first, p.mean, 1e-6 * std::max(1.0, p.mean));
        CHECK_NEAR(second - first * first, p.variance, 1e-5 * std::max(1.0, p.variance));
        const double y = unit ? 1.0 / (1.0 + std::exp(0.2)) : std::exp(-0.2);
        CHECK_NEAR(below, likelihood.cdf(y, mu, var), 2e-4);
      }
  });
}

TEST(predictive_density_is_the_slope_of_the_cdf) {
  for_each_representative([](const Likelihood& likelihood, const Representative& of) {
    if (likelihood.response() != Response::real) return;
    for (Observed y : of.responses)
      for (double mu : {-1.0, 2.0})
        for (double var : {0.04, 1.5}) {
          if (y.first < y.second) continue;  // an interval has a probability
          const double h = 1e-4 * std::min(1.0, std::abs(y)) + (of.least < 0.0 ? 1e-4 : 0.0);
          const double slope =
              (likelihood.cdf(y + h, mu, var) - likelihood.cdf(y - h, mu, var)) / (2.0 * h);
          const double density = std::exp(likelihood.tilted(y, mu, var).log_z);
          CHECK_NEAR(slope, density, 1e-5 * std::max(1.0, density));
        }
  });
}

TEST(predictive_quantile_inverts_the_cdf) {
  for_each_representative([](const Likelihood& likelihood, const Representative& of) {
    if (likelihood.response() == Response::binary) return;
    const bool count = likelihood.response() == Response::count;
    for (double mu : {-1.0, 0.0, 4.0})
      for (double var : {0.0, 1e-6, 0.04, 1.5, 30.0})
        for (double p : {1e-6, 0.05, 0.5, 0.75, 0.999}) {
          const double y = likelihood.quantile(p, mu, var);
          CHECK(y >= of.least && y <= of.largest);
          if (count) {
            CHECK(y >= 0.0 && y == std::floor(y));
            CHECK(likelihood.cdf(y, mu, var) >= p);
            CHECK(y == 0.0 || y > 1e15 || likelihood.cdf(y - 1.0, mu, var) < p);
          } else {
            // Neighbouring doubles on both sides: near 0 and 1 the distribution function of a beta
            // response changes much between them.
            const double gap = std::max(1e-12 * std::abs(y), 1e-300);
            const double below = y - gap, above = y + gap;
            if (of.largest > 1.0) CHECK_NEAR(likelihood.cdf(y, mu, var), p, 1e-9);
            CHECK(likelihood.cdf(below, mu, var) <= p + 1e-9);
            CHECK(likelihood.cdf(above, mu, var) >= p - 1e-9);
          }
        }
    const double most = likelihood.quantile(1.0, 0.0, 1.0);
    CHECK(most <= of.largest && (std::isinf(most) == std::isinf(of.largest)));
    CHECK(likelihood.quantile(0.0, 0.0, 1.0) == of.least);
    CHECK_THROWS(likelihood.quantile(1.5, 0.0, 1.0), InvalidSpec);
  });
}
