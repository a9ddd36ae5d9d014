// Mean-field fixed points against their definitions, by dense algebra with explicit inverses.
#include <algorithm>

#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "models/meanfield/gradient.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;
using dense::check_near;

namespace {

const std::vector<FieldMethod> kMethods{FieldMethod::tap, FieldMethod::ensemble, FieldMethod::naive,
                                        FieldMethod::laplace};

MeanfieldOptions by(FieldMethod method, bool cavity = false) {
  MeanfieldOptions options;
  options.method = method;
  options.cavity_variance = cavity;
  options.tol = 1e-10;
  return options;
}

MeanfieldFit fit(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                 const Vector& y, double prior_mean, const MeanfieldOptions& options,
                 const Context& ctx = {}) {
  return fit_meanfield({kernel, likelihood, x, y, Vector::Constant(1, prior_mean)}, options, ctx);
}

std::unique_ptr<Likelihood> probit(double noise) {
  return dense::likelihood("probit", {{"noise", {noise}}});
}

// The cavity variances that a method's definition asks for, given its sites.
Vector defined_cavities(FieldMethod method, const Matrix& k, double noise, const Vector& sites) {
  const Index n = k.rows();
  const Matrix noisy = k + noise * Matrix::Identity(n, n);
  switch (method) {
    case FieldMethod::laplace:
      return Vector::Zero(n);
    case FieldMethod::naive:
      return k.diagonal();
    case FieldMethod::ensemble:
      return noisy.inverse().diagonal().cwiseInverse().array() - noise;
    case FieldMethod::tap:
      break;
  }
  const Matrix response = (k + Matrix(sites.cwiseInverse().asDiagonal())).inverse();
  return response.diagonal().cwiseInverse() - sites.cwiseInverse();
}

}  // namespace

TEST(meanfield_fixed_points_are_what_the_methods_define) {
  const Matrix x = dense::points(2, 45, 3);
  const Vector y = dense::labels(x, 3);
  for (const double noise : {1.0, 0.05})
    for (const double prior_mean : {0.0, -0.4})
      for (const FieldMethod method : kMethods) {
        const auto kernel = dense::rbf(2.0, 0.8);
        const auto likelihood = probit(noise);
        const LatentFit found =
            fit(*kernel, *likelihood, x, y, prior_mean, by(method)).fit.latents[0];
        const Matrix k = dense::gram(*kernel, x);
        const Vector& s = found.cavity_variance;
        check_near(s, defined_cavities(method, k, noise, found.site_precision), 1e-8);
        const Vector mean = k * found.posterior.weights - s.cwiseProduct(found.posterior.weights);
        check_near(found.cavity_mean, mean.array() + prior_mean, 1e-10);
        for (Index i = 0; i < y.size(); ++i) {
          const Tilted t = likelihood->tilted(y(i), found.cavity_mean(i), s(i));
          CHECK_NEAR(found.posterior.weights(i), t.d1, 1e-9);
          CHECK_NEAR(found.site_precision(i), -t.d2 / (1.0 + t.d2 * s(i)), 1e-7);
        }
        // The posterior of the sites.
        const Matrix at = dense::points(2, 9, 31);
        const dense::Marginals expected =
            dense::condition(k, dense::cross(*kernel, x, at), dense::diagonal(*kernel, at),
                             found.site_precision, found.site_mean);
        const dense::Marginals now = dense::predict(*kernel, x, found.posterior, at);
        check_near(now.mean, expected.mean.array() + prior_mean, 1e-8);
        check_near(now.variance, expected.variance, 1e-8);
      }
}

TEST(meanfield_cavity_variances_are_ordered) {
  const Matrix x = dense::points(3, 60, 5);
  const Vector y = dense::labels(x, 5);
  const auto kernel = dense::rbf(3.0, 1.2);
  std::vector<Vector> s;
  for (const FieldMethod method :
       {FieldMethod::laplace, FieldMethod::ensemble, FieldMethod::tap, FieldMethod::naive})
    s.push_back(fit(*kernel, *probit(0.5), x, y, 0.0, by(method)).fit.latents[0].cavity_variance);
  for (std::size_t j = 1; j < s.size(); ++j) CHECK(((s[j] - s[j - 1]).array() >= -1e-12).all());
}

