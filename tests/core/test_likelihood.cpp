// The laws of a likelihood, looped over the registry: an entry without a representative fails.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "likelihood_helpers.h"
#include "math/normal.h"

using namespace gpsieve;
using namespace likelihood_helpers;

namespace {

// A likelihood that overrides the required function only, so that every default is used.
class Minimal final : public Likelihood {
 public:
  Minimal(const Likelihood& full, Response response) : full_(full), response_(response) {}
  Response response() const override { return response_; }
  bool log_concave() const override { return full_.log_concave(); }
  double log_density(Observed y, double f) const override { return full_.log_density(y, f); }

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
  for_each_smooth_likelihood(
      [](const Likelihood& likelihood, const std::vector<Observed>& responses) {
        for (Observed y : responses)
          for (double mu : kMeans)
            for (double var : kVariances)
              check_same(likelihood.tilted(y, mu, var), likelihood.Likelihood::tilted(y, mu, var),
                         1e-9);
      });
}

TEST(likelihood_override_equals_quadrature_at_extremes) {
  for_each_representative([](const Likelihood& likelihood, const Representative& of) {
    for (Observed y : of.extremes)
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
          if (of.smooth && !needle && !step)
            check_same(t, likelihood.Likelihood::tilted(y, mu, var), 1e-8);
        }
  });
}

TEST(likelihood_derivatives_are_differences_of_log_z) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>& responses) {
    for (Observed y : responses)
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
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>& responses) {
    for (Observed y : responses)
      for (double f : {-2.0, 0.1, 3.0}) {
        const Tilted t = likelihood.tilted(y, f, 0.0);
        CHECK_NEAR(t.log_z, likelihood.log_density(y, f), 1e-13);
        check_same(likelihood.derivatives(y, f), t, 1e-13);
        check_same(t, likelihood.tilted(y, f, 1e-13), 1e-9);
      }
  });
}

TEST(likelihood_derivative_override_equals_differences) {
  for_each_smooth_likelihood(
      [](const Likelihood& likelihood, const std::vector<Observed>& responses) {
        for (Observed y : responses)
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
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>& responses) {
    for (Observed y : responses)
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
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>& responses) {
    const double noise = likelihood.step_noise();
    if (noise == 0.0) return;
    for (Observed y : responses)
      for (double f : {-1.0, 0.0, 0.4})
        CHECK_NEAR(std::exp(likelihood.log_density(y, f)), normal::cdf(y * f / std::sqrt(noise)),
                   1e-13);
  });
}

TEST(likelihood_vector_form_equals_scalar_form) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>& responses) {
    const Index n = 12;
    Matrix y(n, likelihood.columns());
    Vector mu(n), var(n), log_z(n), d1(n), d2(n);
    for (Index i = 0; i < n; ++i) {
      const Observed each = responses[i % responses.size()];
      y(i, 0) = each.first;
      if (y.cols() == 2) y(i, 1) = each.second;
      mu[i] = kMeans[i % kMeans.size()];
      var[i] = kVariances[i % kVariances.size()];
    }
    likelihood.tilted(y, mu, var, log_z, d1, d2);
    for (Index i = 0; i < n; ++i)
      check_same({log_z[i], d1[i], d2[i]}, likelihood.tilted(observed(y, i), mu[i], var[i]), 1e-14);
  });
}

TEST(likelihood_tilted_gradient_is_a_difference) {
  for (const std::string& type : registered_likelihoods()) {
    const Representative& representative = representatives().at(type);
    for (const auto& values : representative.values) {
      const auto likelihood = made(type, values);
      const auto moved = made(type, values);
      const Index n = likelihood->n_params();
      CHECK(likelihood->params().size() == n);
      for (Observed y : representative.responses)
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
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>&) {
    auto& changed = const_cast<Likelihood&>(likelihood);
    const Vector theta = Vector::Constant(likelihood.n_params(), -0.7);
    changed.set_params(theta);
    CHECK((likelihood.params() - theta).norm() < 1e-14);
  });
}

