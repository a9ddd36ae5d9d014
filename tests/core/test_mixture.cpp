// Predictions of many machines against the definitions of the mixture, machine by machine.
#include "base/error.h"
#include "dense_reference.h"
#include "models/ivm/ivm.h"
#include "posterior/mixture.h"

using namespace gpsieve;
using dense::check_near;

namespace {

struct Parts {
  Matrix x = dense::points(2, 240, 1);
  Vector y = dense::labels(x, 2);
  std::unique_ptr<Kernel> kernel = dense::rbf();
  std::unique_ptr<Likelihood> likelihood = dense::probit();
  std::vector<Indices> rows;
  std::vector<FitResult> fits;
  IvmOptions options;

  Parts() {
    rows.resize(3);
    for (Index i = 0; i < 240; ++i) rows[i % 3].push_back(i);
    for (Index i = 0; i < 20; ++i) rows[1].push_back(3 * i);  // rows that two parts share
    std::sort(rows[1].begin(), rows[1].end());
    options.n_active = 25;
    options.n_random = 2;
    options.n_full = 10;
    options.pool = 20;
    fits = fit(1);
  }
  std::vector<FitResult> fit(int threads) const {
    Context ctx;
    ctx.threads = threads;
    return fit_ivm_parts({*kernel, *likelihood, x, y, Vector::Constant(1, 0.2)}, options, rows, 7,
                         ctx);
  }
  Machine machine(Index m) const { return machine_of(x, {fits[m].latents[0].posterior}); }
};

std::vector<Visit> some_visits() {
  return {{0, 0, 1.0}, {2, 0, 0.25}, {3, 0, 0.5}, {1, 1, 1.0}, {2, 1, 0.75}, {3, 2, 1.5}};
}

void predict(const Parts& parts, const Matrix& at, int threads, Matrix& mean, Matrix& variance) {
  Context ctx;
  ctx.threads = threads;
  const auto visits = some_visits();
  mean.resize(static_cast<Index>(visits.size()), 1);
  variance.resize(mean.rows(), 1);
  predict_visits(
      *parts.kernel, [&](Index m) { return parts.machine(m); }, at, visits, true, mean, variance,
      ctx);
}

}  // namespace

TEST(mixture_machines_of_parts_are_fits_to_their_rows) {
  const Parts parts;
  for (std::size_t part = 0; part < parts.rows.size(); ++part) {
    const Indices& rows = parts.rows[part];
    const Matrix x = dense::columns(parts.x, rows);
    const Vector y = dense::columns(parts.y.transpose(), rows).transpose();
    const FitResult alone =
        fit_ivm({*parts.kernel, *parts.likelihood, x, y, Vector::Constant(1, 0.2)}, parts.options,
                7, Context(), static_cast<Index>(part));
    const LatentFit &own = alone.latents[0], &found = parts.fits[part].latents[0];
    CHECK(own.posterior.weights == found.posterior.weights);
    CHECK(own.posterior.up.factor == found.posterior.up.factor);
    CHECK(own.cavity_mean == found.cavity_mean);
    CHECK(own.log_evidence == found.log_evidence);
    for (std::size_t i = 0; i < own.posterior.basis.size(); ++i)
      CHECK(found.posterior.basis[i] == rows[own.posterior.basis[i]]);
  }
}

TEST(mixture_does_not_depend_on_threads) {
  const Parts parts;
  const auto twice = parts.fit(3);
  for (std::size_t m = 0; m < twice.size(); ++m)
    CHECK(twice[m].latents[0].posterior.weights == parts.fits[m].latents[0].posterior.weights);
  const Matrix at = dense::points(2, 4, 9);
  Matrix mean, variance, mean2, variance2;
  predict(parts, at, 1, mean, variance);
  predict(parts, at, 2, mean2, variance2);
  CHECK(mean == mean2 && variance == variance2);
}

TEST(mixture_of_one_machine_is_that_machine_and_of_several_their_moments) {
  const Parts parts;
  const Matrix at = dense::points(2, 4, 10);
  const auto visits = some_visits();
  Matrix mean, variance, mixed_mean(4, 1), mixed_variance(4, 1);
  predict(parts, at, 1, mean, variance);
  mix_visits(visits, mean, variance, mixed_mean, mixed_variance);

  std::vector<dense::Marginals> of;
  for (const FitResult& fit : parts.fits) {
    const SparsePosterior& posterior = fit.latents[0].posterior;
    of.push_back(
        dense::predict(*parts.kernel, dense::columns(parts.x, posterior.basis), posterior, at));
  }
  CHECK(mixed_mean(0, 0) == of[0].mean(0) && mixed_variance(0, 0) == of[0].variance(0));
  CHECK(mixed_mean(1, 0) == of[1].mean(1) && mixed_variance(1, 0) == of[1].variance(1));
  const auto moments = [&](Index row, Index a, Index b, double share) {
    const double middle = share * of[a].mean(row) + (1.0 - share) * of[b].mean(row);
    const auto part = [&](Index m) {
      return of[m].variance(row) + std::pow(of[m].mean(row) - middle, 2.0);
    };
    CHECK_NEAR(mixed_mean(row, 0), middle, 1e-14);
    CHECK_NEAR(mixed_variance(row, 0), share * part(a) + (1.0 - share) * part(b), 1e-13);
  };
  moments(2, 0, 1, 0.25);
  moments(3, 0, 2, 0.25);  // weights 0.5 and 1.5
}

TEST(mixture_keeps_the_digits_of_large_means_and_takes_no_weight_of_zero) {
  const std::vector<Visit> visits{{0, 0, 0.0}, {0, 1, 1.0}, {0, 2, 1.0}};
  const Matrix mean = Eigen::Vector3d(1e300, 1e8, 1e8 + 2.0),
               variance = Eigen::Vector3d(1.0, 1e-6, 3e-6);
  Matrix mixed_mean(1, 1), mixed_variance(1, 1);
  mix_visits(visits, mean, variance, mixed_mean, mixed_variance);
  CHECK(mixed_mean(0, 0) == 1e8 + 1.0);
  CHECK_NEAR(mixed_variance(0, 0), 1.0 + 2e-6, 1e-12);
}

TEST(mixture_machine_has_the_points_of_its_posteriors_alone) {
  const Parts parts;
  const Machine machine = parts.machine(0);
  const Indices& basis = parts.fits[0].latents[0].posterior.basis;
  CHECK(machine.points.cols() == 25);
  for (std::size_t i = 0; i < basis.size(); ++i)
    CHECK(machine.points.col(machine.posteriors[0].basis[i]) == parts.x.col(basis[i]));
}

TEST(mixture_refuses_visits_that_are_not_in_order) {
  const Parts parts;
  const Matrix at = dense::points(2, 2, 11);
  Matrix mean(2, 1), variance(2, 1);
  CHECK_THROWS(predict_visits(
                   *parts.kernel, [&](Index m) { return parts.machine(m); }, at,
                   {{0, 1, 1.0}, {1, 0, 1.0}}, true, mean, variance, Context()),
               InvalidSpec);
}
