// The laws of a likelihood, looped over the registry: an entry without a representative here fails.
#include <algorithm>
#include <limits>
#include <map>

#include "base/error.h"
#include "check.h"
#include "likelihood/likelihood.h"
#include "math/normal.h"

using namespace gpsieve;

namespace {

struct Representative {
  std::vector<std::map<std::string, std::vector<double>>> values;  // one likelihood each
  std::vector<double> responses;
  std::vector<double> extremes{0.0, 1e6};
  double least = -std::numeric_limits<double>::infinity();  // of all possible responses
  double largest = std::numeric_limits<double>::infinity();
};

// A response that is the j-th interval of a likelihood's table, and one of several trials.
double interval(double j) { return std::ldexp(j + 1.0, 1000); }
double successes(double y, double trials) { return y + std::ldexp(trials, 26); }

const std::map<std::string, Representative>& representatives() {
  static const std::map<std::string, Representative> all{
      {"gaussian", {{{{"variance", {0.3}}}, {{"variance", {25.0}}}}, {-3.0, 0.0, 0.4, 7.0}}},
      {"label_noise",
       {{{{"flip", {0.05}}, {"noise", {1.0}}}, {{"flip", {0.3}}, {"noise", {0.05}}}},
        {-1.0, 1.0},
        {-1.0, 1.0}}},
      {"probit", {{{{"noise", {1.0}}}, {{"noise", {0.05}}}}, {-1.0, 1.0}, {-1.0, 1.0}}},
      {"logit", {{{}}, {-1.0, 1.0}, {-1.0, 1.0}}},
      {"student",
       {{{{"df", {4.0}}, {"scale", {0.5}}},
         {{"df", {1.0}}, {"scale", {0.01}}},
         {{"df", {30.0}}, {"scale", {2.0}}}},
        {-3.0, 0.0, 0.4, 7.0}}},
      {"poisson", {{{}, {{"zero_inflation", {0.3}}}}, {0.0, 1.0, 6.0, 250.0}, {0.0, 1e6}, 0.0}},
      {"negative_binomial",
       {{{{"size", {0.7}}}, {{"size", {50.0}}}, {{"size", {2.0}}, {"zero_inflation", {0.2}}}},
        {0.0, 1.0, 6.0, 250.0},
        {0.0, 1e6},
        0.0}},
      {"binomial",
       {{{{"trials", {1.0}}}, {{"trials", {12.0}}}},
        {0.0, 1.0, successes(3.0, 20.0), successes(0.0, 5.0), successes(900.0, 1000.0)},
        {0.0, 1.0, successes(3e5, 1e6)},
        0.0,
        12.0}},
      {"ordinal",
       {{{{"cuts", {0.0, 1.0, 1.2}}}, {{"cuts", {-3.0, -2.9, 4.0}}}},
        {0.0, 1.0, 2.0, 3.0},
        {0.0, 1.0, 2.0, 3.0},
        0.0,
        3.0}},
      {"gamma",
       {{{{"shape", {0.6}}}, {{"shape", {4.0}}}, {{"shape", {50.0}}}},
        {1e-3, 0.4, 1.0, 7.0},
        {1e-6, 1e6},
        0.0}},
      {"beta",
       {{{{"precision", {0.8}}}, {{"precision", {5.0}}}, {{"precision", {300.0}}}},
        {1e-3, 0.4, 0.97},
        {1e-9, 0.5},
        0.0,
        1.0}},
      {"lognormal", {{{{"variance", {0.3}}}}, {1e-3, 0.4, 1.0, 7.0}, {1e-6, 1e6}, 0.0}},
      {"censored_lognormal",
       {{{{"variance", {0.5}}, {"lower", {0.0, 2.0}}, {"upper", {1.0, 3.0}}}},
        {1e-3, 0.4, 7.0, interval(0.0), interval(1.0)},
        {1e-6, 1e6},
        0.0}},
      {"censored_gaussian",
       {{{{"variance", {0.3}},
          {"lower", {-std::numeric_limits<double>::infinity(), 0.5, 2.0}},
          {"upper", {-1.0, std::numeric_limits<double>::infinity(), 2.01}}}},
        {-3.0, 0.4, interval(0.0), interval(1.0), interval(2.0)},
        {0.0, 1e6, interval(0.0), interval(1.0), interval(2.0)}}},
  };
  return all;
}

template <class Body>
void for_each_likelihood(const Body& body) {
  for (const std::string& type : registered_likelihoods()) {
    const Representative& representative = representatives().at(type);
    for (const auto& values : representative.values)
      body(*make_likelihood({type, values}), representative.responses);
  }
}

// The same with the representative, for laws that need to know what responses are possible.
template <class Body>
void for_each_representative(const Body& body) {
  for (const std::string& type : registered_likelihoods())
    for (const auto& values : representatives().at(type).values)
      body(*make_likelihood({type, values}), representatives().at(type));
}

const std::vector<double> kMeans{-8.0, -2.0, -0.1, 0.0, 0.6, 3.0, 10.0};
const std::vector<double> kVariances{1e-9, 1e-3, 0.2, 1.0, 9.0, 400.0};

// Natural units of d1 and d2, for errors where they nearly vanish.
double unit(const Tilted& t) { return std::sqrt(t.d1 * t.d1 + std::abs(t.d2)); }

void check_same(const Tilted& a, const Tilted& b, double tolerance) {
  CHECK_NEAR(a.log_z, b.log_z, tolerance);
  CHECK(std::abs(a.d1 - b.d1) <= tolerance * (unit(b) + 1e-12));
  CHECK(std::abs(a.d2 - b.d2) <= tolerance * (unit(b) * unit(b) + 1e-12));
}

// A likelihood that overrides the required function only, so that every default is used.
class Minimal final : public Likelihood {
 public:
  Minimal(const Likelihood& full, Response response) : full_(full), response_(response) {}
  Response response() const override { return response_; }
  bool log_concave() const override { return full_.log_concave(); }
  double log_density(double y, double f) const override { return full_.log_density(y, f); }

