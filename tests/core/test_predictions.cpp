// Predictions for many rows: what each row's marginal says, and what the columns have in common.
#include "check.h"
#include "dense_reference.h"
#include "likelihood/predictions.h"
#include "likelihood_helpers.h"
#include "math/normal.h"

using namespace gpsieve;
using namespace likelihood_helpers;

namespace {

struct Rows {
  Vector mean = (Vector(5) << -1.5, 0.0, 0.3, 1.1, 2.0).finished();
  Vector variance = (Vector(5) << 0.04, 1.5, 0.3, 0.0, 0.7).finished();
};

// The integral of -p log p over a response that is positive, or between 0 and 1, by the trapezoidal
// rule in log y or logit y; the mass of the density that the rule finds.
struct PlainEntropy {
  double entropy = 0.0, mass = 0.0;
};
PlainEntropy plain_entropy(const Likelihood& likelihood, const Representative& of, double mu,
                           double var) {
  const bool line = of.least < 0.0, unit = of.largest == 1.0;
  const double h = 0.04;
  PlainEntropy out;
  for (double t = -30.0; t < 30.0; t += h) {
    const double y = line ? t : unit ? 1.0 / (1.0 + std::exp(-t)) : std::exp(t);
    if (!line && (!(y > 0.0) || (unit && !(y < 1.0)))) continue;
    const double slope = line ? 1.0 : unit ? y / (1.0 + std::exp(t)) : y;
    const double log_p = likelihood.tilted(y, mu, var).log_z;
    if (log_p < -700.0) continue;
    out.mass += h * slope * std::exp(log_p);
    out.entropy -= h * slope * log_p * std::exp(log_p);
  }
  return out;
}

}  // namespace

TEST(predictions_of_classes_are_probabilities) {
  const Rows rows;
  for_each_likelihood([&](const Likelihood& likelihood, const std::vector<Observed>&) {
    if (likelihood.response() != Response::binary) return;
    const Matrix log_p = log_probabilities(likelihood, rows.mean, rows.variance);
    for (Index i = 0; i < rows.mean.size(); ++i) {
      CHECK_NEAR(log_p.row(i).array().exp().sum(), 1.0, 1e-12);
      CHECK_NEAR(log_p(i, 0), likelihood.log_probability(rows.mean(i), rows.variance(i)), 1e-13);
    }
    // A class and its opposite change places where the latent function changes its sign.
    const Matrix mirrored = log_probabilities(likelihood, -rows.mean, rows.variance);
    for (Index i = 0; i < rows.mean.size(); ++i) CHECK_NEAR(mirrored(i, 0), log_p(i, 1), 1e-12);
  });
}

TEST(predictions_of_numbers_belong_to_one_distribution) {
  const Rows rows;
  const Vector probs = (Vector(3) << 0.05, 0.5, 0.9).finished();
  for_each_representative([&](const Likelihood& likelihood, const Representative& of) {
    if (likelihood.response() == Response::binary) return;
    const Matrix moments = response_moments(likelihood, rows.mean, rows.variance);
    const Matrix quantiles = response_quantiles(likelihood, rows.mean, rows.variance, probs);
    CHECK(quantiles.rows() == 5 && quantiles.cols() == 3);
    Matrix y = Matrix::Constant(5, likelihood.columns(), std::nan(""));  // numbers alone
    y.col(0) = quantiles.col(1);
    const Vector density = log_densities(likelihood, y, rows.mean, rows.variance);
    for (Index i = 0; i < rows.mean.size(); ++i) {
      const double mu = rows.mean(i), var = rows.variance(i);
      CHECK(moments(i, 0) == likelihood.predict(mu, var).mean);
      CHECK(moments(i, 1) == likelihood.predict(mu, var).variance);
      CHECK_NEAR(density(i), likelihood.tilted(quantiles(i, 1), mu, var).log_z, 1e-13);
      CHECK(quantiles(i, 0) <= quantiles(i, 1) && quantiles(i, 1) <= quantiles(i, 2));
    }
    const bool exact = likelihood.response() == Response::real && of.largest > 1.0;
    for (Index j = 0; j < 3; ++j) {
      const Vector p = response_cdf(likelihood, quantiles.col(j), rows.mean, rows.variance);
      CHECK((p.array() >= probs(j) - 1e-9).all());
      CHECK(!exact || (p.array() <= probs(j) + 1e-9).all());
    }
  });
}

TEST(the_information_of_rows_is_a_difference_of_entropies) {
  const Rows rows;
  const auto likelihood = dense::gaussian(0.3);
  const Vector entropy =
      response_entropies(*likelihood, rows.mean, rows.variance, false, Context());
  const Vector information =
      response_entropies(*likelihood, rows.mean, rows.variance, true, Context());
  for (Index i = 0; i < rows.mean.size(); ++i)
    CHECK_NEAR(entropy(i) - information(i), likelihood->entropy(rows.mean(i)), 1e-12);
  struct Stop {};
  Context ctx;
  ctx.poll = [] { throw Stop(); };
  CHECK_THROWS(response_entropies(*likelihood, rows.mean, rows.variance, true, ctx), Stop);
}

TEST(the_probabilities_of_being_the_largest_sum_to_one_in_each_row) {
  const Matrix mean = dense::points(6, 4, 1), variance = dense::points(6, 4, 2).cwiseAbs2();
  for (const double noise : {0.0, 0.8}) {
    const Matrix log_p = log_argmax_probabilities(noise, mean, variance);
    for (Index i = 0; i < 6; ++i) CHECK_NEAR(log_p.row(i).array().exp().sum(), 1.0, 1e-9);
    // Of two functions: the probability that their difference, which has all the noise, is > 0.
    const Matrix two = log_argmax_probabilities(noise, mean.leftCols(2), variance.leftCols(2));
    for (Index i = 0; i < 6; ++i) {
      const double total = variance(i, 0) + variance(i, 1) + noise;
      CHECK_NEAR(two(i, 0), normal::log_cdf((mean(i, 0) - mean(i, 1)) / std::sqrt(total)), 1e-9);
    }
  }
}

TEST(entropies_of_bounded_and_censored_responses_are_integrals) {
  for_each_representative([](const Likelihood& likelihood, const Representative& of) {
    const bool censored = likelihood.columns() == 2;
    if (likelihood.response() != Response::real || (of.least < 0.0 && !censored)) return;
    for (const double mu : {-1.0, 0.5}) {
      const PlainEntropy known = plain_entropy(likelihood, of, mu, 0.0);
      // Doubles end before a density that is large near 1 does.
      if (std::abs(known.mass - 1.0) > 1e-7) continue;
      CHECK_NEAR(likelihood.entropy(mu), known.entropy, 1e-6);
      CHECK_NEAR(likelihood.predictive_entropy(mu, 0.0), known.entropy, 1e-6);
      if (mu < 0.0) continue;
      const PlainEntropy wide = plain_entropy(likelihood, of, mu, 0.3);
      if (std::abs(wide.mass - 1.0) > 1e-7) continue;
      CHECK_NEAR(likelihood.predictive_entropy(mu, 0.3), wide.entropy, 1e-6);
      const double information = likelihood.information(mu, 0.3);
      CHECK(information > 0.0);
      CHECK_NEAR(information, likelihood.Likelihood::information(mu, 0.3), 1e-6);
    }
  });
}
