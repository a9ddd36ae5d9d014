// The relevance vector machine against dense algebra: the posterior and its QR form, sparsity and
// quality, the monotone evidence of subspace EM (also asserted inside the core), and the scale of
// the kernel.
#include <Eigen/LU>
#include <Eigen/SVD>

#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "models/rvm/model.h"
#include "models/rvm/posterior.h"
#include "models/rvm/rvm.h"
#include "models/rvm/sites.h"

using namespace gpsieve;
using dense::check_near;

static RvmOptions settings(RvmAlgorithm algorithm, RvmUpdate update, Index max_iter) {
  RvmOptions options;
  options.algorithm = algorithm;
  options.update = update;
  options.alpha_start = Vector::Constant(1, 1.0);
  options.max_iter = max_iter;
  options.random_order = false;
  return options;
}

static FitResult fit(const Kernel& kernel, const Likelihood& likelihood, const Matrix& x,
                     const Vector& y, const RvmOptions& options, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  return fit_rvm({kernel, likelihood, x, y, Vector::Zero(1)}, Matrix(x.rows(), 0), options, 1, ctx);
}

// 1 and k(x, c) for every centre c.
static Matrix design(const Kernel& kernel, const Matrix& x) {
  Matrix out(x.cols(), x.cols() + 1);
  out.col(0).setOnes();
  out.rightCols(x.cols()) = dense::cross(kernel, x, x);
  return out;
}

TEST(rvm_posterior_is_the_dense_one_by_cholesky_and_by_qr) {
  const Matrix p = dense::points(60, 12, 1);  // 60 x 12
  const Vector t = dense::numbers(dense::points(2, 60, 2), 3);
  const Vector alpha = (dense::points(12, 1, 4).col(0).array() + 3.0).square();
  const double noise = 0.05;
  const Matrix precision = p.transpose() * p / noise + Matrix(alpha.asDiagonal());
  const Matrix sigma = precision.inverse();
  const Vector mean = sigma * p.transpose() * t / noise;
  RvmPosterior plain, stable;
  CHECK(plain.factorise(p.transpose() * p / noise, alpha, 1));
  stable.factorise_by_qr(p, 1.0 / noise, alpha, 1);
  check_near(plain.covariance_times(p.transpose() * t) / noise, mean, 1e-10);
  check_near(stable.mean_by_qr(t), mean, 1e-10);
  for (const RvmPosterior* posterior : {&plain, &stable}) {
    check_near(posterior->variances(), sigma.diagonal(), 1e-10);
    check_near(posterior->gamma(), 1.0 - (alpha.array() * sigma.diagonal().array()), 1e-10);
    CHECK_NEAR(posterior->half_log_det(), 0.5 * std::log(precision.determinant() / alpha.prod()),
               1e-10);
  }
}

TEST(rvm_qr_is_accurate_where_cholesky_is_not) {
  const auto kernel = dense::rbf(1.0, 3.0);
  const Matrix x = dense::points(1, 40, 5);
  const Matrix p = dense::gram(*kernel, x);
  const Vector alpha = Vector::Constant(40, 1e-6);
  const double noise = 1e-10;
  RvmPosterior posterior;
  CHECK(!posterior.factorise(p.transpose() * p / noise, alpha, 1));
  posterior.factorise_by_qr(p, 1.0 / noise, alpha, 1);
  // |B| = prod (1 + s_i^2 / (noise alpha)) from the singular values of P, which lose nothing.
  const Vector s = Eigen::JacobiSVD<Matrix>(p).singularValues();
  const double expected = 0.5 * (1.0 + s.array().square() / (noise * 1e-6)).log().sum();
  CHECK_NEAR(posterior.half_log_det(), expected, 1e-5);
}

