// Gradients of log Z against differences: of converged EP as a whole, of the other schedules with
// the common factor held fixed.
#include <numeric>

#include "check.h"
#include "ep_helpers.h"
#include "models/ep/parameters.h"
#include "sparse_ep/converged_evidence.h"

using namespace gpsieve;

// Every parameter there is, as the models move them.
static EpLearning everything(const Kernel& kernel, const Factors& factors) {
  EpLearning learning;
  learning.free.assign(static_cast<std::size_t>(kernel.n_params() + factors.n_params()), true);
  learning.inducing = true;
  return learning;
}

static void check_converged_gradient(Kernel& kernel, Factors& factors, const Matrix& x,
                                     const Matrix& z, double tolerance = 1e-6) {
  EpParameters parameters(kernel, factors, z, everything(kernel, factors));
  Sites start;
  const auto converged = [&](bool gradient) {
    return converged_evidence(kernel, factors, x, parameters.inducing(),
                              {1e-3, {1000, 1e-11}, gradient, gradient}, start, Context());
  };
  const ConvergedEvidence found = converged(true);
  CHECK(found.converged);
  start = found.sites;
  const Vector gradient = parameters.gradient(found.evidence), at = parameters.values();
  CHECK(gradient.size() == at.size());
  for (Index i = 0; i < at.size(); ++i) {
    const auto log_z = [&](double h) {
      Vector moved = at;
      moved(i) += h;
      parameters.set(moved);
      return converged(false).evidence.log_z;
    };
    CHECK_NEAR(gradient(i), ep::slope(log_z, 2e-3), tolerance);
  }
}

static std::unique_ptr<Kernel> rbf_and_white() {
  KernelSpec sum;
  sum.type = "sum";
  sum.children = {dense::rbf_spec(1.5, {1.0, 0.7}), dense::leaf("white", {{"variance", {0.05}}})};
  return make_kernel(sum, 2);
}

TEST(converged_gradients_hold_for_every_likelihood_and_power) {
  const Matrix x = dense::points(2, 40, 1), z = dense::points(2, 5, 2);
  for (const ep::Case& each : ep::all_cases())
    for (const double power : {1.0, 0.5, 0.1}) {
      const Matrix y = ep::responses(each, x, 3);
      const auto kernel = rbf_and_white();
      const auto factors = ep::factors(each, y, power, 0.2);
      check_converged_gradient(*kernel, *factors, x, z);
    }
}

TEST(converged_gradients_hold_for_every_kernel) {
  const Matrix x = dense::points(2, 30, 4), z = dense::points(2, 4, 5);
  const Matrix y = dense::labels(x, 6);
  KernelSpec on = dense::leaf("on", {}), product = dense::leaf("product", {});
  on.dims = {1};
  on.children = {dense::rbf_spec(0.8, {0.9})};
  product.children = {dense::leaf("linear", {{"variance", {0.5}}}), dense::rbf_spec(1.0, {1.5})};
  const auto stationary = [](const char* type, double nu) {
    return dense::leaf(type, {{"nu", {nu}}, {"variance", {1.2}}, {"lengthscale", {0.9, 1.4}}});
  };
  const std::vector<KernelSpec> specs = {
      stationary("matern", 2.5),
      stationary("matern", 1.5),
      dense::leaf("rational_quadratic",
                  {{"variance", {1.2}}, {"alpha", {0.8}}, {"lengthscale", {0.9, 1.4}}}),
      dense::leaf("polynomial",
                  {{"degree", {2}}, {"variance", {0.3}}, {"offset", {0.7}}, {"scale", {1.0}}}),
      on,
      product};
  for (const KernelSpec& spec : specs) {
    KernelSpec sum;
    sum.type = "sum";
    sum.children = {spec, dense::leaf("white", {{"variance", {0.3}}}),
                    dense::leaf("constant", {{"variance", {0.4}}})};
    const auto kernel = make_kernel(sum, 2);
    const auto factors = ep::probit_factors(y);
    check_converged_gradient(*kernel, *factors, x, z);
  }
}