TEST(log_density_alone_is_enough) {
  for_each_smooth_likelihood(
      [](const Likelihood& likelihood, const std::vector<Observed>& responses) {
        const Minimal minimal(likelihood, likelihood.response());
        for (Observed y : responses)
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

// From both half-lines in 400 digits.
TEST(quantile_has_the_integrals_of_both_sides) {
  struct Row {
    double tau, scale, y, mu, var, log_z, d1, d2, d_log_scale, cdf;
  };
  const std::vector<Row> rows{
      {0.5, 0.3, 0.05, -0.1, 1e-09, -0.4323215554050657, 1.6666666666666667, 0.0,
       -0.7500000027777778, 0.6105996079234637},
      {0.5, 0.3, 0.4, 0.6, 0.2, -0.7325911485018716, -0.4259954934160726, -2.068391096336647,
       -0.5374171141316166, 0.4010739535185265},
      {0.9, 0.02, 0.05, -8.0, 0.2, -162.21536766477948, 39.545894526611015, -4.440021084637973,
       5.456900374177632, 1.0},
      {0.9, 0.02, 0.4, 0.6, 400.0, -3.914722032314895, -5.559983990711463e-05,
       -0.002499747008596979, -9.131313010598268e-05, 0.49955662056878525},
      {0.05, 4.0, -3.0, 0.6, 0.001, -5.288291725936432, -0.2375, -0.0, -0.14505640625000002,
       0.021264759278320642},
      {0.05, 4.0, 7.0, 10.0, 9.0, -5.043671696682438, -0.16588980608534779, -0.02434940467750873,
       -0.5308607895136866, 0.0302301367372791}};
  for (const Row& row : rows) {
    const auto l = make_likelihood({"quantile", {{"tau", {row.tau}}, {"scale", {row.scale}}}});
    check_same(l->tilted(row.y, row.mu, row.var), {row.log_z, row.d1, row.d2}, 1e-13);
    Vector gradient(1);
    l->tilted_gradient(row.y, row.mu, row.var, gradient);
    CHECK_NEAR(gradient[0], row.d_log_scale, 1e-12);
    CHECK_NEAR(l->cdf(row.y, row.mu, row.var), row.cdf, 1e-13);
  }
  CHECK_THROWS(make_likelihood({"quantile", {{"tau", {1.0}}, {"scale", {1.0}}}}), InvalidSpec);
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

TEST(quantiles_of_counts_are_the_least_whose_distribution_function_reaches_the_probability) {
  const auto poisson = make_likelihood({"poisson", {}});
  const auto negative = make_likelihood({"negative_binomial", {{"size", {1.5}}}});
  const auto zeros =
      make_likelihood({"negative_binomial", {{"size", {0.7}}, {"zero_inflation", {0.4}}}});
  for (const auto* l : {&poisson, &negative, &zeros})
    for (double mu : {-3.0, 1.0, 6.0})
      for (double var : {0.0, 0.01, 4.0})
        for (double p : {1e-4, 0.025, 0.5, 0.975}) {
          const double count = (*l)->quantile(p, mu, var);
          CHECK((*l)->cdf(count, mu, var) >= p);
          CHECK(count == 0.0 || (*l)->cdf(count - 1.0, mu, var) < p);
        }
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

TEST(registry_refuses_constants_that_do_not_fit) {
  const double infinity = std::numeric_limits<double>::infinity();
  const auto refused = [](const char* type, std::map<std::string, std::vector<double>> values) {
    CHECK_THROWS(make_likelihood({type, values}), InvalidSpec);
  };
  refused("ordinal", {{"cuts", {0.0, 0.0}}});
  refused("ordinal", {{"cuts", {0.0, infinity}}});
  refused("binomial", {{"trials", {2.5}}});
  refused("poisson", {{"zero_inflation", {1.0}}});
}

TEST(responses_that_a_likelihood_cannot_have_are_impossible) {
  const double impossible = -kEnd;
  const auto beta = make_likelihood({"beta", {{"precision", {3.0}}}});
  for (const double y : {-0.5, 0.0, 1.0, 2.0}) {
    CHECK(beta->log_density(y, 0.3) == impossible);
    CHECK(beta->derivatives(y, 0.3).log_z == impossible);
    CHECK(beta->tilted(y, 0.3, 1.0).log_z == impossible);
  }
  const auto never = [&](const char* type, Observed y) {
    const auto likelihood = made(type, representatives().at(type).values.back());
    CHECK(likelihood->log_density(y, 0.3) == impossible);
    CHECK(likelihood->tilted(y, 0.3, 1.0).log_z == impossible);
  };
  for (const Observed y : {Observed(-1.0, 2.0), {2.0, -1.0}, {0.5, 2.0}, {2.0, 0.5}, {kEnd, 1.0}})
    never("binomial", y);
  never("binomial", 13.0);  // of the 12 trials that the likelihood has
  for (const char* type : {"censored_gaussian", "censored_lognormal"}) never(type, {3.0, 2.0});
  for (const Observed y : {Observed(0.0), {0.0, 0.0}, {-1.0, 2.0}, {-2.0, -2.0}})
    never("censored_lognormal", y);
}

TEST(an_interval_has_the_probability_between_its_ends_and_a_number_is_one_without_length) {
  for (const char* type : {"censored_gaussian", "censored_lognormal"}) {
    const auto likelihood = made(type, {{"variance", {0.3}}});
    CHECK(likelihood->columns() == 2);
    const auto mass = [&](double lower, double upper) {
      return std::exp(likelihood->tilted({lower, upper}, 0.4, 0.2).log_z);
    };
    CHECK_NEAR(mass(1.0, 2.5), likelihood->cdf(2.5, 0.4, 0.2) - likelihood->cdf(1.0, 0.4, 0.2),
               1e-14);
    CHECK_NEAR(mass(0.0, 1.0) + mass(1.0, kEnd), 1.0 - likelihood->cdf(0.0, 0.4, 0.2), 1e-14);
    check_same(likelihood->tilted({0.7, 0.7}, 0.4, 0.2), likelihood->tilted(0.7, 0.4, 0.2), 0.0);
  }
  CHECK(made("lognormal", {{"variance", {0.3}}})->columns() == 1);
}

TEST(a_number_of_successes_is_among_the_trials_of_the_likelihood) {
  const auto binomial = made("binomial", {{"trials", {12.0}}});
  CHECK(binomial->columns() == 2);
  check_same(binomial->tilted(5.0, 0.4, 0.2), binomial->tilted({5.0, 7.0}, 0.4, 0.2), 0.0);
  // The share of many trials is normal about the probability, whose slope is p (1 - p).
  const double n = 0x1p40, p = 0.25;
  const Tilted t = binomial->derivatives({p * n, (1.0 - p) * n}, std::log(p / (1.0 - p)));
  CHECK_NEAR(t.log_z, -0.5 * std::log(2.0 * kPi * n * p * (1.0 - p)), 1e-2);
  CHECK(std::abs(t.d1) <= 1e-9 * n && std::abs(t.d2 + n * p * (1.0 - p)) <= 1e-9 * n);
}

TEST(only_gaussian_noise_has_a_variance_for_models_that_are_exact) {
  for_each_likelihood([](const Likelihood& likelihood, const std::vector<Observed>&) {
    if (likelihood.gaussian())
      CHECK_NEAR(likelihood.noise_variance(), std::exp(likelihood.params()[0]), 1e-12);
    else
      CHECK_THROWS(likelihood.noise_variance(), InvalidSpec);
  });
}

TEST(many_trials_cost_no_digits) {
  const auto binomial = made("binomial", {{"trials", {1e7}}});
  // The largest value is that of a normal density of variance n q (1 - q), but for order 1 / n.
  const double q = 0.3, n = 1e7, at = std::log(q / (1.0 - q));
  const double peak = -0.5 * std::log(2.0 * kPi * n * q * (1.0 - q));
  CHECK_NEAR(binomial->log_density({q * n, (1.0 - q) * n}, at), peak, 1e-6);
  const Tilted t = binomial->derivatives({q * n, (1.0 - q) * n}, at + 1e-4);
  CHECK_NEAR(t.d1, -n * q * (1.0 - q) * 1e-4, 1e-1);
  CHECK_NEAR(t.d2, -n * q * (1.0 - q), 1e3);
  // The two formulas agree where they meet.
  for (double f : {-3.0, -0.4, 1.0, 40.0}) {
    const Tilted many = binomial->derivatives({400.0, 600.0}, f);
    const double p = 1.0 / (1.0 + std::exp(-f));
    const double expected = std::lgamma(1001.0) - std::lgamma(401.0) - std::lgamma(601.0) +
                            400.0 * -std::log1p(std::exp(-f)) + 600.0 * -std::log1p(std::exp(f));
    CHECK_NEAR(many.log_z, expected, 1e-10 * (1.0 + std::abs(expected)));
    CHECK_NEAR(many.d1, 400.0 - 1000.0 * p, 1e-9);
    CHECK_NEAR(many.d2, -1000.0 * p * (1.0 / (1.0 + std::exp(f))), 1e-9);
  }
  // A quantile is where the distribution function reaches its probability.
  for (double var : {1e-10, 1e-4, 0.2}) {
    const double k = binomial->quantile(0.1, 0.2, var);
    CHECK(binomial->cdf(k, 0.2, var) >= 0.1 && binomial->cdf(k - 1.0, 0.2, var) < 0.1);
  }
}
