// A filter that forgets and one whose kernel changes: models/online/theory.md#forgetting and
// #another-kernel.
#include <limits>

#include "base/error.h"
#include "online_helpers.h"

using namespace gpsieve;
using dense::check_near;

namespace {

struct Filter : online::InOrder {
  Filter() { novelty = 1e-10; }
};

OnlineFit fit_next(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                   const Vector& y, const OnlineOptions& options, const NextKernel& next) {
  return fit_online({kernel, likelihood, x, y, Vector::Constant(1, 0.2)}, {}, options, 1, Context(),
                    Vector(), next);
}

}  // namespace

TEST(online_under_another_kernel_is_the_fit_with_that_kernel) {
  const Matrix x = dense::points(2, 30, 60), at = dense::points(2, 9, 61);
  const auto before = dense::rbf(1.5), after = dense::rbf(0.6);
  const Vector y = dense::numbers(x, 62);
  for (const Index budget : {kNoBudget, Index{40}}) {
    Filter options;
    options.budget = budget;
    const OnlineFit moved =
        fit_next(*before, *dense::gaussian(0.1), x, y, options, {after.get(), 0.4 / 0.1});
    const OnlineFit fresh = fit_next(*after, *dense::gaussian(0.4), x, y, options, {});
    const auto got = online::predict(*after, x, moved, at);
    const auto want = online::predict(*after, x, fresh, at);
    check_near(got.mean, want.mean, 1e-6);
    check_near(got.variance, want.variance, 1e-6);
    if (budget == kNoBudget) continue;
    check_near(moved.states[0].stiffness, fresh.states[0].stiffness,
               1e-5 * fresh.states[0].stiffness.maxCoeff());
    check_near(moved.states[0].weight_variance, fresh.states[0].weight_variance,
               1e-5 * fresh.states[0].weight_variance.maxCoeff());
  }
}

TEST(online_with_the_same_kernel_again_changes_nothing) {
  const Matrix x = dense::points(2, 60, 63), at = dense::points(2, 9, 64);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : online::likelihoods()) {
    if (!likelihood->log_concave()) continue;
    const Vector y = online::responses(*likelihood, x, 65);
    Filter options;
    options.budget = 10;
    const auto same = fit_next(*kernel, *likelihood, x, y, options, {kernel.get(), 1.0});
    const auto plain = fit_next(*kernel, *likelihood, x, y, options, {});
    const auto got = online::predict(*kernel, x, same, at);
    const auto want = online::predict(*kernel, x, plain, at);
    check_near(got.mean, want.mean, 1e-8);
    check_near(got.variance, want.variance, 1e-8);
  }
}

TEST(online_forgetting_deletes_by_the_same_scores) {
  const Matrix x = dense::points(2, 80, 66), at = dense::points(2, 9, 67);
  const auto kernel = dense::rbf();
  const Vector y = dense::labels(x, 68);
  for (const Deletion deletion : {Deletion::reverse_kl, Deletion::forward_kl, Deletion::cheap}) {
    Filter keeps, forgets;
    keeps.budget = forgets.budget = 12;
    keeps.deletion = forgets.deletion = deletion;
    forgets.persistence = 1.0 - 1e-14;  // too little to be seen, but P is computed from S
    const auto kept = fit_next(*kernel, *dense::probit(), x, y, keeps, {});
    const auto forgot = fit_next(*kernel, *dense::probit(), x, y, forgets, {});
    CHECK(kept.states[0].basis == forgot.states[0].basis);
    const auto got = online::predict(*kernel, x, forgot, at);
    const auto want = online::predict(*kernel, x, kept, at);
    check_near(got.mean, want.mean, 1e-6);
    check_near(got.variance, want.variance, 1e-6);
  }
}

TEST(online_refuses_what_a_filter_that_moves_cannot_do) {
  const Matrix x = dense::points(2, 10, 69);
  const auto kernel = dense::rbf();
  const Vector y = dense::numbers(x, 70);
  const auto refused = [&](const OnlineOptions& options, const NextKernel& next = {}) {
    CHECK_THROWS(fit_next(*kernel, *dense::gaussian(0.1), x, y, options, next), InvalidSpec);
  };
  Filter options;
  for (const double persistence : {0.0, -0.5, 1.5, std::numeric_limits<double>::quiet_NaN()}) {
    options.persistence = persistence;
    refused(options);
  }
  options.persistence = 0.9;
  options.novelty = 0.0;  // every row kept
  refused(options);
  options.persistence = 1.0;
  refused(options, {kernel.get(), 1.0});
  options.novelty = 1e-6;
  refused(options, {kernel.get(), 0.0});
  options.persistence = 0.9;
  options.sweeps = 2;
  options.sweep_type = SweepType::adf;
  refused(options);
}