TEST(meanfield_tap_is_the_fixed_point_of_ep) {
  const Matrix x = dense::points(2, 30, 7);
  const Vector y = dense::labels(x, 7);
  const auto kernel = dense::rbf(2.0, 1.0);
  for (const double prior_mean : {0.0, 0.6}) {
    const dense::Ep ep = dense::probit_ep(dense::gram(*kernel, x), y, prior_mean);
    const LatentFit found =
        fit(*kernel, *probit(1.0), x, y, prior_mean, by(FieldMethod::tap)).fit.latents[0];
    CHECK_NEAR(found.log_evidence, ep.log_evidence, 1e-9);
    check_near(found.site_precision, ep.precision, 1e-7);
  }
}

TEST(meanfield_with_gaussian_noise_is_exact) {
  const Matrix x = dense::points(2, 70, 9);
  const Vector y = dense::numbers(x, 9);
  const auto kernel = dense::rbf(1.5, 0.9);
  const auto likelihood = dense::gaussian(0.2);
  const Matrix k = dense::gram(*kernel, x);
  for (const FieldMethod method : kMethods) {
    const MeanfieldFit found = fit(*kernel, *likelihood, x, y, 0.3, by(method));
    const Vector centred = y.array() - 0.3, precision = Vector::Constant(70, 5.0);
    CHECK_NEAR(found.fit.latents[0].log_evidence, dense::log_evidence(k, precision, centred),
               1e-11);
    CHECK_NEAR(found.corrected(0), found.fit.latents[0].log_evidence, 1e-14);
  }
}

TEST(meanfield_gradients_are_differences) {
  const Matrix x = dense::points(2, 150, 11);  // more than one block of columns
  const auto spec = dense::rbf_spec(1.7, {0.8, 1.4});
  std::vector<std::unique_ptr<Likelihood>> likelihoods;
  likelihoods.push_back(probit(0.6));
  likelihoods.push_back(dense::likelihood("logit"));
  likelihoods.push_back(dense::likelihood("poisson"));
  likelihoods.push_back(dense::gaussian(0.3));
  for (const auto& likelihood : likelihoods)
    for (const FieldMethod method : kMethods)
      for (const double prior_mean : {0.0, 0.5}) {
        if (method == FieldMethod::ensemble && likelihood->step_noise() == 0.0) continue;
        Vector y = dense::labels(x, 11);
        if (likelihood->response() == Response::real) y = dense::numbers(x, 11);
        if (likelihood->response() == Response::count)
          y = dense::numbers(x, 11).array().exp().round();
        const auto kernel = make_kernel(spec, 2);
        const Vector at = kernel->params(), own = likelihood->params();
        const auto value = [&](const Vector& theta) {
          kernel->set_params(theta.head(at.size()));
          likelihood->set_params(theta.tail(own.size()));
          return fit(*kernel, *likelihood, x, y, prior_mean, by(method)).fit.latents[0];
        };
        Vector theta(at.size() + own.size());
        theta << at, own;
        const Vector prior = Vector::Constant(1, prior_mean);
        const Matrix responses = y;
        const Vector gradient =
            meanfield_evidence({*kernel, *likelihood, x, responses, prior}, by(method), {}, {})
                .gradient;
        // The gradient of the fit is that of the evidence; with Gaussian noise it is not computed.
        const Vector of_fit = value(theta).evidence_gradient;
        CHECK(gradient.size() == theta.size());
        CHECK(of_fit.size() == (likelihood->gaussian() ? 0 : theta.size()));
        if (of_fit.size() > 0) check_near(of_fit, gradient, 1e-8);
        for (Index j = 0; j < theta.size(); ++j) {
          const double h = 1e-4;
          Vector up = theta, down = theta;
          up(j) += h;
          down(j) -= h;
          const double slope = (value(up).log_evidence - value(down).log_evidence) / (2.0 * h);
          CHECK_NEAR(gradient(j), slope, 2e-6);
        }
        value(theta);
        // Only the ratio of the variance and the noise of a step matters.
        if (likelihood->step_noise() > 0.0 && prior_mean == 0.0)
          CHECK_NEAR(gradient(0), -gradient(theta.size() - 1), 1e-8);
      }
}

