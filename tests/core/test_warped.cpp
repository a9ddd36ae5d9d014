// A warped response has the inference of Gaussian noise on z(y), exactly.
#include "check.h"
#include "dense_reference.h"
#include "models/greedy/greedy.h"
#include "models/ivm/ivm.h"
#include "models/latent_responses.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;
using dense::check_near;

namespace {

std::unique_ptr<Likelihood> warped(double skew, double tail, bool log = false) {
  return dense::likelihood(log ? "warped_log" : "warped", {{"variance", {0.2}},
                                                           {"skew", {skew}},
                                                           {"tail", {tail}},
                                                           {"center", {log ? -0.1 : 0.3}},
                                                           {"scale", {0.8}}});
}

struct Rows {
  explicit Rows(const Likelihood& of, bool positive = false)
      : x(dense::points(2, 60, 3)), y(dense::numbers(x, 5)), warp(of) {
    if (positive) y = y.array().exp().matrix().eval();
    z = latent_responses(warp, y);
    cases.weight = dense::points(60, 1, 8).cwiseAbs2().array() + 0.4;
  }
  FitProblem as_recorded(const Kernel& kernel) const { return {kernel, warp, x, y, mean, cases}; }
  FitProblem on_latent_scale(const Kernel& kernel) const {
    return {kernel, *noise, x, z, mean, cases};
  }
  double jacobian() const { return sum_log_jacobians(warp, y, cases.weight); }

  Matrix x, y, z;
  const Likelihood& warp;
  std::unique_ptr<Likelihood> noise = dense::gaussian(0.2);
  Vector mean = Vector::Constant(1, 0.3);
  CaseTerms cases;
};

template <class Body>
void for_each_warp(const Body& body) {
  for (const bool log : {false, true})
    for (const double skew : {0.0, 0.4, -0.3}) {
      const auto likelihood = warped(skew, skew == 0.0 ? 1.0 : 0.8, log);
      body(*likelihood, Rows(*likelihood, log));
    }
}

}  // namespace

TEST(the_identity_is_gaussian_noise) {
  const auto identity = make_likelihood({"warped",
                                         {{"variance", {0.3}},
                                          {"skew", {0.0}},
                                          {"tail", {1.0}},
                                          {"center", {0.0}},
                                          {"scale", {1.0}}}});
  const auto gaussian = dense::gaussian(0.3);
  for (const double y : {-40.0, -2.0, 0.0, 0.3, 7.0}) {
    CHECK_NEAR(identity->latent_response(y), y, 1e-14);
    CHECK_NEAR(identity->log_jacobian(y), 0.0, 1e-14);
    const Tilted a = identity->tilted(y, 0.7, 1.3), b = gaussian->tilted(y, 0.7, 1.3);
    CHECK_NEAR(a.log_z, b.log_z, 1e-12);
    CHECK_NEAR(a.d1, b.d1, 1e-12);
    CHECK_NEAR(a.d2, b.d2, 1e-12);
    CHECK_NEAR(identity->cdf(y, 0.7, 1.3), gaussian->cdf(y, 0.7, 1.3), 1e-14);
  }
  for (const double mu : {-30.0, 0.0, 2.0})
    for (const double var : {0.0, 1.0, 40.0}) {
      CHECK_NEAR(identity->predict(mu, var).mean, mu, 1e-9);
      CHECK_NEAR(identity->predict(mu, var).variance, 0.3 + var, 1e-8);
      CHECK_NEAR(identity->quantile(0.9, mu, var), gaussian->quantile(0.9, mu, var), 1e-12);
      CHECK_NEAR(identity->predictive_entropy(mu, var), gaussian->predictive_entropy(mu, var),
                 1e-9);
    }
}

TEST(dense_fits_of_a_warped_response_are_those_of_gaussian_noise_where_it_is_warped) {
  const auto kernel = dense::rbf(1.4, 0.8);
  for_each_warp([&](const Likelihood&, const Rows& rows) {
    const auto a = fit_meanfield(rows.as_recorded(*kernel), {}, Context()).fit.latents[0];
    const auto b = fit_meanfield(rows.on_latent_scale(*kernel), {}, Context()).fit.latents[0];
    CHECK_NEAR(a.log_evidence, b.log_evidence + rows.jacobian(), 1e-12);
    check_near(a.posterior.weights, b.posterior.weights, 1e-14);
    check_near(a.cavity_mean, b.cavity_mean, 1e-14);
    check_near(a.cavity_variance, b.cavity_variance, 1e-14);
    check_near(a.site_mean, b.site_mean, 1e-14);
    const auto same = meanfield_evidence(rows.as_recorded(*kernel), {}, {}, Context());
    CHECK_NEAR(same.value, a.log_evidence, 1e-9);
  });
}

TEST(gradients_of_evidence_by_a_warp_are_differences) {
  const auto kernel = dense::rbf(1.4, 0.8);
  for_each_warp([&](const Likelihood& likelihood, const Rows& rows) {
    const Index own = kernel->n_params();
    const auto found = meanfield_evidence(rows.as_recorded(*kernel), {}, {}, Context());
    CHECK(found.gradient.size() == own + 3);
    const Vector params = likelihood.params();
    const auto value_at = [&](Index p, double step) {
      Vector moved = params;
      moved[p] += step;
      const auto other = warped(moved[1], std::exp(moved[2]), rows.y.minCoeff() > 0.0);
      other->set_params(moved);
      const FitProblem problem{*kernel, *other, rows.x, rows.y, rows.mean, rows.cases};
      return meanfield_evidence(problem, {}, {}, Context()).value;
    };
    for (Index p = 0; p < 3; ++p) {
      const double h = 1e-4;
      const double slope = (8.0 * (value_at(p, h) - value_at(p, -h)) -
                            (value_at(p, 2.0 * h) - value_at(p, -2.0 * h))) /
                           (12.0 * h);
      CHECK(std::abs(found.gradient[own + p] - slope) <= 1e-6 * (1.0 + std::abs(slope)));
    }
  });
}

TEST(informative_vector_machines_of_a_warped_response_are_those_where_it_is_warped) {
  const auto kernel = dense::rbf(1.4, 0.8);
  for_each_warp([&](const Likelihood&, const Rows& rows) {
    IvmOptions options;
    options.n_active = 20;
    for (const int refine : {0, 2}) {
      options.refine = refine;
      const auto a = fit_ivm(rows.as_recorded(*kernel), options, 1, Context()).latents[0];
      const auto b = fit_ivm(rows.on_latent_scale(*kernel), options, 1, Context()).latents[0];
      CHECK(a.posterior.basis == b.posterior.basis);
      check_near(a.posterior.weights, b.posterior.weights, 1e-9);
      CHECK_NEAR(a.log_evidence, b.log_evidence, 1e-8);  // of the sites of the active set
    }
  });
}

TEST(greedy_fits_of_a_warped_response_have_the_evidence_of_its_projected_regression) {
  const auto kernel = dense::rbf(1.4, 0.8);
  const auto likelihood = warped(0.4, 0.8);
  const Rows rows(*likelihood);
  GreedyOptions options;
  options.n_basis = 8;
  const auto fit = fit_greedy(rows.as_recorded(*kernel), options, 1, Context()).latents[0];
  CHECK(std::isfinite(fit.log_evidence) && fit.evidence_gradient.size() == 5);
}
