// Powers of likelihoods, the largest of several Gaussian variables, first-order optimisers.
#include "base/error.h"
#include "check.h"
#include "ep_helpers.h"
#include "learning/step_rules.h"
#include "likelihood/powered.h"
#include "math/argmax_probability.h"
#include "math/normal.h"

using namespace gpsieve;

// log of the integral of exp(power log p(y | f)) N(f | mu, var) by the trapezoidal rule.
static double brute_force(const Likelihood& likelihood, double power, double y, double mu,
                          double var) {
  const double width = std::sqrt(var), step = width / 400.0;
  double sum = 0.0;
  for (int i = -4800; i <= 4800; ++i) {
    const double d = i * step;
    sum += std::exp(power * likelihood.log_density(y, mu + d) - 0.5 * d * d / var);
  }
  return std::log(sum * step / (width * std::sqrt(2.0 * std::acos(-1.0))));
}

TEST(a_powered_likelihood_is_the_integral_of_its_definition) {
  const Matrix x = dense::points(1, 3, 1);
  for (const ep::Case& each : ep::all_cases()) {
    const auto base = ep::maker(each)();
    const Matrix y = ep::responses(each, x, 2);
    for (const double power : {0.5, 0.1}) {
      const auto likelihood = powered(ep::maker(each), power);
      CHECK(likelihood->log_concave() == base->log_concave());
      CHECK(likelihood->response() == base->response());
      for (Index i = 0; i < 3; ++i)
        for (const double mu : {-0.7, 0.4})
          for (const double var : {0.3, 2.0}) {
            const auto at = [&](double m) { return brute_force(*base, power, y(i, 0), m, var); };
            const Tilted got = likelihood->tilted(y(i, 0), mu, var);
            CHECK_NEAR(got.log_z, at(mu), 1e-9);
            CHECK_NEAR(got.d1, ep::slope([&](double h) { return at(mu + h); }, 1e-3), 1e-7);
            const auto d1 = [&](double h) { return likelihood->tilted(y(i, 0), mu + h, var).d1; };
            CHECK_NEAR(got.d2, ep::slope(d1, 1e-3), 1e-7);
            Vector gradient(likelihood->n_params());
            if (gradient.size() == 0) continue;
            likelihood->tilted_gradient(y(i, 0), mu, var, gradient);
            for (Index p = 0; p < gradient.size(); ++p) {
              const auto moved = [&](double h) {
                const auto other = ep::maker(each)();
                Vector params = other->params();
                params(p) += h;
                other->set_params(params);
                return brute_force(*other, power, y(i, 0), mu, var);
              };
              CHECK_NEAR(gradient(p), ep::slope(moved, 1e-3), 1e-7);
            }
          }
    }
  }
}

TEST(a_powered_gaussian_is_a_gaussian) {
  const double noise = 0.3, y = 0.8, mu = -0.2, var = 0.9, pi = std::acos(-1.0);
  const auto make = [&] { return dense::gaussian(noise); };
  for (const double power : {0.9, 0.5, 0.01}) {
    // N(y | f, v)^a = (2 pi v)^((1 - a) / 2) a^(-1/2) N(y | f, v / a)
    const double total = noise / power + var;
    const double want = 0.5 * (1.0 - power) * std::log(2.0 * pi * noise) - 0.5 * std::log(power) -
                        0.5 * std::log(2.0 * pi * total) - 0.5 * (y - mu) * (y - mu) / total;
    const Tilted got = powered(make, power)->tilted(y, mu, var);
    CHECK_NEAR(got.log_z, want, 1e-12);
    CHECK_NEAR(got.d1, (y - mu) / total, 1e-12);
    CHECK_NEAR(got.d2, -1.0 / total, 1e-12);
  }
}

TEST(a_powered_likelihood_follows_its_parameters) {
  const ep::Case student{"student", {{"df", {4.0}}, {"scale", {0.4}}}};
  const auto moved = powered(ep::maker(student), 0.5);
  Vector params = moved->params();
  params.array() += 0.3;
  moved->set_params(params);
  auto values = student.values;
  const auto fresh = powered(
      [&] {
        auto likelihood = ep::maker(student)();
        likelihood->set_params(params);
        return likelihood;
      },
      0.5);
  Vector a(params.size()), b(params.size());
  moved->tilted_gradient(0.6, 0.1, 0.5, a);
  fresh->tilted_gradient(0.6, 0.1, 0.5, b);
  CHECK_NEAR(moved->tilted(0.6, 0.1, 0.5).log_z, fresh->tilted(0.6, 0.1, 0.5).log_z, 1e-14);
  dense::check_near(a, b, 1e-9);
}

TEST(the_power_must_be_a_fraction) {
  const auto make = [] { return dense::probit(); };
  for (const double power : {0.0, -0.5, 1.01, std::nan("")})
    CHECK_THROWS(powered(make, power), InvalidSpec);
  const Tilted whole = powered(make, 1.0)->tilted(1.0, 0.3, 0.7);
  const Tilted base = dense::probit()->tilted(1.0, 0.3, 0.7);
  CHECK(whole.log_z == base.log_z && whole.d1 == base.d1 && whole.d2 == base.d2);
}