TEST(converged_gradients_hold_for_several_classes_at_once) {
  const Matrix x = dense::points(2, 40, 7), z = dense::points(2, 5, 8);
  const auto kernel = rbf_and_white();
  const auto factors =
      pairwise_factors(ep::classes(x, 9), 3, 0.8, (Vector(3) << 0.1, -0.2, 0.0).finished());
  // Undamped, the two sites that share a latent function may oscillate; the gradient only needs the
  // fixed point.
  EpParameters parameters(*kernel, *factors, z, everything(*kernel, *factors));
  const Vector at = parameters.values();
  const auto run_at = [&](const Vector& values, Vector* gradient) {
    parameters.set(values);
    ep::Run run(*kernel, x, parameters.inducing(), *factors, Schedule::ep, 1e-3);
    CHECK(gpsieve::run_to_convergence(run.ep, run.rows, {3000, 1e-11, 0.4}, Context()).reached);
    const EpEvidence found = sparse_ep_evidence(
        run.ep, run.rows, 1.0, gradient ? GradientForm::fixed_point : GradientForm::none,
        gradient != nullptr, Context());
    if (gradient) *gradient = parameters.gradient(found);
    return found.log_z;
  };
  Vector gradient;
  run_at(at, &gradient);
  for (Index i = 0; i < at.size(); ++i) {
    const auto log_z = [&](double h) {
      Vector moved = at;
      moved(i) += h;
      return run_at(moved, nullptr);
    };
    CHECK_NEAR(gradient(i), ep::slope(log_z, 2e-3), 1e-6);
  }
}

TEST(one_against_the_rest_adds_the_machines_up) {
  const Matrix x = dense::points(2, 40, 10), z = dense::points(2, 5, 11);
  Matrix y = Matrix::Constant(40, 3, -1.0);
  const Indices label = ep::classes(x, 12);
  for (Index i = 0; i < 40; ++i) y(i, label[i]) = 1.0;
  const auto kernel = rbf_and_white();
  const auto all = ep::probit_factors(y);
  check_converged_gradient(*kernel, *all, x, z);
  const auto evidence = [&](const Factors& factors) {
    return converged_evidence(*kernel, factors, x, z, {1e-3, {500, 1e-12}, true, true}, {},
                              Context());
  };
  const EpEvidence together = evidence(*all).evidence;
  EpEvidence sum{0.0, Vector::Zero(4), Vector::Zero(0), Matrix::Zero(2, 5)};
  for (Index k = 0; k < 3; ++k) {
    const Matrix one = y.col(k);
    const EpEvidence part = evidence(*ep::probit_factors(one)).evidence;
    sum.log_z += part.log_z;
    sum.kernel += part.kernel;
    sum.inputs += part.inputs;
  }
  CHECK_NEAR(together.log_z, sum.log_z, 1e-9);
  dense::check_near(together.kernel, sum.kernel, 1e-8);
  ep::check_near(together.inputs, sum.inputs, 1e-8);
}

// The partial derivative with the factor of f_u held fixed, on all rows or on a minibatch of which
// every row counts n / s times.
static void check_exact_gradient(Kernel& kernel, Factors& factors, const Matrix& x, const Matrix& z,
                                 Schedule schedule, int passes, Index batch) {
  const Context ctx;
  EpParameters parameters(kernel, factors, z, everything(kernel, factors));
  const Vector at = parameters.values();
  ep::Run run(kernel, x, z, factors, schedule, 1e-3);
  run.passes(passes, 0.7);
  const SparseEp here = run.ep;
  const Matrix l = run.inducing.factor();
  const double scale = static_cast<double>(x.cols()) / static_cast<double>(batch);
  const RowSet subset = RowSet::range(x.cols() - batch, batch);
  WhitenedRows rows(run.inducing, x, subset);
  const Vector gradient =
      parameters.gradient(sparse_ep_evidence(here, rows, scale, GradientForm::exact, true, ctx));
  const Inducing origin = run.inducing;  // keeps L; its kernel moves on
  for (Index i = 0; i < at.size(); ++i) {
    const auto log_z = [&](double h) {
      Vector moved = at;
      moved(i) += h;
      parameters.set(moved);
      const Inducing to(kernel, parameters.inducing(), 1e-3, 1);
      SparseEp there = here;
      there.change_coordinates(origin, to, 1);
      WhitenedRows other(to, x, subset);
      return sparse_ep_evidence(there, other, scale, GradientForm::none, false, ctx).log_z;
    };
    CHECK_NEAR(gradient(i), ep::slope(log_z, 1e-3), 1e-6);
  }
  parameters.set(at);
}

