// Augmented variances against the model that they stand for, and posteriors whose parts do not fit.
#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "math/constants.h"
#include "posterior/sparse_posterior.h"
#include "posterior/valid.h"

using namespace gpsieve;

namespace {

// A linear model in functions k(., z_j) of prior precisions `alpha` after an intercept, where there
// is one, observed at rows x with precisions `omega`.
struct LinearModel {
  const Kernel& kernel;
  Matrix x, z;
  bool intercept;
  Vector alpha, omega;

  Matrix functions(const Matrix& at) const {
    const Index lead = intercept ? 1 : 0;
    Matrix out = Matrix::Ones(at.cols(), z.cols() + lead);
    if (z.cols() > 0) out.rightCols(z.cols()) = dense::cross(kernel, at, z);
    return out;
  }
  Matrix precision() const {
    const Matrix p = functions(x);
    return Matrix(alpha.asDiagonal()) + p.transpose() * omega.asDiagonal() * p;
  }
  SparsePosterior posterior(double noise) const {
    SparsePosterior out;
    for (Index j = 0; j < z.cols(); ++j) out.basis.push_back(j);
    out.intercept = intercept;
    out.prior_scale = 0.0;
    out.weights = Vector::Zero(alpha.size());
    if (alpha.size() > 0) out.up.factor = precision().llt().matrixL();
    out.augmentation = {x, omega, noise};
    return out;
  }
  // The variance at one point of the model to which k(., at) has been added with the prior
  // precision k(at, at)^2 / noise.
  double augmented_variance(const Vector& at, double noise) const {
    const Index m = alpha.size();
    const double self = dense::diagonal(kernel, at)(0);
    Matrix p(x.cols(), m + 1);
    p << functions(x), dense::cross(kernel, x, at);
    Vector prior(m + 1), own(m + 1);
    prior << alpha, self * self / noise;
    own << functions(at).transpose(), self;
    const Matrix inner = Matrix(prior.asDiagonal()) + p.transpose() * omega.asDiagonal() * p;
    return own.dot(inner.inverse() * own);
  }
};

Vector variances(const Kernel& kernel, const LinearModel& model, const SparsePosterior& posterior,
                 const Matrix& at, int threads = 1) {
  Context ctx;
  ctx.threads = threads;
  Matrix mean(at.cols(), 1), variance(at.cols(), 1);
  predict_marginals(kernel, model.z, {posterior}, at, true, mean, variance, ctx);
  return variance.col(0);
}

SparsePosterior whole_posterior() {
  SparsePosterior out;
  out.basis = {2, 0, 1};
  out.intercept = true;
  out.weights = Vector::Ones(4);
  out.down = {2.0 * Matrix::Identity(4, 4), Vector::Ones(4)};
  out.up = {Matrix::Identity(4, 4), Vector()};
  out.form = out.whitening = Matrix::Identity(4, 4);
  out.augmentation = {Matrix::Zero(2, 5), Vector::Ones(5), 0.1};
  return out;
}

template <class Damage>
void check_refused(const Damage& damage) {
  SparsePosterior posterior = whole_posterior();
  damage(posterior);
  CHECK_THROWS(require_valid(posterior, 3, 2), InvalidSpec);
}

}  // namespace

TEST(an_augmented_variance_is_that_of_the_model_with_one_more_function) {
  const auto kernel = dense::rbf(1.4, 0.7);
  const Matrix x = dense::points(2, 30, 1), at = dense::points(2, 150, 2, 3.0);
  const double noise = 0.2;
  for (const bool intercept : {false, true})
    for (const Index m : {0, 6}) {
      const Index all = m + (intercept ? 1 : 0);
      LinearModel model{*kernel,
                        x,
                        dense::points(2, m, 3),
                        intercept,
                        dense::points(all, 1, 4).cwiseAbs2().array() + 0.1,
                        dense::points(30, 1, 5).cwiseAbs2().array() + 0.5};
      const SparsePosterior posterior = model.posterior(noise);
      require_valid(posterior, m, 2);
      const Vector found = variances(*kernel, model, posterior, at);
      for (Index j = 0; j < at.cols(); j += 7)
        CHECK_NEAR(found(j), model.augmented_variance(at.col(j), noise), 1e-9);
      CHECK(variances(*kernel, model, posterior, at, 3) == found);
    }
}

TEST(an_augmented_variance_goes_back_to_the_noise_far_from_all_rows) {
  const auto kernel = dense::rbf(1.4, 0.7);
  const LinearModel model{*kernel, dense::points(2, 30, 1), dense::points(2, 6, 3),
                          false,   Vector::Ones(6),         Vector::Constant(30, 5.0)};
  const Vector far = variances(*kernel, model, model.posterior(0.2), Matrix::Constant(2, 1, 50.0));
  CHECK_NEAR(far(0), 0.2, 1e-12);
}

TEST(a_point_at_which_the_kernel_vanishes_needs_no_function) {
  KernelSpec spec = dense::leaf("linear", {{"variance", {0.7}}});
  const auto kernel = make_kernel(spec, 2);
  const LinearModel model{*kernel, dense::points(2, 30, 1), dense::points(2, 2, 3),
                          true,    Vector::Ones(3),         Vector::Constant(30, 5.0)};
  const Matrix origin = Matrix::Zero(2, 1);
  SparsePosterior plain = model.posterior(0.2);
  const Vector with = variances(*kernel, model, plain, origin);
  plain.augmentation = Augmentation();
  CHECK(with == variances(*kernel, model, plain, origin));
  CHECK(with(0) > 0.0);  // of the intercept
}

TEST(a_posterior_whose_parts_fit_together_is_valid) {
  require_valid(whole_posterior(), 3, 2);
  require_valid(SparsePosterior(), 0, 2);
  SparsePosterior bare = whole_posterior();
  bare.down = bare.up = TriangularMap();
  bare.form = bare.whitening = Matrix();
  bare.augmentation = Augmentation();
  require_valid(bare, 3, 2);
}

TEST(a_posterior_whose_parts_do_not_fit_together_is_refused) {
  const double nan = std::nan("");
  check_refused([](SparsePosterior& p) { p.basis[1] = 3; });
  check_refused([](SparsePosterior& p) { p.basis[1] = -1; });
  check_refused([](SparsePosterior& p) { p.weights = Vector::Ones(3); });
  check_refused([](SparsePosterior& p) { p.intercept = false; });
  check_refused([](SparsePosterior& p) { p.down.factor = Matrix::Identity(4, 3); });
  check_refused([](SparsePosterior& p) { p.down.scale = Vector::Ones(5); });
  check_refused([](SparsePosterior& p) { p.up.factor = Matrix::Identity(3, 4); });
  check_refused([](SparsePosterior& p) { p.up.factor(2, 2) = 0.0; });
  check_refused([](SparsePosterior& p) { p.up.factor(3, 3) = kInfinity; });
  check_refused([=](SparsePosterior& p) { p.down.factor(0, 0) = nan; });
  check_refused([](SparsePosterior& p) { p.form = Matrix::Identity(5, 5); });
  check_refused([=](SparsePosterior& p) { p.form(1, 2) = nan; });
  check_refused([](SparsePosterior& p) { p.whitening = Matrix::Identity(4, 3); });
  check_refused([](SparsePosterior& p) { p.form = Matrix(); });
  check_refused([](SparsePosterior& p) { p.augmentation.points = Matrix::Zero(3, 5); });
  check_refused([](SparsePosterior& p) { p.augmentation.precision = Vector::Ones(4); });
  check_refused([](SparsePosterior& p) { p.augmentation.noise = 0.0; });
}
