// What a step of learning does where it fails: the last good parameters, and shorter steps.
#include "base/error.h"
#include "check.h"
#include "ep_helpers.h"
#include "math/constants.h"
#include "models/ep/learner.h"

using namespace gpsieve;

namespace {

constexpr double kRate = 0.01;

// Learning by the rule whose first step is the rate times the gradient, in small steps.
struct Learning {
  explicit Learning(std::unique_ptr<Kernel> of = dense::rbf(0.8, 0.5)) : kernel(std::move(of)) {
    options.schedule = Schedule::sep;
    options.learning.free.assign(static_cast<std::size_t>(kernel->n_params() + 1), true);
    options.learning.group = {0, 1, 2};
    options.learning.inducing = true;
    options.learning.optimiser = StepRule::sign_adaptive;
    options.learning.rate = kRate;
    problem = std::make_unique<EpProblem>(
        EpProblem{*kernel, *factors, passes, z, {nullptr, x.leftCols(0)}, 3});
    learner = std::make_unique<EpLearner>(*problem, options.learning);
    q = std::make_unique<EpApproximation>(*problem, options, false, true, ctx);
  }
  EpEvidence evidence(double log_z, double by_inputs = 0.0) const {
    return {log_z, Vector::Constant(kernel->n_params(), 3.0), Vector::Constant(1, -2.0),
            Matrix::Constant(z.rows(), z.cols(), by_inputs)};
  }
  void step(double log_z, double by_inputs = 0.0) {
    learner->step(evidence(log_z, by_inputs), *q, damping);
  }
  Vector params() const {
    Vector all(kernel->n_params() + 1);
    all << kernel->params(), factors->params();
    return all;
  }

  Matrix x = dense::points(2, 40, 1), y = dense::labels(x, 2), z = x.leftCols(6);
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Factors> factors = ep::factors({"probit", {{"noise", {0.7}}}}, y);
  MemoryRows rows{x};
  LocalPasses passes{rows};
  Context ctx;
  EpFitOptions options;
  std::unique_ptr<EpProblem> problem;
  std::unique_ptr<EpLearner> learner;
  std::unique_ptr<EpApproximation> q;
  double damping = 1.0;
};

const Vector kGradient = (Vector(3) << 3.0, 3.0, -2.0).finished();

}  // namespace

TEST(a_step_of_learning_that_fails_goes_back_and_halves_the_next) {
  Learning l;
  const Vector start = l.params();
  l.step(-10.0);
  dense::check_near(l.params(), start + kRate * kGradient, 1e-14);
  CHECK(l.damping == 1.0);
  for (const double log_z : {std::nan(""), kInfinity}) {
    const double before = l.damping;
    l.step(log_z);
    CHECK(l.damping == 0.5 * before);
    CHECK(l.params() == start);  // where the evidence was finite last
  }
  // Two halvings, and the growth of 2 % of this rule.
  l.step(-10.0);
  dense::check_near(l.params(), start + 0.25 * 1.02 * kRate * kGradient, 1e-14);
}

TEST(learning_that_never_had_an_evidence_fails) {
  Learning l;
  CHECK_THROWS(l.step(std::nan("")), NumericalFailure);
  Learning other;
  CHECK_THROWS(other.step(-10.0, std::nan("")), NumericalFailure);  // the gradient is none either
}

TEST(learning_that_fails_again_and_again_ends) {
  Learning l;
  const Vector start = l.params();
  l.step(-10.0);
  for (int failure = 0; failure < 20; ++failure) l.step(std::nan(""));
  CHECK(l.params() == start && l.damping > 0.0);
  CHECK_THROWS(l.step(std::nan("")), NumericalFailure);
}

// Inducing inputs whose squares overflow have no matrix of a linear kernel.
TEST(a_step_to_where_no_factor_exists_is_shortened) {
  Learning l(make_kernel(dense::leaf("linear", {{"variance", {0.7}}}), 2));
  const Vector start = l.params();
  Matrix before = l.z;
  EpEvidence found = l.evidence(-10.0);
  for (Index j = 0; j < l.z.cols(); ++j)
    found.inputs.col(j).setConstant(1e156 * static_cast<double>(j + 1));
  l.learner->step(found, *l.q, l.damping);
  CHECK(l.damping < 1.0);
  const Matrix moved = l.learner->parameters().inducing();
  CHECK(moved.allFinite() && moved(0, 0) > before(0, 0));
  CHECK((l.params() - start).cwiseAbs().maxCoeff() < 1.001 * kRate * 3.0);
  found.inputs.setConstant(kInfinity);
  l.learner->step(found, *l.q, l.damping);  // no gradient: back to the start
  CHECK(l.learner->parameters().inducing() == before);
}

TEST(priors_and_states_of_learning_that_do_not_fit_are_refused) {
  Learning l;
  EpLearning wrong = l.options.learning;
  wrong.prior = {Vector::Zero(2), Matrix::Identity(2, 2)};
  CHECK_THROWS(EpLearner(*l.problem, wrong), InvalidSpec);
  wrong.prior = {Vector::Zero(3), Matrix::Identity(3, 2)};
  CHECK_THROWS(EpLearner(*l.problem, wrong), InvalidSpec);
  CHECK_THROWS(l.learner->parameters().set(Vector::Zero(2)), InvalidSpec);
}

// d/d theta of log Z - (theta - c)' P (theta - c) / 2
TEST(a_prior_of_learning_adds_its_slope_to_the_gradient) {
  Learning l;
  EpLearning with = l.options.learning;
  with.prior = {l.params() - (Vector(3) << 1.0, -0.5, 2.0).finished(),
                (Matrix(3, 3) << 2.0, 0.5, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0, 4.0).finished()};
  EpLearner learner(*l.problem, with);
  const Vector found = learner.parameters().gradient(l.evidence(-10.0));
  dense::check_near(found.head(3), kGradient - (Vector(3) << 1.75, 0.0, 8.0).finished(), 1e-14);
  CHECK(found.tail(12).isZero(0.0));
}