 private:
  const Likelihood& full_;
  Response response_;
};

}  // namespace

TEST(every_registered_likelihood_has_a_representative) {
  for (const std::string& type : registered_likelihoods())
    CHECK(representatives().count(type) == 1);
  CHECK(representatives().size() == registered_likelihoods().size());
}

TEST(likelihood_override_equals_quadrature) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    for (double y : responses)
      for (double mu : kMeans)
        for (double var : kVariances)
          check_same(likelihood.tilted(y, mu, var), likelihood.Likelihood::tilted(y, mu, var),
                     1e-9);
  });
}

TEST(likelihood_override_equals_quadrature_at_extremes) {
  for_each_representative([](const Likelihood& likelihood, const Representative& of) {
    for (double y : of.extremes)
      for (double mu : {-1e6, -300.0, 0.0, 300.0, 1e6})
        for (double var : {1e-12, 1.0, 1e4, 1e8}) {
          const Tilted t = likelihood.tilted(y, mu, var);
          CHECK(std::isfinite(t.log_z) && std::isfinite(t.d1) && std::isfinite(t.d2));
          CHECK(!likelihood.log_concave() || t.d2 <= 0.0);
          CHECK(t.d2 >= -1.0 / var * (1.0 + 1e-9));
          const bool needle = !likelihood.log_concave() && var == 1e-12;
          // Two levels and a step far narrower than the Gaussian: the default looks for peaks.
          const bool levels = likelihood.response() != Response::real;
          const bool step = levels && !likelihood.log_concave() && var >= 1.0;
          if (!needle && !step) check_same(t, likelihood.Likelihood::tilted(y, mu, var), 1e-8);
        }
  });
}

TEST(likelihood_derivatives_are_differences_of_log_z) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    for (double y : responses)
      for (double mu : kMeans)
        for (double var : {0.2, 1.0, 9.0}) {
          const double h = 1e-4;
          const Tilted t = likelihood.tilted(y, mu, var);
          const Tilted up = likelihood.tilted(y, mu + h, var);
          const Tilted down = likelihood.tilted(y, mu - h, var);
          const double scale = std::max(1.0, unit(t) * unit(t) * unit(t));
          CHECK_NEAR((up.log_z - down.log_z) / (2.0 * h), t.d1, 1e-6 * scale);
          CHECK_NEAR((up.d1 - down.d1) / (2.0 * h), t.d2, 1e-6 * scale * std::max(1.0, unit(t)));
        }
  });
}