TEST(meanfield_does_not_depend_on_threads) {
  const Matrix x = dense::points(3, 600, 13);
  Matrix y(600, 2);
  y.col(0) = dense::labels(x, 13);
  y.col(1) = dense::labels(x, 14, 2.0);
  const auto kernel = make_kernel(dense::rbf_spec(2.0, {1.0, 1.5, 2.0}), 3);
  for (const FieldMethod method : kMethods)
    for (const Index machines : {1, 2}) {
      std::vector<FitResult> fits;
      for (const int threads : {1, 2, 3}) {
        Context ctx;
        ctx.threads = threads;
        // Polling must not change a bit either.
        if (threads > 1) ctx.poll = [] {};
        fits.push_back(
            fit_meanfield({*kernel, *probit(0.5), x, y.leftCols(machines), Vector::Zero(machines)},
                          by(method), ctx)
                .fit);
      }
      for (std::size_t t = 1; t < fits.size(); ++t)
        for (Index c = 0; c < machines; ++c) {
          const LatentFit &one = fits[0].latents[c], &other = fits[t].latents[c];
          CHECK(one.posterior.weights == other.posterior.weights);
          CHECK(one.posterior.down.factor == other.posterior.down.factor);
          CHECK(one.evidence_gradient == other.evidence_gradient);
          CHECK(one.log_evidence == other.log_evidence);
        }
    }
}

TEST(meanfield_evidence_is_that_of_the_fit_from_any_start) {
  const Matrix x = dense::points(2, 50, 17);
  Matrix y(50, 2);
  y.col(0) = dense::labels(x, 17);
  y.col(1) = -y.col(0);
  const auto kernel = dense::rbf(2.0, 1.0), wider = dense::rbf(5.0, 1.5);
  const auto likelihood = probit(1.0);
  const Vector prior = Vector::Zero(2);
  for (const FieldMethod method : kMethods) {
    const FitProblem problem{*kernel, *likelihood, x, y, prior};
    const auto cold = meanfield_evidence(problem, by(method), {}, {});
    const auto other = meanfield_evidence({*wider, *likelihood, x, y, prior}, by(method), {}, {});
    const auto warm = meanfield_evidence(problem, by(method), other.next, {});
    CHECK_NEAR(warm.value, cold.value, 1e-9);
    check_near(warm.gradient, cold.gradient, 1e-6);
    const MeanfieldFit whole = fit_meanfield(problem, by(method), {});
    CHECK_NEAR(whole.fit.latents[0].log_evidence + whole.fit.latents[1].log_evidence, cold.value,
               1e-10);
  }
}

// Prior variances from a thousandth of the noise to 10^8 times it, half of the labels random.
TEST(meanfield_evidence_has_the_same_bits_whatever_was_evaluated_before) {
  const Matrix x = dense::points(2, 80, 5);
  const Vector y = dense::labels(x, 5);
  const auto noise = probit(0.3);
  const auto at = [&](double lengthscale, Index n) {
    const auto kernel = dense::rbf(2.0, lengthscale);
    return meanfield_evidence({*kernel, *noise, x.leftCols(n), y.head(n), Vector::Zero(1)},
                              by(FieldMethod::tap), {}, {});
  };
  const MeanfieldEvidence first = at(1.0, 80);
  at(0.3, 80);
  at(2.0, 50);
  const MeanfieldEvidence again = at(1.0, 80);
  CHECK(first.value == again.value);
  CHECK(first.gradient == again.gradient);
  CHECK(first.next.means == again.next.means);
}

