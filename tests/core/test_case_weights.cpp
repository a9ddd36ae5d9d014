// Case weights: a row of weight w is w equal rows (notation.md#case-weights).
#include "check.h"
#include "copies.h"
#include "ep_helpers.h"
#include "math/column_scales.h"
#include "models/ep/ep.h"
#include "models/ivm/ivm.h"
#include "models/meanfield/meanfield.h"

namespace {

using namespace gpsieve;
using dense::Copies;

TEST(every_update_of_weighted_factors_is_that_of_the_copies) {
  const Matrix x = dense::points(2, 40, 3), z = dense::points(2, 7, 4);
  const Copies copies(40);
  const auto kernel = dense::rbf(1.4);
  for (const ep::Case& of : ep::all_cases())
    for (const Schedule schedule : {Schedule::ep, Schedule::sep, Schedule::adf}) {
      const Matrix y = ep::responses(of, x, 5), y_copies = copies.of(Vector(y.col(0)));
      const auto once = likelihood_factors(ep::maker(of), 1.0, y, Vector::Constant(1, 0.2),
                                           {copies.weight, Vector()});
      const auto often = likelihood_factors(ep::maker(of), 1.0, y_copies, Vector::Constant(1, 0.2));
      CHECK(once->n_factors(0) == often->n_factors(0));
      const Matrix x_copies = copies.of(x);
      ep::Run weighted(*kernel, x, z, *once, schedule),
          repeated(*kernel, x_copies, z, *often, schedule);
      for (int pass = 0; pass < 3; ++pass) {
        ep::check_near(weighted.passes(1).ep.natural(0), repeated.passes(1).ep.natural(0), 1e-10);
        CHECK_NEAR(weighted.log_z(), repeated.log_z(), 1e-8);
      }
    }
}

// The cavity of a row that counts less than once can be improper. A Gaussian factor needs none.
TEST(damped_updates_are_exact_for_gaussian_rows_that_count_less_than_once) {
  // Rows that say little about each other, and a basis that leaves some variance of each open.
  const Matrix x = Vector::LinSpaced(10, 0.0, 9.0).transpose();
  const Matrix z = x.array() + 0.15;
  const auto kernel = dense::rbf(1.0);
  const ep::Case gaussian{"gaussian", {{"variance", {0.1}}}};
  const Matrix y = ep::responses(gaussian, x, 5);
  const Vector weight = Vector::LinSpaced(10, 0.05, 1.5);
  for (const double power : {1.0, 0.5}) {
    const auto factors = likelihood_factors(ep::maker(gaussian), power, y, Vector::Constant(1, 0.2),
                                            {weight, Vector()});
    ep::Run at_once(*kernel, x, z, *factors), damped(*kernel, x, z, *factors);
    at_once.passes(1);
    damped.passes(60, 0.5);
    ep::check_near(damped.ep.natural(0), at_once.ep.natural(0), 1e-9);
    CHECK_NEAR(damped.log_z(), at_once.log_z(), 1e-7);
  }
}

TEST(weighted_factors_predict_and_count_as_the_copies) {
  const Matrix x = dense::points(2, 20, 3);
  const Copies copies(20);
  for (const ep::Case& of : ep::all_cases()) {
    const Matrix y = ep::responses(of, x, 5), y_copies = copies.of(Vector(y.col(0)));
    const auto once = likelihood_factors(ep::maker(of), 0.5, y, Vector::Constant(1, 0.2),
                                         {copies.weight, Vector()});
    const auto often = likelihood_factors(ep::maker(of), 0.5, y_copies, Vector::Constant(1, 0.2));
    CHECK(once->log_concave() == often->log_concave() && once->gaussian() == often->gaussian());
    CHECK(once->prior_mean(0) == 0.2);
    double factors = 0.0;
    for (Index i = 0; i < 20; ++i) factors += once->row_factors(i, 0);
    CHECK_NEAR(factors, often->n_factors(0), 1e-12);
    Projections latent, repeated;
    latent.mean = dense::points(20, 1, 6);
    latent.variance = dense::points(20, 1, 7).cwiseAbs2();
    repeated.mean = copies.of(Vector(latent.mean.col(0)));
    repeated.variance = copies.of(Vector(latent.variance.col(0)));
    CHECK_NEAR(once->log_predictive(RowSet::range(0, 20), latent),
               often->log_predictive(RowSet::range(0, repeated.mean.rows()), repeated), 1e-9);
  }
}

// A whole fit: the parameters of kernel and likelihood after some steps, sites and cavities.
TEST(learning_from_weighted_rows_is_learning_from_the_copies) {
  const Matrix x = dense::points(2, 30, 3), z = x.leftCols(6);
  const Copies copies(30);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep})
    for (const ep::Case& of : ep::all_cases()) {
      const Matrix y = ep::responses(of, x, 5);
      const auto fit = [&](bool weighted) {
        const Matrix rows_x = weighted ? x : copies.of(x);
        const Matrix rows_y = weighted ? y : Matrix(copies.of(Vector(y.col(0))));
        const auto factors = likelihood_factors(ep::maker(of), 1.0, rows_y, Vector::Zero(1),
                                                {weighted ? copies.weight : Vector(), Vector()});
        const auto kernel = dense::rbf(0.8, 0.7);
        EpFitOptions options;
        options.schedule = schedule;
        options.iterations = 6;
        options.damping = 0.5;
        options.learning.free.assign(static_cast<std::size_t>(2 + factors->n_params()), true);
        for (std::size_t i = 0; i < options.learning.free.size(); ++i)
          options.learning.group.push_back(static_cast<Index>(i));
        options.learning.optimiser = StepRule::adam;
        options.learning.rate = 0.05;
        MemoryRows memory(rows_x);
        LocalPasses passes(memory);
        return fit_ep({*kernel, *factors, passes, z, {nullptr, rows_x.leftCols(0)}, 3}, options, {},
                      Context());
      };
      const EpFit once = fit(true), often = fit(false);
      dense::check_near(once.kernel_params, often.kernel_params, 1e-7);
      dense::check_near(once.likelihood_params, often.likelihood_params, 1e-7);
      CHECK_NEAR(once.evidence.log_z, often.evidence.log_z, 1e-6);
      if (schedule != Schedule::ep) continue;
      const LatentFit &a = once.result.latents[0], &b = often.result.latents[0];
      dense::check_near(copies.of(a.cavity_mean), b.cavity_mean, 1e-6);
      dense::check_near(copies.of(a.cavity_variance), b.cavity_variance, 1e-6);
    }
}

