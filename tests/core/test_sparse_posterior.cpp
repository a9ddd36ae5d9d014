// Prediction from a sparse posterior against its defining formula, one number at a time.
#include <thread>

#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "posterior/joint_covariance.h"
#include "posterior/sparse_posterior.h"

using namespace gpsieve;

static Matrix lower_factor(Index m, std::uint64_t seed) {
  Matrix factor = dense::points(m, m, seed, 0.5).triangularView<Eigen::Lower>();
  factor.diagonal().array() += 2.0;
  return factor;
}

// Several posteriors over one basis: all kinds of maps, scales, subsets and orders.
static std::vector<SparsePosterior> posteriors(Index basis) {
  std::vector<SparsePosterior> all;
  for (const bool intercept : {false, true})
    for (const bool down : {false, true})
      for (const bool up : {false, true})
        for (const double prior_scale : {0.0, 1.0}) {
          const std::uint64_t seed = 100 + all.size();
          SparsePosterior posterior;
          for (Index i = static_cast<Index>(all.size()) % 3; i < basis; i += 2)
            posterior.basis.insert(posterior.basis.begin(), i);
          const Index m = static_cast<Index>(posterior.basis.size()) + (intercept ? 1 : 0);
          posterior.weights = dense::points(m, 1, seed);
          posterior.intercept = intercept;
          posterior.prior_scale = prior_scale;
          posterior.prior_mean = 0.1 * static_cast<double>(all.size());
          if (down) {
            posterior.down.factor = 4.0 * lower_factor(m, seed + 50);
            if (up) posterior.down.scale = dense::points(m, 1, seed + 60).array().abs() + 0.1;
          }
          if (up) posterior.up.factor = lower_factor(m, seed + 70);
          all.push_back(posterior);
        }
  return all;
}

static double squared_norm(const TriangularMap& map, const Vector& k) {
  if (map.factor.size() == 0) return 0.0;
  const Vector scaled = map.scale.size() > 0 ? Vector(map.scale.cwiseProduct(k)) : k;
  return (map.factor.inverse() * scaled).squaredNorm();
}

static dense::Marginals naive(const Kernel& kernel, const Matrix& basis,
                              const SparsePosterior& posterior, const Matrix& x) {
  dense::Marginals out{Vector(x.cols()), Vector(x.cols())};
  const Index lead = posterior.intercept ? 1 : 0;
  const Matrix own = dense::columns(basis, posterior.basis);
  for (Index j = 0; j < x.cols(); ++j) {
    Vector k = Vector::Ones(own.cols() + lead);
    k.tail(own.cols()) = dense::cross(kernel, own, x.col(j));
    out.mean(j) = posterior.prior_mean + k.dot(posterior.weights);
    const double variance = posterior.prior_scale * dense::diagonal(kernel, x.col(j))(0) -
                            squared_norm(posterior.down, k) + squared_norm(posterior.up, k);
    out.variance(j) = std::max(0.0, variance);
  }
  return out;
}

TEST(predictions_follow_the_formula_at_every_block_size) {
  const auto kernel = dense::rbf();
  const Matrix basis = dense::points(2, 12, 1);
  const auto all = posteriors(12);
  const Index count = static_cast<Index>(all.size());
  for (const Index n : {0, 1, 255, 256, 257, 5000}) {
    const Matrix x = dense::points(2, n, 2);
    Matrix mean = Matrix::Constant(n, count, -77.0), variance = mean;
    predict_marginals(*kernel, basis, all, x, true, mean, variance, Context());
    if (n == 0) continue;
    for (Index c = 0; c < count; ++c) {
      const Index step = n > 1000 ? 7 : 1;
      Matrix some(2, (n + step - 1) / step);
      for (Index j = 0; j < some.cols(); ++j) some.col(j) = x.col(j * step);
      const auto want = naive(*kernel, basis, all[c], some);
      for (Index j = 0; j < some.cols(); ++j) {
        CHECK_NEAR(mean(j * step, c), want.mean(j), 1e-12);
        CHECK_NEAR(variance(j * step, c), want.variance(j), 1e-11);
      }
    }
    Matrix means_only(n, count), nothing(0, 0);
    predict_marginals(*kernel, basis, all, x, false, means_only, nothing, Context());
    CHECK(means_only == mean);
  }
}

TEST(predictions_do_not_depend_on_the_other_rows_or_the_threads) {
  const auto kernel = dense::rbf();
  const Matrix basis = dense::points(3, 20, 3), x = dense::points(3, 9000, 4);
  const auto all = posteriors(20);
  const Index count = static_cast<Index>(all.size());
  Matrix mean(9000, count), variance(9000, count);
  predict_marginals(*kernel, basis, all, x, true, mean, variance, Context());
  for (const int threads : {2, 4}) {
    Context ctx;
    ctx.threads = threads;
    Matrix m(9000, count), v(9000, count);
    predict_marginals(*kernel, basis, all, x, true, m, v, ctx);
    CHECK(m == mean && v == variance);
  }
  for (const Index row : {0, 255, 256, 2047, 2048, 8999}) {
    Matrix m(1, count), v(1, count);
    predict_marginals(*kernel, basis, all, x.col(row), true, m, v, Context());
    for (Index c = 0; c < count; ++c) {
      CHECK_NEAR(m(0, c), mean(row, c), 1e-12);
      CHECK_NEAR(v(0, c), variance(row, c), 1e-12);
    }
  }
}