TEST(argmax_probabilities_sum_to_one) {
  for (const Index classes : {2, 3, 7, 26})
    for (const double spread : {0.0, 1.0, 10.0})
      for (const double width : {1e-3, 1.0, 30.0}) {
        const Vector mean = spread * dense::points(classes, 1, 3).col(0);
        const Vector variance = width * dense::points(classes, 1, 4).col(0).array().exp();
        double sum = 0.0;
        for (Index k = 0; k < classes; ++k)
          sum += std::exp(log_argmax_probability(k, mean, variance));
        CHECK_NEAR(sum, 1.0, 1e-10);
      }
}

TEST(argmax_probabilities_have_closed_forms) {
  for (const double difference : {0.0, 0.3, -4.0, 9.0, -30.0})
    for (const double total : {0.1, 1.0, 50.0}) {
      const Vector mean = (Vector(2) << difference, 0.0).finished();
      const Vector variance = (Vector(2) << 0.3 * total, 0.7 * total).finished();
      const double z = difference / std::sqrt(total);
      CHECK_NEAR(log_argmax_probability(0, mean, variance), normal::log_cdf(z), 1e-9);
      CHECK_NEAR(log_argmax_probability(1, mean, variance), normal::log_cdf(-z), 1e-9);
    }
  // Equal variables are equally likely to be the largest; three independent ones with one mean but
  // different variances by the orthant probability 1/4 + asin(rho) / (2 pi).
  for (const Index classes : {3, 10})
    CHECK_NEAR(log_argmax_probability(1, Vector::Ones(classes), Vector::Constant(classes, 0.4)),
               -std::log(static_cast<double>(classes)), 1e-10);
  const Vector variance = (Vector(3) << 0.5, 1.0, 3.0).finished();
  const double rho = 0.5 / std::sqrt(1.5 * 3.5);
  CHECK_NEAR(std::exp(log_argmax_probability(0, Vector::Zero(3), variance)),
             0.25 + std::asin(rho) / (2.0 * std::acos(-1.0)), 1e-10);
}

TEST(every_optimiser_maximises_a_quadratic) {
  const Vector top = (Vector(3) << 1.0, -2.0, 0.5).finished();
  const Vector curvature = (Vector(3) << 1.0, 2.0, 0.3).finished();
  for (const StepRule rule : {StepRule::adadelta, StepRule::adam, StepRule::sign_adaptive}) {
    const auto optimiser = make_optimiser(rule, rule == StepRule::adadelta ? 1.0 : 0.05, {0, 1, 2});
    Vector at = Vector::Zero(3);
    for (int i = 0; i < 3000; ++i) at += optimiser->step(curvature.cwiseProduct(top - at));
    CHECK((at - top).cwiseAbs().maxCoeff() < 0.02);
  }
}

TEST(adam_starts_with_steps_of_its_rate) {
  const auto optimiser = make_optimiser(StepRule::adam, 0.02, {0, 1, 2});
  const Vector step = optimiser->step((Vector(3) << 5.0, -1e-3, 1e6).finished());
  dense::check_near(step, (Vector(3) << 0.02, -0.02, 0.02).finished(), 1e-4);
  const auto soft = make_optimiser(StepRule::adam, 0.02, {0});
  soft->halve_steps();
  soft->halve_steps();
  CHECK_NEAR(soft->step(Vector::Constant(1, 3.0))(0), 0.005, 1e-8);
}

TEST(adadelta_is_its_recursion) {
  const auto optimiser = make_optimiser(StepRule::adadelta, 0.7, {0, 1});
  const Matrix gradients = dense::points(2, 20, 5);
  Vector squares = Vector::Zero(2), steps = Vector::Zero(2);
  for (Index t = 0; t < 20; ++t) {
    const Vector got = optimiser->step(gradients.col(t));
    for (Index i = 0; i < 2; ++i) {
      const double g = gradients(i, t);
      squares(i) = 0.9 * squares(i) + 0.1 * g * g;
      const double dx = g * std::sqrt(steps(i) + 1e-5) / std::sqrt(squares(i) + 1e-5);
      steps(i) = 0.9 * steps(i) + 0.1 * dx * dx;
      CHECK_NEAR(got(i), 0.7 * dx, 1e-13);
    }
  }
}

TEST(the_sign_adaptive_rule_follows_the_sign_of_each_groups_sum) {
  const auto optimiser = make_optimiser(StepRule::sign_adaptive, 0.01, {0, 0, 1});
  const auto step = [&](double a, double b, double c) {
    return optimiser->step((Vector(3) << a, b, c).finished());
  };
  dense::check_near(step(2.0, -1.0, -4.0), (Vector(3) << 0.02, -0.01, -0.04).finished(), 1e-14);
  // The first group's sum keeps its sign although both members change theirs; the second turns.
  dense::check_near(step(-1.0, 3.0, 4.0), (Vector(3) << -0.0102, 0.0306, 0.02).finished(), 1e-14);
  dense::check_near(step(-3.0, 1.0, 4.0), (Vector(3) << -0.0153, 0.0051, 0.0204).finished(), 1e-14);
}
