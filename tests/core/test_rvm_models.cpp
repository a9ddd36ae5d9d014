// The design matrix, the gradients of every inference, case weights and hard posteriors of the
// relevance vector machine.
#include <Eigen/SVD>

#include "base/error.h"
#include "check.h"
#include "copies.h"
#include "ep_helpers.h"
#include "models/rvm/design_matrix.h"
#include "models/rvm/rvm.h"
#include "models/rvm/sites.h"

using namespace gpsieve;
using dense::check_near;

namespace {

// No iteration: precisions stay at their start.
RvmOptions still(double alpha, RvmInference inference = RvmInference::tap) {
  RvmOptions options;
  options.algorithm = RvmAlgorithm::em;
  options.inference = inference;
  options.alpha_start = Vector::Constant(1, alpha);
  options.max_iter = 0;
  options.learn_noise = false;
  return options;
}

LatentFit fit(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x, const Vector& y,
              const Matrix& centres, const RvmOptions& options, const CaseTerms& cases = {}) {
  return fit_rvm({kernel, likelihood, x, y, Vector::Zero(1), cases}, centres, options, 1, Context())
      .latents[0];
}

const RvmInference kInferences[] = {RvmInference::tap, RvmInference::laplace, RvmInference::naive};

}  // namespace

// Two design matrices of more than 2^26 entries, of which none is stored.
TEST(rvm_columns_that_are_not_stored_are_the_scaled_kernel_functions) {
  const Index n = 8200;
  const Matrix x = dense::points(1, n, 1);
  const auto kernel = make_kernel(
      dense::leaf("polynomial",
                  {{"variance", {1.3}}, {"degree", {2.0}}, {"offset", {0.4}}, {"scale", {1.0}}}),
      1);
  const Vector weight = dense::points(n, 1, 2).cwiseAbs2().array() + 0.5;
  for (const bool intercept : {false, true}) {
    const RvmDesignMatrix design(*kernel, x, x, intercept, Context(), weight, weight.cwiseSqrt());
    const Index lead = intercept ? 1 : 0;
    CHECK(design.size() == n + lead);
    const Indices some{0, 3, 63, 64, 65, 8199};
    Matrix columns(n, 6);
    design.columns(some.data(), 6, columns);
    for (Index j = 0; j < 6; ++j) {
      Vector want = weight.cwiseSqrt();
      if (some[j] >= lead) {
        const Matrix centre = x.col(some[j] - lead);
        // h_j^2: the mean of the kernel's diagonal times its value at the centre.
        const double mean = dense::diagonal(*kernel, x).dot(weight) / weight.sum();
        const double scale = std::sqrt(mean * dense::diagonal(*kernel, centre)(0));
        CHECK_NEAR(design.scale(some[j]), scale, 1e-12);
        want = want.cwiseProduct(dense::cross(*kernel, x, centre).col(0)) / scale;
      }
      check_near(columns.col(j), want, 1e-12);
    }
    struct Seen {};
    Index next = 0;
    CHECK_THROWS(design.each_block([&](Index first, MatrixIn block) {
      CHECK(first == next);
      next += block.cols();
      for (Index j = 0; j < 6; ++j)
        if (some[j] >= first && some[j] < next)
          check_near(block.col(some[j] - first), columns.col(j), 1e-12);
      if (next > 300) throw Seen();  // every value of the matrix would take seconds
    }),
                 Seen);
  }
}

TEST(rvm_derivatives_of_sites_are_differences) {
  const Vector y = dense::labels(dense::points(2, 30, 6), 7), none = Vector::Zero(30);
  const Vector weight = dense::points(30, 1, 9).cwiseAbs2().array() + 0.3;
  const Vector outputs = 4.0 * dense::points(1, 30, 8).row(0);
  RvmSites sites(y, weight, 0.7, 1);
  sites.update(outputs, none);
  const Vector slope = sites.precision_derivative();
  // Without a cavity variance the curvature is the precision.
  check_near(sites.curvature(none), sites.precision(), 1e-10);
  const double h = 1e-4;
  RvmSites up = sites, down = sites;
  up.update(outputs.array() + h, none);
  down.update(outputs.array() - h, none);
  check_near(slope, (up.precision() - down.precision()) / (2.0 * h), 1e-6);
  // beta = -d2 log Z / dm2, by the likelihood itself.
  const Vector variances = dense::points(30, 1, 10).cwiseAbs2();
  sites.update(outputs, variances);
  const auto probit = dense::likelihood("probit", {{"noise", {0.7}}});
  const Vector mean = sites.cavity_mean(variances), beta = sites.curvature(variances);
  for (Index i = 0; i < 30; ++i)
    CHECK_NEAR(beta(i), -weight(i) * probit->tilted(y(i), mean(i), variances(i)).d2, 1e-9);
}