TEST(a_posterior_predicts_the_same_alone_and_among_others) {
  const auto kernel = dense::rbf();
  const Matrix basis = dense::points(2, 12, 5), x = dense::points(2, 300, 6);
  const auto all = posteriors(12);
  const Index count = static_cast<Index>(all.size());
  Matrix mean(300, count), variance(300, count), m(300, 1), v(300, 1);
  predict_marginals(*kernel, basis, all, x, true, mean, variance, Context());
  for (Index c = 0; c < count; ++c) {
    predict_marginals(*kernel, basis, {all[c]}, x, true, m, v, Context());
    CHECK(m.col(0) == mean.col(c) && v.col(0) == variance.col(c));
  }
}

TEST(a_point_with_a_nan_harms_no_other) {
  const auto kernel = dense::rbf();
  const Matrix basis = dense::points(2, 12, 7);
  Matrix x = dense::points(2, 300, 8);
  const auto all = posteriors(12);
  const Index count = static_cast<Index>(all.size());
  Matrix mean(300, count), variance(300, count), m(300, count), v(300, count);
  predict_marginals(*kernel, basis, all, x, true, mean, variance, Context());
  x(1, 5) = std::nan("");
  predict_marginals(*kernel, basis, all, x, true, m, v, Context());
  for (Index c = 0; c < count; ++c)
    for (Index j = 0; j < 300; ++j) {
      if (j == 5) {
        CHECK(std::isnan(m(j, c)));
        CHECK(std::isnan(v(j, c)) || (all[c].down.empty() && all[c].up.empty()));
      } else {
        CHECK_NEAR(m(j, c), mean(j, c), 1e-14);
        CHECK_NEAR(v(j, c), variance(j, c), 1e-14);
      }
    }
}

TEST(an_empty_posterior_predicts_the_prior) {
  const auto kernel = dense::rbf(1.7);
  SparsePosterior nothing, only_intercept;
  nothing.prior_mean = 0.4;
  only_intercept.intercept = true;
  only_intercept.weights = Vector::Constant(1, 2.0);
  only_intercept.prior_scale = 0.0;
  only_intercept.up.factor = Matrix::Constant(1, 1, 0.5);
  const Matrix x = dense::points(2, 10, 9);
  Matrix mean(10, 2), variance(10, 2);
  predict_marginals(*kernel, Matrix(2, 0), {nothing, only_intercept}, x, true, mean, variance,
                    Context());
  CHECK((mean.col(0).array() == 0.4).all() && (variance.col(0).array() == 1.7).all());
  CHECK((mean.col(1).array() == 2.0).all() && (variance.col(1).array() == 4.0).all());
  Matrix none(10, 0);
  predict_marginals(*kernel, dense::points(2, 5, 1), {}, x, true, none, none, Context());
}

TEST(variances_where_the_data_determine_f_are_zero_not_negative) {
  const auto kernel = dense::rbf(1e6, 3.0);
  const Matrix basis = dense::points(2, 20, 10);
  SparsePosterior posterior;
  for (Index i = 0; i < 20; ++i) posterior.basis.push_back(i);
  posterior.weights = Vector::Ones(20);
  Matrix k = dense::gram(*kernel, basis);
  k.diagonal().array() += 1e-6;
  posterior.down.factor = k.llt().matrixL();
  Matrix mean(20, 1), variance(20, 1);
  predict_marginals(*kernel, basis, {posterior}, basis, true, mean, variance, Context());
  CHECK((variance.array() >= 0.0).all() && variance.maxCoeff() < 1e-2);
}

TEST(prediction_can_be_interrupted_and_reports_on_the_main_thread) {
  struct Interrupt {};
  const auto kernel = dense::rbf();
  const Matrix basis = dense::points(2, 12, 11), x = dense::points(2, 9000, 12);
  const auto all = posteriors(12);
  Matrix mean(9000, 16), variance(9000, 16);
  for (const int threads : {1, 2}) {
    int polls = 0;
    double done = 0.0;
    bool ordered = true;
    const auto main_thread = std::this_thread::get_id();
    Context ctx;
    ctx.threads = threads;
    ctx.progress = [&](const Progress& p) {
      ordered = ordered && p.done > done && std::this_thread::get_id() == main_thread;
      done = p.done;
    };
    predict_marginals(*kernel, basis, all, x, true, mean, variance, ctx);
    CHECK(ordered && done == 1.0);
    ctx.poll = [&] {
      if (++polls == 2) throw Interrupt();
    };
    CHECK_THROWS(predict_marginals(*kernel, basis, all, x, true, mean, variance, ctx), Interrupt);
    CHECK(polls == 2);
  }
}