TEST(exact_gradients_hold_the_common_factor_fixed) {
  const Matrix x = dense::points(2, 40, 13), z = dense::points(2, 5, 14);
  for (const ep::Case& each : ep::all_cases())
    for (const double power : {1.0, 0.5}) {
      const Matrix y = ep::responses(each, x, 15);
      for (const Schedule schedule : {Schedule::sep, Schedule::adf}) {
        const auto kernel = rbf_and_white();
        const auto factors = ep::factors(each, y, power, 0.2);
        check_exact_gradient(*kernel, *factors, x, z, schedule, 2, 40);
        if (power == 1.0) check_exact_gradient(*kernel, *factors, x, z, schedule, 3, 11);
      }
    }
}

TEST(exact_gradients_hold_for_several_classes_at_once) {
  const Matrix x = dense::points(2, 30, 16), z = dense::points(2, 4, 17);
  const auto kernel = rbf_and_white();
  const auto factors = pairwise_factors(ep::classes(x, 18), 3, 1.0, Vector::Zero(3));
  for (const Schedule schedule : {Schedule::sep, Schedule::adf})
    for (const Index batch : {30, 7})
      check_exact_gradient(*kernel, *factors, x, z, schedule, 2, batch);
}

TEST(a_gradient_is_the_same_without_the_inputs_and_in_either_form_for_own_sites) {
  const Matrix x = dense::points(2, 60, 19), y = dense::labels(x, 20);
  const auto kernel = rbf_and_white();
  const auto factors = ep::probit_factors(y);
  ep::Run run(*kernel, x, x.leftCols(6), *factors);
  run.passes(2);
  const auto form = [&](GradientForm f, bool inputs) {
    return sparse_ep_evidence(run.ep, run.rows, 1.0, f, inputs, Context());
  };
  const EpEvidence paper = form(GradientForm::fixed_point, true);
  // With the inputs wanted, the kernel sums over pairs the other way round.
  dense::check_near(form(GradientForm::fixed_point, false).kernel, paper.kernel, 1e-11);
  CHECK(form(GradientForm::fixed_point, false).inputs.size() == 0);
  CHECK(form(GradientForm::exact, true).kernel == paper.kernel);
  CHECK(form(GradientForm::exact, true).inputs == paper.inputs);
}

// 18 blocks of rows, more than are finished together. Without `for_gradients` the blocks of K_uf
// are made anew for the gradient.
TEST(a_gradient_has_the_same_bits_whether_blocks_are_kept_or_made_and_whatever_the_threads) {
  const Matrix x = dense::points(2, 4500, 21), y = dense::labels(x, 22), z = x.leftCols(6);
  const auto kernel = rbf_and_white();
  const auto factors = ep::probit_factors(y);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep}) {
    ep::Run run(*kernel, x, z, *factors, schedule, 1e-3);
    run.passes(2);
    const auto gradient = [&](WhitenedRows& rows, int threads) {
      Context ctx;
      ctx.threads = threads;
      return sparse_ep_evidence(run.ep, rows, 1.0, GradientForm::fixed_point, true, ctx);
    };
    const Inducing keeping(*kernel, z, 1e-3, 1, true);
    WhitenedRows kept(keeping, x, RowSet::range(0, x.cols()));
    CHECK(kept.chunk(0, Context()).blocks.size() == 18);
    CHECK(run.rows.chunk(0, Context()).blocks.empty());
    const EpEvidence expected = gradient(kept, 1);
    CHECK(expected.inputs.cwiseAbs().maxCoeff() > 0.0);
    for (const int threads : {1, 2, 5})
      for (WhitenedRows* rows : {&kept, &run.rows}) {
        const EpEvidence found = gradient(*rows, threads);
        CHECK(found.kernel == expected.kernel);
        CHECK(found.inputs == expected.inputs);
      }
  }
}