TEST(meanfield_solves_hard_problems) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Rng rng(seed, 5);
    const Index n = 20 + rng.below(80), p = 1 + rng.below(6);
    const Matrix x = dense::points(p, n, seed, 3.0);
    Vector y = dense::labels(x, seed);
    if (seed % 2 == 0)
      for (Index i = 0; i < n; ++i) y(i) = rng.uniform() < 0.5 ? -1.0 : 1.0;
    const double noise = std::pow(10.0, 4.0 * rng.uniform() - 2.0);
    const double variance = noise * std::pow(10.0, 11.0 * rng.uniform() - 3.0);
    const auto kernel = dense::rbf(variance, std::pow(10.0, 1.5 * rng.uniform() - 1.0));
    for (const FieldMethod method : kMethods) {
      const FitResult found = fit(*kernel, *probit(noise), x, y, 0.0, by(method)).fit;
      CHECK(found.converged);
      const LatentFit& latent = found.latents[0];
      const auto signed_weights = latent.posterior.weights.array() * y.array();
      CHECK(signed_weights.minCoeff() >= -1e-12 * signed_weights.maxCoeff());
      CHECK(std::isfinite(latent.log_evidence));
      CHECK(latent.evidence_gradient.allFinite());
      double squares = 0.0;
      for (Index i = 0; i < n; ++i) {
        const double s = latent.cavity_variance(i);
        const Tilted t = probit(noise)->tilted(y(i), latent.cavity_mean(i), s);
        const double scaled = std::sqrt(s + noise) * (latent.posterior.weights(i) - t.d1);
        squares += scaled * scaled / (1.0 + (s + noise) * t.d1 * t.d1);
      }
      CHECK(std::sqrt(squares / static_cast<double>(n)) < 1e-7);
    }
  }
}

TEST(meanfield_counts_far_from_the_start) {
  const Matrix x = dense::points(1, 25, 19);
  Vector y = (dense::numbers(x, 19).array() * 3.0 + 9.0).exp().round();
  const auto kernel = dense::rbf(100.0, 1.0);
  for (const FieldMethod method : {FieldMethod::laplace, FieldMethod::tap, FieldMethod::naive}) {
    const FitResult found = fit(*kernel, *dense::likelihood("poisson"), x, y, 0.0, by(method)).fit;
    CHECK(found.converged);
    CHECK(std::isfinite(found.latents[0].log_evidence));
  }
}

TEST(meanfield_refuses_what_it_cannot_do) {
  const Matrix x = dense::points(2, 10, 1);
  const Vector y = dense::labels(x, 1);
  const auto kernel = dense::rbf();
  CHECK_THROWS(fit(*kernel, *dense::likelihood("student", {{"df", {4.0}}, {"scale", {0.3}}}), x, y,
                   0.0, by(FieldMethod::tap)),
               InvalidSpec);
  CHECK_THROWS(fit(*kernel, *dense::likelihood("logit"), x, y, 0.0, by(FieldMethod::ensemble)),
               InvalidSpec);
  CHECK_THROWS(fit(*kernel, *probit(1.0), x, y.head(9), 0.0, by(FieldMethod::tap)), InvalidSpec);
}

TEST(meanfield_can_be_interrupted) {
  const Matrix x = dense::points(2, 400, 21);
  const Vector y = dense::labels(x, 21);
  struct Stop {};
  for (const FieldMethod method : kMethods) {
    int polls = 0;
    Context ctx;
    ctx.poll = [&polls] {
      if (++polls == 20) throw Stop();
    };
    CHECK_THROWS(fit(*dense::rbf(), *probit(1.0), x, y, 0.0, by(method), ctx), Stop);
  }
}