// At fixed precisions of the kernel functions, whose scale does not change with the lengthscales.
TEST(rvm_gradients_by_lengthscales_are_differences) {
  const Matrix x = dense::points(2, 40, 3), centres = x.leftCols(7);
  const auto kernel = make_kernel(dense::rbf_spec(1.0, {0.8, 1.2}), 2);
  const Vector at = kernel->params();
  CaseTerms cases;
  cases.weight = dense::points(40, 1, 8).cwiseAbs2().array() + 1.0;
  for (const bool weighted : {false, true})
    for (const RvmInference inference : kInferences)
      for (const bool classes : {false, true}) {
        const auto likelihood = classes ? dense::probit() : dense::gaussian(0.1);
        const Vector y = classes ? dense::labels(x, 4) : dense::numbers(x, 4);
        const auto value = [&](const Vector& params) {
          kernel->set_params(params);
          return fit(*kernel, *likelihood, x, y, centres, still(0.5, inference),
                     weighted ? cases : CaseTerms());
        };
        const Vector gradient = value(at).evidence_gradient;
        for (const Index j : {1, 2}) {
          const auto moved = [&](double h) {
            Vector params = at;
            params(j) += h;
            return value(params).log_evidence;
          };
          CHECK_NEAR(gradient(j), ep::slope(moved, 1e-3), 1e-5);
        }
      }
}

TEST(rvm_precisions_of_naive_mean_field_are_stationary) {
  const Matrix x = dense::points(2, 60, 3), centres = x.leftCols(3);
  const Vector y = dense::labels(x, 4);
  const auto kernel = dense::rbf(1.0, 0.9);
  RvmOptions options = still(1.0, RvmInference::naive);
  options.intercept = false;
  options.max_iter = 5000;
  options.tol = 1e-13;
  options.prune = 1e12;
  const LatentFit found = fit(*kernel, *dense::probit(), x, y, centres, options);
  CHECK(found.posterior.basis.size() == 3);
  Vector alpha(3);
  for (Index j = 0; j < 3; ++j)
    alpha(found.posterior.basis[j]) = std::pow(found.posterior.up.scale(j), -2.0);
  options.max_iter = 0;
  for (Index j = 0; j < 3; ++j) {
    const auto moved = [&](double h) {
      options.alpha_start = alpha;
      options.alpha_start(j) *= std::exp(h);
      return fit(*kernel, *dense::probit(), x, y, centres, options).log_evidence;
    };
    CHECK_NEAR(moved(0.0), found.log_evidence, 1e-8);
    CHECK_NEAR(ep::slope(moved, 1e-3), 0.0, 1e-4);
  }
}

TEST(rvm_with_case_weights_is_that_of_the_copies) {
  const Matrix x = dense::points(2, 40, 3), centres = x.leftCols(9), at = dense::points(2, 6, 5);
  const dense::Copies copies(40);
  const auto kernel = dense::rbf(1.3, 0.9);
  for (const RvmInference inference : kInferences)
    for (const bool classes : {false, true}) {
      const auto likelihood = classes ? dense::probit() : dense::gaussian(0.1);
      const Vector y = classes ? dense::labels(x, 4) : dense::numbers(x, 4);
      RvmOptions options = still(1.0, inference);
      options.max_iter = 8;
      options.augmented = true;
      const LatentFit once =
          fit(*kernel, *likelihood, x, y, centres, options, {copies.weight, Vector()});
      const LatentFit often =
          fit(*kernel, *likelihood, copies.of(x), copies.of(y), centres, options);
      CHECK_NEAR(once.log_evidence, often.log_evidence, 1e-7);
      CHECK(once.posterior.basis == often.posterior.basis);
      check_near(once.posterior.weights, often.posterior.weights, 1e-6);
      check_near(once.evidence_gradient, often.evidence_gradient, 1e-5);
      const Matrix basis = dense::columns(centres, once.posterior.basis);
      check_near(dense::predict(*kernel, basis, once.posterior, at).variance,
                 dense::predict(*kernel, basis, often.posterior, at).variance, 1e-6);
      // The variances of the function that is added do not shrink away from the basis.
      SparsePosterior plain = once.posterior;
      plain.augmentation = Augmentation();
      const Matrix far = Matrix::Constant(2, 1, 40.0);
      const double noise = once.posterior.augmentation.noise;
      CHECK_NEAR(dense::predict(*kernel, basis, once.posterior, far).variance(0) -
                     dense::predict(*kernel, basis, plain, far).variance(0),
                 noise, 1e-9);
    }
}