TEST(likelihood_var_zero_is_the_density) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    for (double y : responses)
      for (double f : {-2.0, 0.1, 3.0}) {
        const Tilted t = likelihood.tilted(y, f, 0.0);
        CHECK_NEAR(t.log_z, likelihood.log_density(y, f), 1e-13);
        check_same(likelihood.derivatives(y, f), t, 1e-13);
        check_same(t, likelihood.tilted(y, f, 1e-13), 1e-9);
      }
  });
}

TEST(likelihood_derivative_override_equals_differences) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    for (double y : responses)
      for (double f : {-3.0, 0.13, 2.0}) {
        const Tilted exact = likelihood.derivatives(y, f);
        if (unit(exact) > 10.0) continue;  // narrower than the default's step can resolve
        const Tilted differences = likelihood.Likelihood::derivatives(y, f);
        CHECK_NEAR(differences.d1, exact.d1, 1e-7);
        CHECK_NEAR(differences.d2, exact.d2, 1e-5);
      }
  });
}

TEST(likelihood_third_derivative_is_a_difference) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    for (double y : responses)
      for (double f : {-3.0, 0.13, 2.0}) {
        const double u = unit(likelihood.derivatives(y, f));
        const double h = 1e-5 / std::max(1.0, u);
        const double slope =
            (likelihood.derivatives(y, f + h).d2 - likelihood.derivatives(y, f - h).d2) / (2.0 * h);
        CHECK_NEAR(likelihood.third_derivative(y, f), slope, 1e-4 * std::max(1.0, u * u * u));
        if (u <= 10.0) CHECK_NEAR(likelihood.Likelihood::third_derivative(y, f), slope, 1e-4);
      }
  });
}

TEST(likelihood_step_noise_is_that_of_a_step) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    const double noise = likelihood.step_noise();
    if (noise == 0.0) return;
    for (double y : responses)
      for (double f : {-1.0, 0.0, 0.4})
        CHECK_NEAR(std::exp(likelihood.log_density(y, f)), normal::cdf(y * f / std::sqrt(noise)),
                   1e-13);
  });
}

TEST(likelihood_vector_form_equals_scalar_form) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    const Index n = 12;
    Vector y(n), mu(n), var(n), log_z(n), d1(n), d2(n);
    for (Index i = 0; i < n; ++i) {
      y[i] = responses[i % responses.size()];
      mu[i] = kMeans[i % kMeans.size()];
      var[i] = kVariances[i % kVariances.size()];
    }
    likelihood.tilted(y, mu, var, log_z, d1, d2);
    for (Index i = 0; i < n; ++i)
      check_same({log_z[i], d1[i], d2[i]}, likelihood.tilted(y[i], mu[i], var[i]), 1e-14);
  });
}

TEST(likelihood_tilted_gradient_is_a_difference) {
  for (const std::string& type : registered_likelihoods()) {
    const Representative& representative = representatives().at(type);
    for (const auto& values : representative.values) {
      const auto likelihood = make_likelihood({type, values});
      const auto moved = make_likelihood({type, values});
      const Index n = likelihood->n_params();
      CHECK(likelihood->params().size() == n);
      for (double y : representative.responses)
        for (double mu : kMeans)
          for (double var : {0.0, 0.2, 9.0}) {
            Vector gradient(n);
            likelihood->tilted_gradient(y, mu, var, gradient);
            for (Index k = 0; k < n; ++k) {
              const double h = 1e-4;
              Vector theta = likelihood->params();
              theta[k] += h;
              moved->set_params(theta);
              const double up = moved->tilted(y, mu, var).log_z;
              theta[k] -= 2.0 * h;
              moved->set_params(theta);
              const double down = moved->tilted(y, mu, var).log_z;
              CHECK_NEAR(gradient[k], (up - down) / (2.0 * h), 1e-6);
            }
          }
    }
  }
}

TEST(likelihood_params_round_trip) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>&) {
    auto& changed = const_cast<Likelihood&>(likelihood);
    const Vector theta = Vector::Constant(likelihood.n_params(), -0.7);
    changed.set_params(theta);
    CHECK((likelihood.params() - theta).norm() < 1e-14);
  });
}

