// The informative vector machine against dense algebra, and on degenerate data.
#include <algorithm>
#include <memory>
#include <string>

#include "base/error.h"
#include "ivm_helpers.h"

using namespace gpsieve;
using namespace ivm_helpers;

TEST(ivm_with_all_rows_active_is_exact_regression) {
  const Matrix x = dense::points(2, 80, 7), at = dense::points(2, 30, 8);
  const double prior_mean = 0.7;
  const Vector y = dense::numbers(x, 9).array() + prior_mean;
  const auto kernel = dense::rbf();
  const auto likelihood = dense::gaussian(0.05);
  const auto want = dense::condition(dense::gram(*kernel, x), dense::cross(*kernel, x, at),
                                     dense::diagonal(*kernel, at), Vector::Constant(80, 20.0),
                                     y.array() - prior_mean);
  for (const int refine : {0, 3})
    for (const Index n_full : {0, 80})
      for (const Criterion criterion : {Criterion::entropy, Criterion::infogain}) {
        IvmOptions options = pooled(80, n_full, 20, 0.5, criterion);
        options.refine = refine;
        const auto fit = fit_one(*kernel, *likelihood, x, y, prior_mean, options, 2);
        const auto got = predict(*kernel, x, fit, at);
        check_near(got.mean, want.mean.array() + prior_mean, 1e-8);
        check_near(got.variance, want.variance, 1e-8);
        CHECK_NEAR(fit.log_evidence,
                   dense::log_evidence(dense::gram(*kernel, x), Vector::Constant(80, 20.0),
                                       y.array() - prior_mean),
                   1e-8);
      }
}

TEST(ivm_refined_with_all_rows_active_is_dense_ep) {
  const Matrix x = dense::points(2, 50, 18);
  const Vector y = dense::labels(x, 19);
  const auto kernel = dense::rbf(2.0, 0.7);
  const auto want = dense::probit_ep(dense::gram(*kernel, x), y, 0.3);
  IvmOptions options = plain(50);
  options.refine = 100;
  const auto fit = fit_one(*kernel, *dense::probit(), x, y, 0.3, options, 1);
  const auto got = predict(*kernel, x, fit, x);
  check_near(got.mean, want.mean.array() + 0.3, 1e-6);
  check_near(got.variance, want.variance, 1e-6);
  for (Index i = 0; i < 50; ++i) {
    const double room = 1.0 - want.precision(i) * want.variance(i);
    const double mean = (want.mean(i) - want.variance(i) * want.shift(i)) / room + 0.3;
    CHECK_NEAR(fit.cavity_mean(i), mean, 1e-5);
    CHECK_NEAR(fit.cavity_variance(i), want.variance(i) / room, 1e-5);
  }
}

namespace {

// A wide prior and a rare class: passes that change all sites at once can swing between two states.
struct WidePrior {
  static constexpr double kPriorMean = -0.8;
  const Matrix x = dense::points(2, 100, 18);
  const Vector y =
      dense::numbers(x, 19, 0.0).unaryExpr([](double v) { return v > 0.8 ? 1.0 : -1.0; });
  const std::unique_ptr<Kernel> kernel = dense::rbf(100.0, 1.0);

  dense::Marginals refined(int passes) const {
    IvmOptions options = plain(100);
    options.refine = passes;
    return predict(*kernel, x, fit_one(*kernel, *dense::probit(), x, y, kPriorMean, options, 1), x);
  }
};

}  // namespace

TEST(ivm_refined_by_passes_is_dense_ep_where_the_prior_is_wide) {
  const WidePrior p;
  const auto want = dense::probit_ep(dense::gram(*p.kernel, p.x), p.y, p.kPriorMean);
  const Vector mean = want.mean.array() + p.kPriorMean;
  const auto many = p.refined(100), three = p.refined(3);
  check_near(many.mean, mean, 1e-5);
  check_near(many.variance, want.variance, 1e-5);
  // Three passes are near it, because they begin with the sites of the selection: from uniform
  // sites the largest difference of this test is .60.
  const auto scaled = [](const Vector& m, const Vector& v) -> Vector {
    return m.array() / (1.0 + v.array()).sqrt();
  };
  check_near(scaled(three.mean, three.variance), scaled(mean, want.variance), 0.1);
}

