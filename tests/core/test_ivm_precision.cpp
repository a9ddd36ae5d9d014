// The informative vector machine with a selection index in single precision.
#include <algorithm>

#include "isa_helpers.h"
#include "ivm_helpers.h"

using namespace gpsieve;
using namespace ivm_helpers;

namespace {

IvmOptions mixed(IvmOptions options) {
  options.precision = Precision::mixed;
  return options;
}

}  // namespace

// Whatever sites the search found, the posterior is that of these sites in double precision.
TEST(ivm_mixed_posterior_is_that_of_its_sites) {
  const Matrix x = dense::points(2, 400, 5), at = dense::points(2, 20, 999);
  KernelSpec sum = dense::leaf("sum", {});
  sum.children = {dense::rbf_spec(1.5, {0.6}), dense::leaf("white", {{"variance", {0.1}}})};
  const auto kernel = make_kernel(sum, 2);
  for (const auto& likelihood : likelihoods())
    for (const Criterion criterion : {Criterion::entropy, Criterion::infogain, Criterion::random})
      for (const Index n_full : {0, 20}) {
        const Vector y = responses(*likelihood, x, 6);
        const IvmOptions options = mixed(pooled(130, n_full, 25, 0.5, criterion));
        const auto fit = fit_one(*kernel, *likelihood, x, y, 0.3, options, 9);
        CHECK(fit.posterior.basis.size() == 130);
        const Matrix active = dense::columns(x, fit.posterior.basis);
        const Matrix inner = dense::gram(*kernel, active);
        CHECK_NEAR(fit.log_evidence, dense::log_evidence(inner, fit.site_precision, fit.site_mean),
                   1e-9);
        CHECK(fit.trace.back().objective == fit.log_evidence);
        const auto got = predict(*kernel, x, fit, at);
        const auto want =
            dense::condition(inner, dense::cross(*kernel, active, at), dense::diagonal(*kernel, at),
                             fit.site_precision, fit.site_mean);
        check_near(got.mean, want.mean.array() + 0.3, 1e-9);
        check_near(got.variance, want.variance, 1e-9);
        // The sites are those of the same rows in double precision, to single precision.
        const auto ref =
            dense::replay_ivm(dense::gram(*kernel, x), *likelihood, y, 0.3, fit.posterior.basis);
        check_near(fit.site_precision, ref.precision, 1e-4);
        check_near(fit.site_mean, ref.mean, 1e-4);
      }
}

TEST(ivm_mixed_agrees_with_double_where_the_selections_do) {
  const Matrix x = dense::points(2, 300, 15), at = dense::points(2, 30, 16);
  const auto kernel = dense::rbf();
  CaseTerms cases;
  cases.weight = Vector::LinSpaced(300, 0.5, 3.0);
  int agreed = 0;
  for (const auto& likelihood : likelihoods())
    for (const bool weighted : {false, true}) {
      const Vector y = responses(*likelihood, x, 17);
      const FitProblem problem{*kernel, *likelihood,     x,
                               y,       Vector::Zero(1), weighted ? cases : CaseTerms()};
      const IvmOptions options = pooled(70, 10, 40, 0.5);
      const LatentFit full = fit_ivm(problem, options, 3, Context()).latents[0],
                      fit = fit_ivm(problem, mixed(options), 3, Context()).latents[0];
      if (full.posterior.basis != fit.posterior.basis) continue;
      ++agreed;
      CHECK_NEAR(fit.log_evidence, full.log_evidence, 1e-4);
      const auto got = predict(*kernel, x, fit, at), want = predict(*kernel, x, full, at);
      check_near(got.mean, want.mean, 1e-4);
      check_near(got.variance, want.variance, 1e-4);
    }
  CHECK(agreed >= 4);
}

TEST(ivm_mixed_without_an_index_is_double) {
  const Matrix x = dense::points(2, 100, 7);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const Vector y = dense::labels(x, 8);
  check_identical(fit_one(*kernel, *likelihood, x, y, 0.1, mixed(plain(30)), 1),
                  fit_one(*kernel, *likelihood, x, y, 0.1, plain(30), 1));
}

TEST(ivm_mixed_repeats_bit_by_bit_whatever_the_threads_and_instructions) {
  const Matrix x = dense::points(2, 2500, 14);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::probit();
  const Vector y = dense::labels(x, 20), prior_mean = Vector::Zero(1);
  const FitProblem problem{*kernel, *likelihood, x, y, prior_mean};
  const IvmOptions options = mixed(pooled(120, 15, 50, 0.5));
  const Isa before = active_isa();
  std::vector<LatentFit> fits;
  for (const Isa isa : {Isa::neon, Isa::avx2, Isa::avx512}) {
    if (!set_isa(isa)) continue;
    for (const int threads : {1, 2, 3}) {
      Context ctx;
      ctx.threads = threads;
      fits.push_back(fit_ivm(problem, options, 5, ctx).latents[0]);
    }
  }
  set_isa(before);
  for (const LatentFit& fit : fits) check_identical(fit, fits.front());
}

// Variances below the rounding of single precision are no reason to stop.
TEST(ivm_mixed_goes_on_where_little_is_left_to_learn) {
  const Matrix x = dense::points(1, 400, 21);
  const auto kernel = dense::rbf();
  const auto likelihood = dense::gaussian(1e-7);
  const Vector y = x.row(0).array().sin().transpose();
  const auto fit = fit_one(*kernel, *likelihood, x, y, 0.0, mixed(pooled(150, 5, 40, 0.5)), 2);
  CHECK(fit.posterior.basis.size() == 150);
  const auto got = predict(*kernel, x, fit, x);
  check_near(got.mean, y, 1e-3);
  CHECK(std::isfinite(fit.log_evidence));
}