TEST(binary_probabilities_sum_to_one) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>&) {
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
    for (double y : of.responses)
      for (double mu : {-1.0, 2.0})
        for (double var : {0.04, 1.5}) {
          if (y > 1e300) continue;  // an interval
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

TEST(log_density_alone_is_enough) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<double>& responses) {
    const Minimal minimal(likelihood, likelihood.response());
    for (double y : responses)
      for (double mu : {-2.0, 0.6, 3.0})
        for (double var : {0.5, 4.0}) {
          const Tilted t = minimal.tilted(y, mu, var), full = likelihood.tilted(y, mu, var);
          CHECK_NEAR(t.log_z, full.log_z, 1e-8);
          CHECK(std::abs(t.d1 - full.d1) <= 1e-6 * (1.0 + unit(full)));
          CHECK(std::abs(t.d2 - full.d2) <= 1e-5 * (1.0 + unit(full) * unit(full)));
        }
    CHECK(minimal.n_params() == 0 && minimal.params().size() == 0);
  });
}

TEST(student_cdf_has_closed_forms) {
  const auto cauchy = make_likelihood({"student", {{"df", {1.0}}, {"scale", {2.0}}}});
  const auto two = make_likelihood({"student", {{"df", {2.0}}, {"scale", {1.0}}}});
  for (double y : {-50.0, -1.0, 0.0, 0.3, 8.0}) {
    CHECK_NEAR(cauchy->cdf(y, 0.0, 0.0), 0.5 + std::atan(y / 2.0) / std::acos(-1.0), 1e-14);
    CHECK_NEAR(two->cdf(y, 0.0, 0.0), 0.5 + y / (2.0 * std::sqrt(2.0 + y * y)), 1e-14);
  }
  const auto heavy = make_likelihood({"student", {{"df", {0.05}}, {"scale", {1.0}}}});
  CHECK_NEAR(heavy->cdf(0.0, 0.0, 1.0), 0.5, 1e-13);
  CHECK(std::isinf(two->predict(0.0, 1.0).variance));
}

TEST(student_with_many_degrees_of_freedom_is_gaussian) {
  const auto student = make_likelihood({"student", {{"df", {1e9}}, {"scale", {0.5}}}});
  const auto gaussian = make_likelihood({"gaussian", {{"variance", {0.25}}}});
  for (double y : {-1.0, 0.0, 2.0})
    check_same(student->tilted(y, 0.3, 0.7), gaussian->tilted(y, 0.3, 0.7), 1e-7);
}

TEST(poisson_keeps_its_digits_for_large_counts) {
  const auto poisson = make_likelihood({"poisson", {}});
  // log(y^y e^-y / y!) at y = 10^6, from Stirling's series.
  const double peak = -0.5 * std::log(2.0 * std::acos(-1.0) * 1e6) - 1.0 / 12e6;
  CHECK_NEAR(poisson->log_density(1e6, std::log(1e6)), peak, 1e-14);
  CHECK_NEAR(poisson->cdf(1e6, std::log(1e6), 0.0), 0.5002659613, 1e-9);
  CHECK_NEAR(poisson->cdf(1e12, std::log(1e12), 0.0), 0.5, 1e-6);
  CHECK(std::isfinite(poisson->quantile(0.9, 100.0, 4.0)));
  CHECK(poisson->log_density(1.5, 0.0) == -std::numeric_limits<double>::infinity());
  CHECK_THROWS(poisson->tilted(-1.0, 0.0, 1.0), NumericalFailure);
  // The integral of P(y | f) over f is 1 / y, and for large y its peak at log y is narrow.
  const auto gaussian = make_likelihood({"gaussian", {{"variance", {100.0}}}});
  for (double y : {1e12, 1e14, 1e15}) {
    const double expected = gaussian->log_density(std::log(y), 0.0) - std::log(y);
    CHECK_NEAR(poisson->tilted(y, 0.0, 100.0).log_z, expected, 1e-12);
  }
}

TEST(registry_refuses_what_it_does_not_know) {
  CHECK_THROWS(make_likelihood({"probbit", {}}), InvalidSpec);
  CHECK_THROWS(make_likelihood({"gaussian", {}}), InvalidSpec);
  CHECK_THROWS(make_likelihood({"gaussian", {{"variance", {0.0}}}}), InvalidSpec);
  CHECK_THROWS(make_likelihood({"gaussian", {{"variance", {std::nan("")}}}}), InvalidSpec);
  CHECK_THROWS(make_likelihood({"gaussian", {{"variance", {1.0, 2.0}}}}), InvalidSpec);
  CHECK_THROWS(make_likelihood({"probit", {{"noise", {-1.0}}}}), InvalidSpec);
  CHECK_THROWS(make_likelihood({"student", {{"df", {4.0}}}}), InvalidSpec);
}