TEST(ivm_has_gaussian_cavities_where_they_are_wanted) {
  const Matrix x = dense::points(2, 40, 28);
  const Vector y = dense::numbers(x, 29);
  const auto kernel = dense::rbf();
  IvmOptions options = plain(40);
  options.refine = 1;
  CHECK(fit_one(*kernel, *dense::gaussian(0.1), x, y, 0.0, options, 1).cavity_mean.size() == 0);
  options.cavities = true;
  const auto fit = fit_one(*kernel, *dense::gaussian(0.1), x, y, 0.0, options, 1);
  for (Index i = 0; i < 40; ++i) {
    Indices others;
    for (Index j = 0; j < 40; ++j)
      if (j != i) others.push_back(j);
    const Matrix rest = dense::columns(x, others), at = x.col(i);
    const Vector known = dense::columns(y.transpose(), others).transpose();
    const auto want =
        dense::condition(dense::gram(*kernel, rest), dense::cross(*kernel, rest, at),
                         dense::diagonal(*kernel, at), Vector::Constant(39, 10.0), known);
    CHECK_NEAR(fit.cavity_mean(i), want.mean(0), 1e-6);
    CHECK_NEAR(fit.cavity_variance(i), want.variance(0), 1e-6);
  }
}

TEST(ivm_is_finite_on_degenerate_data) {
  Matrix x = dense::points(2, 120, 10);
  x.rightCols(40) = x.leftCols(40);
  Vector conflicting = dense::labels(x, 11);
  conflicting.tail(40) = -conflicting.head(40);
  const Vector separable =
      x.row(0).transpose().unaryExpr([](double v) { return v > 0 ? 1. : -1.; });
  for (const Vector& y : {conflicting, separable})
    for (const auto& likelihood : likelihoods())
      for (const double variance : {1.0, 1e6})
        for (const double lengthscale : {1e-3, 0.3, 1e4})
          for (const int refine : {0, 3}) {
            const auto kernel = dense::rbf(variance, lengthscale);
            IvmOptions options = pooled(60, 30, 30, 0.5);
            options.refine = refine;
            const auto fit = fit_one(*kernel, *likelihood, x, y, 0.0, options, 3);
            CHECK(!fit.posterior.basis.empty());
            CHECK((fit.site_precision.array() > 0.0).all());
            CHECK(fit.site_precision.allFinite() && fit.site_mean.allFinite());
            CHECK(std::isfinite(fit.log_evidence));
            const auto got = predict(*kernel, x, fit, x);
            CHECK(got.mean.allFinite() && got.variance.allFinite());
            CHECK((got.variance.array() >= 0.0).all());
            CHECK((got.variance.array() <= variance * (1.0 + 1e-6)).all());
            CHECK(fit.cavity_mean.allFinite());
            CHECK(fit.cavity_variance.allFinite());
          }
}

TEST(ivm_active_evidence_has_the_gradient_of_its_value) {
  const KernelSpec ard = dense::rbf_spec(1.5, {0.8, 1.3});
  const KernelSpec matern =
      dense::leaf("matern", {{"nu", {1.5}}, {"variance", {1.2}}, {"lengthscale", {0.9}}});
  KernelSpec sum = dense::leaf("sum", {}), product = dense::leaf("product", {});
  sum.children = {ard, dense::leaf("linear", {{"variance", {0.4}}}),
                  dense::leaf("white", {{"variance", {0.2}}})};
  product.children = {matern, dense::leaf("constant", {{"variance", {0.6}}})};
  const Matrix x = dense::points(2, 25, 12);
  const Vector m = dense::numbers(x, 13), p = x.row(1).transpose().array().exp();
  for (const KernelSpec& spec : {ard, matern, sum, product}) {
    const auto kernel = make_kernel(spec, 2);
    Vector none(0), grad = Vector::Zero(kernel->n_params()), by_precision = Vector::Zero(25);
    const double value = active_evidence(*kernel, x, p, m, grad, by_precision);
    CHECK_NEAR(value, dense::log_evidence(dense::gram(*kernel, x), p, m), 1e-10);
    CHECK(active_evidence(*kernel, x, p, m, none, none) == value);
    const Vector params = kernel->params();
    const double step = 1e-4;
    for (Index i = 0; i < params.size(); ++i) {
      double difference = 0.0;
      for (const double side : {1.0, -1.0}) {
        Vector moved = params;
        moved(i) += side * step;
        kernel->set_params(moved);
        difference += side * active_evidence(*kernel, x, p, m, none, none);
      }
      kernel->set_params(params);
      CHECK_NEAR(grad(i), difference / (2.0 * step), 1e-6);
    }
    for (Index i = 0; i < p.size(); i += 6) {
      Vector up = p, down = p;
      up(i) *= std::exp(step);
      down(i) *= std::exp(-step);
      const double difference = active_evidence(*kernel, x, up, m, none, none) -
                                active_evidence(*kernel, x, down, m, none, none);
      CHECK_NEAR(by_precision(i), difference / (2.0 * step), 1e-6);
    }
  }
}

