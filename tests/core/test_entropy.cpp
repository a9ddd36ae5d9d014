// Entropies and mutual information against closed forms, plain sums and each other.
#include <cmath>

#include "check.h"
#include "dense_reference.h"
#include "likelihood/likelihood.h"
#include "math/constants.h"
#include "math/normal.h"

using namespace gpsieve;

static double h2(double p) {
  return p <= 0.0 || p >= 1.0 ? 0.0 : -p * std::log(p) - (1.0 - p) * std::log1p(-p);
}

TEST(entropy_of_gaussian_noise_is_the_closed_form) {
  const auto likelihood = dense::gaussian(0.3);
  CHECK_NEAR(likelihood->entropy(5.0), 0.5 * std::log(2.0 * kPi * std::exp(1.0) * 0.3), 1e-12);
  CHECK_NEAR(likelihood->predictive_entropy(1.0, 2.0),
             0.5 * std::log(2.0 * kPi * std::exp(1.0) * 2.3), 1e-12);
  CHECK_NEAR(likelihood->information(1.0, 2.0), 0.5 * std::log(2.3 / 0.3), 1e-12);
  // The default implementations, by quadrature, agree with the overrides.
  CHECK_NEAR(likelihood->Likelihood::entropy(5.0), likelihood->entropy(5.0), 1e-9);
  CHECK_NEAR(likelihood->Likelihood::predictive_entropy(1.0, 2.0),
             likelihood->predictive_entropy(1.0, 2.0), 1e-9);
  CHECK_NEAR(likelihood->Likelihood::information(1.0, 2.0), likelihood->information(1.0, 2.0),
             1e-8);
}

TEST(information_of_a_class_is_a_plain_sum) {
  for (const double noise : {1.0, 1e-4}) {
    const auto likelihood = dense::likelihood("probit", {{"noise", {noise}}});
    for (const double mu : {-3.0, 0.0, 0.4}) {
      for (const double var : {0.01, 1.0, 400.0}) {
        const double p = normal::cdf(mu / std::sqrt(var + noise));
        double expected = 0.0;
        const Index steps = 2000000;
        const double width = 16.0 / static_cast<double>(steps);
        for (Index i = 0; i < steps; ++i) {
          const double z = -8.0 + (static_cast<double>(i) + 0.5) * width;
          expected += width * std::exp(normal::log_pdf(z)) *
                      h2(normal::cdf((mu + std::sqrt(var) * z) / std::sqrt(noise)));
        }
        CHECK_NEAR(likelihood->predictive_entropy(mu, var), h2(p), 1e-12);
        CHECK_NEAR(likelihood->information(mu, var), h2(p) - expected, 1e-7);
      }
    }
  }
}

TEST(information_lies_between_zero_and_the_entropy) {
  std::vector<std::unique_ptr<Likelihood>> all;
  all.push_back(dense::probit());
  all.push_back(dense::likelihood("logit"));
  all.push_back(dense::likelihood("poisson"));
  for (const auto& likelihood : all) {
    for (const double mu : {-2.0, 0.0, 1.5}) {
      CHECK_NEAR(likelihood->information(mu, 0.0), 0.0, 1e-12);
      double before = 0.0;
      for (const double var : {1e-6, 0.1, 0.5, 1.0}) {
        const double now = likelihood->information(mu, var);
        CHECK(now >= before && now <= likelihood->predictive_entropy(mu, var));
        before = now;
      }
    }
  }
}

TEST(entropy_of_student_noise) {
  // Cauchy: log(4 pi scale).
  const auto cauchy = dense::likelihood("student", {{"df", {1.0}}, {"scale", {0.2}}});
  CHECK_NEAR(cauchy->entropy(3.0), std::log(4.0 * kPi * 0.2), 1e-7);
  const auto likelihood = dense::likelihood("student", {{"df", {4.0}}, {"scale", {0.5}}});
  CHECK_NEAR(likelihood->predictive_entropy(1.0, 0.0), likelihood->entropy(1.0), 1e-7);
  CHECK(likelihood->information(0.0, 1.0) > 0.1);
  CHECK(likelihood->information(0.0, 1.0) < likelihood->information(0.0, 4.0));
}

TEST(entropy_of_counts_is_continuous_where_the_series_takes_over) {
  const auto likelihood = dense::likelihood("poisson");
  CHECK_NEAR(likelihood->entropy(5.3 - 1e-9), likelihood->entropy(5.3 + 1e-9), 1e-8);
  // Rare events: H = rate (1 - log rate) + ..., here by three terms.
  const double rate = 1e-3;
  double expected = 0.0;
  for (const double k : {0.0, 1.0, 2.0}) {
    const double log_p = k * std::log(rate) - rate - std::lgamma(k + 1.0);
    expected -= log_p * std::exp(log_p);
  }
  CHECK_NEAR(likelihood->entropy(std::log(rate)), expected, 1e-7);
}

TEST(entropy_of_many_counts_is_that_of_their_sum) {
  for (const char* name : {"poisson", "negative_binomial"}) {
    LikelihoodSpec spec{name, {}};
    if (spec.type == "negative_binomial") spec.values["size"] = {3.0};
    const auto plain = make_likelihood(spec);
    spec.values["zero_inflation"] = {0.2};
    const auto zeros = make_likelihood(spec);
    for (const double mu : {1.0, 5.9, 6.5}) {
      for (const double var : {1e-6, 0.05}) {
        for (const auto* likelihood : {&plain, &zeros}) {
          double sum = 0.0;
          for (double y = 0.0; y < 2e4; y += 1.0) {
            const double log_p = (*likelihood)->tilted(y, mu, var).log_z;
            sum -= log_p * std::exp(log_p);
          }
          CHECK_NEAR((*likelihood)->predictive_entropy(mu, var), sum, 1e-7);
        }
      }
    }
  }
}