TEST(rvm_evidence_gain_is_the_change_of_the_evidence_and_peaks_at_the_best_precision) {
  const SparsityQuality f{2.0, 3.0};
  const double best = optimal_alpha(f, 0.0);
  CHECK_NEAR(best, 4.0 / 7.0, 1e-14);
  CHECK(optimal_alpha(f, 0.5) == best);
  CHECK(optimal_alpha(f, 2.0) == 2.0);
  CHECK(evidence_gain(2.0, f) > 0.0 && evidence_gain(2.0, f) > evidence_gain(3.0, f));
  for (const double factor : {0.5, 0.9, 1.1, 2.0})
    CHECK(evidence_gain(best * factor, f) < evidence_gain(best, f));
  CHECK(std::isinf(optimal_alpha({2.0, 1.0}, 0.0)));
  CHECK(std::isinf(optimal_alpha({2.0, 1.0}, 5.0)));
  CHECK(std::isinf(optimal_alpha({0.0, 1.0}, 0.0)));
  CHECK_NEAR(evidence_gain(1e12, f), 0.0, 1e-10);
}

TEST(rvm_sites_solve_the_mean_field_equations) {
  const Vector y = dense::labels(dense::points(2, 50, 6), 7);
  const Vector outputs = 20.0 * dense::points(1, 50, 8).row(0);
  const Vector variances = dense::points(1, 50, 9).row(0).array().square() * 10.0;
  RvmSites sites(y, Vector::Ones(y.size()), 0.7, 1);
  sites.update(outputs, variances);
  const auto probit = dense::likelihood("probit", {{"noise", {0.7}}});
  const Vector mean = sites.cavity_mean(variances);
  for (Index i = 0; i < y.size(); ++i) {
    CHECK_NEAR(mean(i) + variances(i) * sites.gradient()(i), outputs(i), 1e-10);
    const Tilted tilted = probit->tilted(y(i), mean(i), variances(i));
    CHECK_NEAR(sites.gradient()(i), tilted.d1, 1e-9);
    CHECK_NEAR(sites.precision()(i), -tilted.d2 / (1.0 + variances(i) * tilted.d2), 1e-9);
  }
}

TEST(rvm_subspace_em_never_lowers_the_evidence) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix x = dense::points(2, 40, seed);
    const auto kernel = dense::rbf(1.0, 0.8);
    RvmOptions options = settings(RvmAlgorithm::ssem, RvmUpdate::em, 20);
    options.entry = seed % 2 == 0 ? RvmEntry::optimal : RvmEntry::guarded;
    options.sweeps = 1;  // a second sweep by itself takes functions in whatever they gain
    const auto result = fit(*kernel, *dense::gaussian(0.1), x, dense::numbers(x, seed), options);
    const auto& trace = result.latents[0].trace;
    for (std::size_t i = 1; i < trace.size(); ++i)
      CHECK(trace[i].objective >= trace[i - 1].objective - 1e-8 * std::abs(trace[i].objective));
  }
}

TEST(rvm_tap_is_expectation_propagation_on_the_degenerate_prior) {
  const Matrix x = dense::points(2, 25, 10);
  const Vector y = dense::labels(x, 11);
  const auto kernel = dense::rbf(1.0, 1.0);
  const auto result =
      fit(*kernel, *dense::probit(), x, y, settings(RvmAlgorithm::em, RvmUpdate::em, 0));
  const Matrix p = design(*kernel, x);
  const auto ep = dense::probit_ep(p * p.transpose(), y, 0.0);
  CHECK_NEAR(result.latents[0].log_evidence, ep.log_evidence, 1e-8);
  check_near(p * result.latents[0].posterior.weights, ep.mean, 1e-8);
}

// A power of two scales every kernel value exactly, so that not even rounding may differ.
TEST(rvm_does_not_depend_on_the_scale_of_the_kernel) {
  const Matrix x = dense::points(2, 60, 16);
  const auto kernel = dense::rbf(1.0, 0.7);
  for (const double scale : {0x1p40, 0x1p-40})
    for (const auto algorithm : {RvmAlgorithm::ssem, RvmAlgorithm::em, RvmAlgorithm::fast})
      for (const bool classes : {false, true}) {
        const auto scaled = dense::rbf(scale, 0.7);
        const auto likelihood = classes ? dense::probit() : dense::gaussian(0.1);
        const Vector y = classes ? dense::labels(x, 17) : dense::numbers(x, 17);
        const RvmOptions options = settings(algorithm, RvmUpdate::mackay, 15);
        const auto one = fit(*kernel, *likelihood, x, y, options);
        const auto two = fit(*scaled, *likelihood, x, y, options);
        const auto& posterior = one.latents[0].posterior;
        const auto& other = two.latents[0].posterior;
        CHECK(posterior.basis.size() > 1);
        CHECK(posterior.basis == other.basis);
        const Index m = static_cast<Index>(posterior.basis.size());
        CHECK(posterior.weights.tail(m) == other.weights.tail(m) * scale);
        CHECK(posterior.up.scale.tail(m) == other.up.scale.tail(m) * scale);
        CHECK(one.latents[0].log_evidence == two.latents[0].log_evidence);
      }
}