TEST(ivm_path_is_that_of_fits_with_fewer_active_rows) {
  const Matrix x = dense::points(2, 40, 31), at = dense::points(2, 15, 32);
  const Vector y = dense::labels(x, 33);
  const auto kernel = dense::rbf(2.0, 0.7);
  const auto whole = fit_one(*kernel, *dense::probit(), x, y, 0.3, plain(12), 3);
  Matrix active(2, 12);
  for (Index k = 0; k < 12; ++k) active.col(k) = x.col(whole.posterior.basis[k]);
  const auto path =
      inclusion_path(*kernel, active, whole.site_precision, whole.site_mean, 0.3, at, Context());
  for (const Index size : {1, 5, 12}) {
    const auto fit = fit_one(*kernel, *dense::probit(), x, y, 0.3, plain(size), 3);
    CHECK(std::equal(fit.posterior.basis.begin(), fit.posterior.basis.end(),
                     whole.posterior.basis.begin()));
    const auto got = predict(*kernel, x, fit, at);
    check_near(path.mean.col(size - 1), got.mean, 1e-10);
    check_near(path.variance.col(size - 1), got.variance, 1e-10);
    CHECK_NEAR(path.log_evidence(size - 1), fit.log_evidence, 1e-10);
    CHECK_NEAR(path.information(size - 1), fit.trace.back().information, 1e-10);
  }
}

TEST(ivm_repeats_bit_by_bit_whatever_the_threads) {
  const Matrix x = dense::points(2, 4500, 14);  // three panels, several blocks of every kind
  const auto kernel = dense::rbf();
  Matrix y(4500, 3);
  for (Index c = 0; c < 3; ++c) y.col(c) = dense::labels(x, 20 + static_cast<std::uint64_t>(c));
  const Vector prior_mean = Vector::LinSpaced(3, -0.5, 0.5);
  const auto likelihood = dense::probit();
  const FitProblem problem{*kernel, *likelihood, x, y, prior_mean};
  const FitProblem second{*kernel, *likelihood, x, y.col(1), prior_mean.segment(1, 1)};
  for (const Criterion criterion : {Criterion::entropy, Criterion::random}) {
    IvmOptions options = pooled(40, 15, 50, 0.5, criterion);
    options.n_random = 2;
    options.refine = 2;
    std::vector<FitResult> several;
    std::vector<LatentFit> single;
    for (const int threads : {1, 1, 2, 4}) {
      Context ctx;
      ctx.threads = threads;
      several.push_back(fit_ivm(problem, options, 5, ctx));
      single.push_back(fit_ivm(second, options, 5, ctx, 1).latents[0]);
      for (Index c = 0; c < 3; ++c)
        check_identical(several.back().latents[c], several.front().latents[c]);
      check_identical(single.back(), single.front());
    }
    // A machine among others is the machine alone, up to the rounding of shared kernel columns.
    const LatentFit& shared = several[0].latents[1];
    CHECK(shared.posterior.basis == single[0].posterior.basis);
    check_near(shared.posterior.weights, single[0].posterior.weights, 1e-6);
    check_near(shared.cavity_mean, single[0].cavity_mean, 1e-9);
    check_near(shared.cavity_variance, single[0].cavity_variance, 1e-9);
    CHECK(several[0].latents[0].posterior.basis != shared.posterior.basis);
    const LatentFit other = fit_ivm(second, options, 6, {}, 1).latents[0];
    CHECK(other.posterior.basis != single[0].posterior.basis);
  }
}

