// Case weights: a row of weight w is w equal rows (notation.md#case-weights).
#include "check.h"
#include "ep_helpers.h"
#include "math/column_scales.h"
#include "models/ivm/ivm.h"
#include "models/meanfield/meanfield.h"

namespace {

using namespace gpsieve;

// Weights 1, 2, 3, 1, 2, 3, ... and the rows that they stand for.
struct Copies {
  explicit Copies(Index n) : weight(n) {
    for (Index i = 0; i < n; ++i) {
      weight(i) = static_cast<double>(1 + i % 3);
      for (Index copy = 0; copy <= i % 3; ++copy) rows.push_back(i);
    }
  }
  Matrix of(const Matrix& points) const { return dense::columns(points, rows); }
  Vector of(const Vector& values) const { return of(Matrix(values.transpose())).transpose(); }
  Vector weight;
  Indices rows;
};

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
  const LatentFit once = fit_ivm(*kernel, *likelihood, x, y, 0.0, options, Rng(1), Context(),
                                 {copies.weight, Vector()});
  options.n_active = static_cast<Index>(copies.rows.size());
  const Matrix x_copies = copies.of(x);
  const LatentFit often =
      fit_ivm(*kernel, *likelihood, x_copies, copies.of(y), 0.0, options, Rng(1), Context());
  CHECK_NEAR(once.log_evidence, often.log_evidence, 1e-9);
  const auto a =
      dense::predict(*kernel, dense::columns(x, once.posterior.basis), once.posterior, at);
  const auto b =
      dense::predict(*kernel, dense::columns(x_copies, often.posterior.basis), often.posterior, at);
  dense::check_near(a.mean, b.mean, 1e-9);
  dense::check_near(a.variance, b.variance, 1e-9);
}

}  // namespace