// The form of online models, with and without its whitening.
static std::vector<SparsePosterior> with_forms(Index basis) {
  auto all = posteriors(basis);
  for (const bool whitened : {false, true}) {
    SparsePosterior posterior = all[0];
    const Index m = posterior.weights.size();
    const Matrix half = dense::points(m, m, 300, 0.1);
    posterior.form = half * half.transpose();
    if (whitened) posterior.whitening = lower_factor(m, 301) / 8.0;
    posterior.prior_scale = 1.0;
    all.push_back(posterior);
  }
  return all;
}

TEST(the_joint_covariance_has_the_variances_on_its_diagonal) {
  const auto kernel = dense::rbf();
  const Matrix basis = dense::points(2, 12, 1), x = dense::points(2, 700, 2);
  const auto all = with_forms(12);
  const Index count = static_cast<Index>(all.size());
  Matrix mean(700, count), variance(700, count);
  predict_marginals(*kernel, basis, all, x, true, mean, variance, Context());
  const auto joint = joint_covariances(*kernel, basis, all, x, Context());
  for (Index c = 0; c < count; ++c) {
    CHECK_NEAR((joint[c].diagonal() - variance.col(c)).cwiseAbs().maxCoeff(), 0.0, 1e-12);
    CHECK(joint[c] == joint[c].transpose());
  }
}

TEST(the_joint_covariance_follows_from_the_variances_of_sums) {
  // A kernel that is linear in x makes var(f(x + z)) known from its parts; with the linear kernel
  // f is a linear function without intercept under every posterior that has no leading 1.
  KernelSpec spec;
  spec.type = "linear";
  spec.values["variance"] = {0.7};
  const auto kernel = make_kernel(spec, 2);
  const Matrix basis = dense::points(2, 12, 3);
  auto all = with_forms(12);
  for (auto& posterior : all) posterior.prior_scale = 1e4;  // no variance is cut at zero
  const Matrix x = dense::points(2, 9, 4), z = dense::points(2, 9, 5);
  Matrix both(2, 27);
  both << x, z, x + z;
  const auto joint = joint_covariances(*kernel, basis, all, both, Context());
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (all[c].intercept) continue;
    const Matrix& k = joint[c];
    const double scale = k.diagonal().maxCoeff();
    for (Index i = 0; i < 9; ++i)
      CHECK_NEAR(k(18 + i, 18 + i) / scale, (k(i, i) + k(9 + i, 9 + i) + 2.0 * k(i, 9 + i)) / scale,
                 1e-12);
  }
}

TEST(the_joint_covariance_does_not_depend_on_the_threads_or_the_other_rows) {
  const auto kernel = dense::rbf();
  const Matrix basis = dense::points(3, 20, 3), x = dense::points(3, 900, 4);
  const auto all = with_forms(20);
  const auto alone = joint_covariances(*kernel, basis, all, x, Context());
  Context ctx;
  ctx.threads = 3;
  const auto threaded = joint_covariances(*kernel, basis, all, x, ctx);
  const auto few = joint_covariances(*kernel, basis, all, x.middleCols(500, 40), Context());
  for (std::size_t c = 0; c < all.size(); ++c) {
    CHECK(alone[c] == threaded[c]);
    CHECK_NEAR((alone[c].block(500, 500, 40, 40) - few[c]).cwiseAbs().maxCoeff(), 0.0, 1e-12);
  }
}

TEST(an_augmented_posterior_has_no_joint_covariance) {
  auto all = posteriors(12);
  all[0].augmentation.points = dense::points(2, 5, 1);
  CHECK_THROWS(joint_covariances(*dense::rbf(), dense::points(2, 12, 1), all,
                                 dense::points(2, 3, 2), Context()),
               InvalidSpec);
}

TEST(correlated_draws_are_the_factor_times_normal_numbers) {
  const Matrix half = dense::points(6, 6, 8);
  const Matrix covariance = half * half.transpose();
  const Matrix factor = correlated_draws(covariance, Matrix::Identity(6, 6), 1);
  CHECK_NEAR((factor * factor.transpose() - covariance).cwiseAbs().maxCoeff(), 0.0, 1e-9);
  const Matrix singular = Matrix::Ones(6, 6);
  const Matrix same = correlated_draws(singular, dense::points(6, 3, 9), 1);
  for (Index j = 0; j < 3; ++j)
    CHECK_NEAR((same.col(j).array() - same(0, j)).abs().maxCoeff(), 0.0, 1e-4);
  CHECK(correlated_draws(Matrix::Zero(4, 4), dense::points(4, 2, 9), 1).isZero(0.0));
}