TEST(an_offset_is_a_prior_mean_of_its_row) {
  const Matrix x = dense::points(2, 30, 6), z = dense::points(2, 6, 7), y = dense::labels(x, 8);
  const auto kernel = dense::rbf(1.2);
  const ep::Case probit{"probit", {{"noise", {0.7}}}};
  const auto with_offset = likelihood_factors(ep::maker(probit), 1.0, y, Vector::Constant(1, 0.1),
                                              {Vector(), Vector::Constant(30, 0.4)});
  const auto with_mean = ep::factors(probit, y, 1.0, 0.5);
  ep::Run a(*kernel, x, z, *with_offset), b(*kernel, x, z, *with_mean);
  CHECK_NEAR(a.passes(4).log_z(), b.passes(4).log_z(), 1e-12);
}

TEST(the_scales_of_weighted_columns_are_those_of_the_copies) {
  const Copies copies(50);
  const Matrix x = dense::points(50, 2, 9), repeated = copies.of(Matrix(x.transpose())).transpose();
  const ColumnScales once = column_scales(x.data(), 50, 2, copies.weight.data());
  const ColumnScales often = column_scales(repeated.data(), repeated.rows(), 2);
  for (Index j = 0; j < 2; ++j) {
    CHECK_NEAR(once.mean[j], often.mean[j], 1e-14);
    CHECK_NEAR(once.scale(j), often.scale(j), 1e-13);
  }
}

// With every row active and Gaussian noise the order of the sites does not matter.
TEST(an_active_row_of_weight_w_has_the_sites_of_w_rows) {
  const Matrix x = dense::points(2, 20, 10), at = dense::points(2, 5, 11);
  const Copies copies(20);
  const Vector y = dense::numbers(x, 12);
  const auto kernel = dense::rbf(1.1);
  const auto likelihood = dense::gaussian(0.3);
  IvmOptions options;
  options.refine = 0;
  options.n_active = 20;
  const LatentFit once =
      fit_ivm({*kernel, *likelihood, x, y, Vector::Zero(1), {copies.weight, Vector()}}, options, 1,
              Context())
          .latents[0];
  options.n_active = static_cast<Index>(copies.rows.size());
  const Matrix x_copies = copies.of(x);
  const LatentFit often = fit_ivm({*kernel, *likelihood, x_copies, copies.of(y), Vector::Zero(1)},
                                  options, 1, Context())
                              .latents[0];
  CHECK_NEAR(once.log_evidence, often.log_evidence, 1e-9);
  const auto a =
      dense::predict(*kernel, dense::columns(x, once.posterior.basis), once.posterior, at);
  const auto b =
      dense::predict(*kernel, dense::columns(x_copies, often.posterior.basis), often.posterior, at);
  dense::check_near(a.mean, b.mean, 1e-9);
  dense::check_near(a.variance, b.variance, 1e-9);
}

}  // namespace