TEST(ivm_stops_where_no_row_changes_the_posterior) {
  const Matrix x = dense::points(1, 50, 15);
  const auto kernel = dense::rbf(1e-150);
  for (const Index n_full : {0, 20}) {
    const FitResult fit =
        fit_ivm({*kernel, *dense::probit(), x, Matrix::Ones(50, 1), Vector::Zero(1)},
                pooled(20, n_full, 10, 0.5), 1, Context());
    CHECK(fit.latents[0].posterior.basis.empty());
    CHECK(!fit.reason.empty());
    const auto got = predict(*kernel, x, fit.latents[0], x);
    CHECK(got.mean.isZero(0.0) && got.variance == dense::diagonal(*kernel, x));
  }
}

TEST(ivm_can_be_interrupted_everywhere) {
  struct Interrupt {};
  const Matrix x = dense::points(2, 300, 16);
  const auto kernel = dense::rbf();
  Matrix y(300, 3);
  for (Index c = 0; c < 3; ++c) y.col(c) = dense::labels(x, 30 + static_cast<std::uint64_t>(c));
  IvmOptions options = pooled(30, 10, 40, 0.5);
  options.refine = 3;
  int polls = 0, last = 0;
  Context ctx;
  ctx.poll = [&] {
    if (++polls == last) throw Interrupt();
  };
  const auto fit = [&] {
    polls = 0;
    fit_ivm({*kernel, *dense::probit(), x, y.col(0), Vector::Zero(1)}, options, 1, ctx);
  };
  fit();
  const int total = polls;
  CHECK(total > 40);  // every inclusion and every pass
  for (last = 1; last <= total; last += 3) CHECK_THROWS(fit(), Interrupt);
  for (ctx.threads = 1; ctx.threads <= 4; ctx.threads += 3) {
    polls = 0;
    last = 1;
    options.n_active = 250;
    CHECK_THROWS(fit_ivm({*kernel, *dense::probit(), x, y, Vector::Zero(3)}, options, 1, ctx),
                 Interrupt);
  }
}

TEST(ivm_names_the_row_where_a_kernel_fails) {
  const Matrix x = Vector::LinSpaced(3000, 0.0, 1.0).transpose();
  const Vector y = Vector::Ones(3000);
  for (const Index bad : {7, 2500})
    for (const bool diagonal : {true, false})  // the row with itself, or with row 1, chosen first
      for (const Index n_full : {0, 5}) {
        KernelSpec spec;
        spec.type = "function";
        spec.function = [&](Points a, Points b, MatrixOut k) {
          for (Index j = 0; j < b.cols(); ++j)
            for (Index i = 0; i < a.cols(); ++i) {
              const double near = std::min(a(0, i), b(0, j)), far = std::max(a(0, i), b(0, j));
              const bool hit = far == x(0, bad) && near == x(0, diagonal ? bad : 0);
              k(i, j) = hit ? std::nan("") : near == far ? 1.0 : 0.5;
            }
        };
        std::string message = "no failure";
        try {
          fit_one(*make_kernel(spec, 1), *dense::probit(), x, y, 0.0, pooled(20, n_full, 3000, 1.0),
                  1);
        } catch (const Error& failure) {
          message = failure.what();
        }
        const std::string row = "row " + std::to_string(bad + 1);
        if (message.size() < row.size() ||
            message.compare(message.size() - row.size(), row.size(), row) != 0)
          check::fail(__FILE__, __LINE__, "expected " + row + ", got: " + message);
      }
}

TEST(ivm_names_the_row_where_a_kernel_overflows) {
  // A polynomial of huge inputs: Inf - Inf in the posterior, at one row only.
  Matrix x = dense::points(1, 2500, 17);
  const auto kernel = make_kernel(dense::leaf("linear", {{"variance", {1.0}}}), 1);
  for (const Index n_full : {0, 5}) {
    std::string message = "no failure";
    x(0, 2222) = 1e200;
    try {
      fit_one(*kernel, *dense::gaussian(1.0), x, Vector::Ones(2500), 0.0,
              pooled(20, n_full, 2500, 1.0), 1);
    } catch (const NumericalFailure& failure) {
      message = failure.what();
    }
    CHECK(message == "the kernel's variance is negative or not finite at row 2223");
  }
}