// |x - c| vanishes where x = c, and -|x - c| is negative elsewhere.
TEST(rvm_scales_kernels_that_vanish_on_their_diagonal) {
  const Matrix x = dense::points(1, 40, 18);
  const Vector y = (2.0 * x.row(0).array()).sin();
  for (const double scale : {1.0, 0x1p40, 0x1p-40}) {
    KernelSpec spec;
    spec.type = "function";
    spec.function = [scale](Points a, Points b, MatrixOut k) {
      for (Index j = 0; j < b.cols(); ++j)
        for (Index i = 0; i < a.cols(); ++i) k(i, j) = -scale * std::abs(a(0, i) - b(0, j));
    };
    const auto kernel = make_kernel(spec, 1);
    const auto result = fit(*kernel, *dense::gaussian(0.1), x, y,
                            settings(RvmAlgorithm::ssem, RvmUpdate::mackay, 100));
    const auto& posterior = result.latents[0].posterior;
    CHECK(posterior.basis.size() > 1);
    Matrix p = design(*kernel, x);
    Vector fitted = Vector::Zero(x.cols());
    if (posterior.intercept) fitted.setConstant(posterior.weights(0));
    const Index m = static_cast<Index>(posterior.basis.size());
    for (Index j = 0; j < m; ++j)
      fitted += p.col(posterior.basis[j] + 1) * posterior.weights(posterior.weights.size() - m + j);
    CHECK((fitted - y).squaredNorm() < 0.01 * y.squaredNorm());
  }
}

TEST(rvm_threads_change_nothing) {
  const Matrix x = dense::points(2, 120, 12);
  const auto kernel = dense::rbf(1.0, 0.7);
  for (const auto algorithm : {RvmAlgorithm::ssem, RvmAlgorithm::em, RvmAlgorithm::fast})
    for (const bool classes : {false, true}) {
      const auto likelihood = classes ? dense::probit() : dense::gaussian(0.1);
      const Vector y = classes ? dense::labels(x, 13) : dense::numbers(x, 13);
      const RvmOptions options = settings(algorithm, RvmUpdate::mackay, 15);
      const auto one = fit(*kernel, *likelihood, x, y, options);
      const auto two = fit(*kernel, *likelihood, x, y, options, 3);
      CHECK(one.latents[0].posterior.basis == two.latents[0].posterior.basis);
      CHECK(one.latents[0].posterior.weights == two.latents[0].posterior.weights);
      CHECK(one.latents[0].log_evidence == two.latents[0].log_evidence);
    }
}

TEST(rvm_refuses_what_does_not_fit) {
  const Matrix x = dense::points(2, 10, 14);
  const auto kernel = dense::rbf();
  const Vector y = dense::labels(x, 15);
  const RvmOptions options = settings(RvmAlgorithm::em, RvmUpdate::em, 0);
  CHECK_THROWS(fit(*kernel, *dense::likelihood("logit"), x, y, options), InvalidSpec);
  // Label noise has the parameter of a probit, but its flips would be ignored.
  const auto label_noise = dense::likelihood("label_noise", {{"noise", {1.0}}, {"flip", {0.1}}});
  CHECK_THROWS(fit(*kernel, *label_noise, x, y, options), InvalidSpec);
  RvmOptions wrong = options;
  wrong.alpha_start = Vector::Ones(3);
  CHECK_THROWS(fit(*kernel, *dense::gaussian(0.1), x, y, wrong), InvalidSpec);
  CHECK_THROWS(fit(*kernel, *dense::gaussian(0.1), x, y.head(9), options), InvalidSpec);
  CHECK_THROWS(fit(*kernel, *dense::gaussian(0.1), x.leftCols(0), y.head(0), options), InvalidSpec);
}