// log N(y | 0, noise I + P P' / alpha) from the singular values of P, where P'P / noise has lost
// its digits: with more functions than half of the rows, and with few.
TEST(rvm_regression_keeps_its_digits_where_functions_are_nearly_dependent) {
  const Matrix x = dense::points(1, 40, 5);
  const auto kernel = dense::rbf(1.0, 3.0);
  const double noise = 1e-10, alpha = 1e-4, pi = std::acos(-1.0);
  for (const Index m : {40, 14}) {
    const Matrix centres = x.leftCols(m), p = dense::cross(*kernel, x, centres);
    const Vector y = p * dense::points(m, 1, 6).col(0);
    RvmOptions options = still(alpha);
    options.intercept = false;
    options.noise_start = noise;
    const LatentFit found = fit(*kernel, *dense::gaussian(noise), x, y, centres, options);
    const Eigen::JacobiSVD<Matrix> svd(p, Eigen::ComputeFullU);
    Vector total = Vector::Constant(40, noise);
    total.head(m) += svd.singularValues().cwiseAbs2() / alpha;
    const Vector rotated = svd.matrixU().transpose() * y;
    const double expected =
        -0.5 * (total.array().log().sum() + (rotated.array().square() / total.array()).sum() +
                40.0 * std::log(2.0 * pi));
    CHECK_NEAR(found.log_evidence, expected, 1e-6 * std::abs(expected));
    const dense::Marginals now = dense::predict(*kernel, centres, found.posterior, x);
    check_near(now.mean, y, 1e-3);
  }
}

TEST(rvm_sweeps_in_random_order_depend_on_the_seed_alone) {
  const Matrix x = dense::points(2, 60, 3);
  const auto kernel = dense::rbf(1.0, 0.7);
  const Vector y = dense::numbers(x, 4);
  RvmOptions options = still(1.0);
  options.algorithm = RvmAlgorithm::ssem;
  options.update = RvmUpdate::em;
  options.max_iter = 10;
  const auto by = [&](std::uint64_t seed) {
    return fit_rvm({*kernel, *dense::gaussian(0.1), x, y, Vector::Zero(1)}, Matrix(2, 0), options,
                   seed, Context())
        .latents[0];
  };
  const LatentFit one = by(1), same = by(1), other = by(2);
  CHECK(one.posterior.weights == same.posterior.weights);
  CHECK(one.posterior.basis == same.posterior.basis && one.log_evidence == same.log_evidence);
  CHECK(one.posterior.basis != other.posterior.basis);
}

// Smooth data without noise: the first sweep judges functions with far too much of it.
TEST(rvm_sweeps_twice_where_the_first_sweep_lowered_the_noise_much) {
  const Matrix x = dense::points(2, 120, 3);
  const auto kernel = dense::rbf(1.0, 1.5);
  const Vector smooth = (x.row(0).array().sin() + x.row(1).array().square()).matrix().transpose();
  RvmOptions options;
  options.alpha_start = Vector::Constant(1, 1.0);
  const auto by = [&](const Vector& y, Index sweeps) {
    options.sweeps = sweeps;
    return fit_rvm({*kernel, *dense::gaussian(0.1), x, y, Vector::Zero(1)}, Matrix(2, 0), options,
                   1, Context())
        .latents[0]
        .log_evidence;
  };
  CHECK(by(smooth, 0) > by(smooth, 1) + 5.0);
  const Vector noise = dense::numbers(x, 4, 3.0);
  CHECK(by(noise, 0) == by(noise, 1));
  options.entry = RvmEntry::literal;
  CHECK(by(smooth, 0) == by(smooth, 1));
}

TEST(rvm_refuses_posteriors_and_functions_that_are_not_finite) {
  const Matrix x = dense::points(2, 20, 3);
  const auto kernel = dense::rbf();
  for (const bool classes : {false, true}) {
    const auto likelihood =
        classes ? dense::likelihood("probit", {{"noise", {1e-12}}}) : dense::gaussian(1e-12);
    const Vector y = dense::labels(x, 4);
    RvmOptions options = still(1e-300);  // prior variances that overflow in units of the noise
    options.noise_start = 1e-12;
    if (!classes) CHECK_THROWS(fit(*kernel, *likelihood, x, y, x, options), NumericalFailure);
    Matrix broken = x;
    broken(0, 3) = std::nan("");
    CHECK_THROWS(fit(*kernel, *likelihood, x, y, broken, still(1.0)), NumericalFailure);
  }
}
