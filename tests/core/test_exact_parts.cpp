// Dense machines of parts of the rows: Gaussian noise by one factor against dense algebra with
// explicit inverses, and factors that are made anew against those that are kept.
#include <cmath>

#include "check.h"
#include "dense_reference.h"
#include "math/constants.h"
#include "models/meanfield/meanfield.h"
#include "posterior/dense_factor.h"
#include "posterior/sparse_posterior.h"

using namespace gpsieve;
using dense::check_near;

namespace {

std::unique_ptr<Likelihood> gaussian(double variance) {
  return dense::likelihood("gaussian", {{"variance", {variance}}});
}

Vector numbers(const Matrix& x) { return (3.0 * x.row(0).array()).sin() + x.row(1).array(); }

// The rows of each of three parts, of which the second shares rows with the first.
std::vector<Indices> overlapping_parts(Index n) {
  std::vector<Indices> parts(3);
  for (Index i = 0; i < n; ++i) {
    parts[i % 3].push_back(i);
    if (i % 6 == 0) parts[1].push_back(i);
  }
  return parts;
}

Matrix variances(const Kernel& kernel, Points basis, const SparsePosterior& posterior, Points at) {
  Matrix mean(at.cols(), 1), variance(at.cols(), 1);
  std::vector<SparsePosterior> list{posterior};
  make_factors(kernel, basis, list, {});
  predict_marginals(kernel, basis, list, at, true, mean, variance, {});
  return variance;
}

}  // namespace

TEST(exact_parts_gaussian_noise_is_the_exact_posterior_and_evidence) {
  const Index n = 60;
  const Matrix x = dense::points(2, n, 4), at = dense::points(2, 9, 5);
  const Vector y = numbers(x);
  CaseTerms cases;
  cases.weight = Vector::LinSpaced(n, 0.5, 4.0);
  cases.offset = 0.3 * x.row(1).transpose();
  const auto kernel = dense::rbf(1.7, 0.6);
  for (const double noise : {0.2, 1e-6}) {
    const auto likelihood = gaussian(noise);
    const LatentFit fit =
        fit_meanfield({*kernel, *likelihood, x, y, Vector::Constant(1, -0.4), cases}, {}, {})
            .fit.latents[0];
    const Matrix k = dense::gram(*kernel, x);
    const Vector residual = y - cases.offset - Vector::Constant(n, -0.4);
    const Matrix total = k + Matrix((noise * cases.weight.cwiseInverse()).asDiagonal());
    const Vector alpha = total.ldlt().solve(residual);
    check_near(fit.posterior.weights, alpha, noise < 1e-3 ? 1e-4 : 1e-9);
    // w copies of a row: the density of their mean, and that of w equal numbers about it.
    const double copies =
        -0.5 * ((cases.weight.array() - 1.0) * std::log(2.0 * M_PI * noise)).sum() -
        0.5 * cases.weight.array().log().sum();
    const double log_det = total.llt().matrixLLT().diagonal().array().log().sum();
    CHECK_NEAR(fit.log_evidence,
               -0.5 * residual.dot(alpha) - log_det - 0.5 * n * kLogTwoPi + copies, 1e-6);
    // A row without one of its copies, where there are several.
    for (const Index i : {Index{20}, Index{59}}) {
      Matrix without = total;
      without(i, i) = k(i, i) + noise / (cases.weight(i) - 1.0);
      const Vector own = k.col(i);
      const Vector solved = without.ldlt().solve(own);
      CHECK_NEAR(fit.cavity_variance(i), k(i, i) - own.dot(solved), 1e-6);
      CHECK_NEAR(fit.cavity_mean(i), -0.4 + cases.offset(i) + solved.dot(residual), 1e-5);
    }
    const Matrix cross = dense::cross(*kernel, x, at);
    for (Index j = 0; j < at.cols(); ++j) {
      const double prior = 1.7, explained = cross.col(j).dot(total.ldlt().solve(cross.col(j)));
      CHECK_NEAR(variances(*kernel, x, fit.posterior, at)(j, 0), prior - explained, 1e-7);
    }
  }
}

TEST(exact_parts_are_fits_to_their_rows_with_any_number_of_threads) {
  const Index n = 90;
  const Matrix x = dense::points(2, n, 6);
  const Vector y = numbers(x), labels = dense::labels(x, 6);
  const auto kernel = dense::rbf(1.0, 0.7);
  const auto parts = overlapping_parts(n);
  std::vector<bool> judged(n, false);
  for (Index i = 0; i < n; i += 4) judged[i] = true;
  for (const bool classes : {false, true}) {
    const auto likelihood = classes ? dense::probit() : gaussian(0.1);
    const FitProblem problem{*kernel, *likelihood, x, classes ? labels : y,
                             Vector::Constant(1, 0.2)};
    const auto all = fit_meanfield_parts(problem, {}, parts, {}, {});
    for (const int threads : {1, 2, 3}) {
      Context ctx;
      ctx.threads = threads;
      const auto some = fit_meanfield_parts(problem, {}, parts, judged, ctx);
      for (std::size_t t = 0; t < parts.size(); ++t) {
        const LatentFit &one = some[t].latents[0], &other = all[t].latents[0];
        CHECK(one.posterior.basis == parts[t]);
        CHECK(one.posterior.weights == other.posterior.weights);
        CHECK(one.posterior.down.factor == other.posterior.down.factor);
        for (std::size_t i = 0; i < parts[t].size(); ++i) {
          const bool known = classes || judged[parts[t][i]];
          CHECK(known ? one.cavity_mean(i) == other.cavity_mean(i)
                      : std::isnan(one.cavity_mean(i)));
        }
      }
    }
  }
}

TEST(exact_parts_a_factor_made_anew_predicts_as_the_one_that_is_kept) {
  const Index n = 70;
  const Matrix x = dense::points(2, n, 8), at = dense::points(2, 15, 9);
  const auto kernel = dense::rbf(2.0, 0.5);
  for (const bool classes : {false, true}) {
    const auto likelihood = classes ? dense::probit() : gaussian(0.05);
    const Vector y = classes ? dense::labels(x, 8) : numbers(x);
    const FitProblem problem{*kernel, *likelihood, x, y, Vector::Constant(1, 0.1)};
    MeanfieldOptions options;
    const LatentFit kept = fit_meanfield(problem, options, {}).fit.latents[0];
    options.keep_factor = options.gradient = false;
    const LatentFit made = fit_meanfield(problem, options, {}).fit.latents[0];
    CHECK(made.posterior.down.empty() && made.posterior.dense_scale.size() == n);
    CHECK(kept.posterior.dense_scale.size() == 0);
    CHECK(made.posterior.weights == kept.posterior.weights);
    const Matrix a = variances(*kernel, x, kept.posterior, at),
                 b = variances(*kernel, x, made.posterior, at);
    if (classes) {
      check_near(a, b, 1e-10);
    } else {
      CHECK(a == b);
    }
  }
}
