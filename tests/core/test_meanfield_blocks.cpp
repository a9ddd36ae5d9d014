// Evidences of dense machines on blocks of rows: those of machines that know these rows alone.
#include "check.h"
#include "dense_reference.h"
#include "models/meanfield/block_evidence.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;
using dense::check_near;

namespace {

struct Problem {
  explicit Problem(std::unique_ptr<Likelihood> of, Index machines = 3)
      : x(dense::points(2, 60, 3)),
        y(60, machines),
        prior_mean(0.2 * dense::points(machines, 1, 4)),
        kernel(make_kernel(dense::rbf_spec(1.6, {0.8, 1.3}), 2)),
        likelihood(std::move(of)) {
    const bool numbers = likelihood->response() == Response::real;
    for (Index c = 0; c < machines; ++c)
      y.col(c) = numbers ? dense::numbers(x, 5 + c) : dense::labels(x, 5 + c);
    cases.weight = dense::points(60, 1, 8).cwiseAbs2().array() + 0.4;
    cases.offset = 0.3 * dense::points(60, 1, 9);
  }
  MeanfieldRows rows() const { return {x, y, prior_mean, cases}; }
  // Of these rows and machines, without any earlier evaluation.
  MeanfieldEvidence cold(const Indices& at, const Indices& machines) const {
    Matrix some(static_cast<Index>(at.size()), static_cast<Index>(machines.size()));
    CaseTerms own{Vector(some.rows()), Vector(some.rows())};
    Vector mean(some.cols());
    for (Index k = 0; k < some.cols(); ++k) mean(k) = prior_mean(machines[k]);
    for (Index i = 0; i < some.rows(); ++i) {
      for (Index k = 0; k < some.cols(); ++k) some(i, k) = y(at[i], machines[k]);
      own.weight(i) = cases.weight(at[i]);
      own.offset(i) = cases.offset(at[i]);
    }
    return meanfield_evidence({*kernel, *likelihood, dense::columns(x, at), some, mean, own},
                              options, {}, Context());
  }
  Matrix x, y;
  Vector prior_mean;
  CaseTerms cases;
  std::unique_ptr<Kernel> kernel;
  std::unique_ptr<Likelihood> likelihood;
  MeanfieldOptions options;
};

Indices every(Index step, Index first = 0) {
  Indices out;
  for (Index i = first; i < 60; i += step) out.push_back(i);
  return out;
}

}  // namespace

TEST(evidences_of_blocks_are_those_of_their_rows_whatever_came_before) {
  for (const bool exact : {false, true}) {
    Problem p(exact ? dense::gaussian(0.3) : dense::probit());
    MeanfieldBlocks blocks(*p.kernel, *p.likelihood, p.rows(), p.options, 7, false);
    CHECK(blocks.repeatable());  // never more machines than there are
    // Blocks of rows that are all new, some of them new, and none of them new; then new parameters.
    for (const double change : {0.0, 0.2}) {
      blocks.set_params(blocks.params().array() + change);
      for (const Indices& rows : {every(3), every(2), every(6)}) {
        const BlockEvidence found = blocks.evidence(rows, Context());
        const MeanfieldEvidence want = p.cold(rows, {0, 1, 2});
        CHECK(want.converged);
        CHECK_NEAR(found.value, want.value, 1e-8);
        check_near(found.gradient, want.gradient, 1e-5);
      }
    }
  }
}

TEST(machines_of_blocks_take_turns) {
  Problem p(dense::probit());
  MeanfieldBlocks blocks(*p.kernel, *p.likelihood, p.rows(), p.options, 2, false);
  CHECK(!blocks.repeatable());
  const Indices rows = every(2, 1);
  for (const Indices& machines : {Indices{0, 1}, Indices{2, 0}, Indices{1, 2}, Indices{0, 1}}) {
    const BlockEvidence found = blocks.evidence(rows, Context());
    const MeanfieldEvidence want = p.cold(rows, machines);
    CHECK_NEAR(found.value, 1.5 * want.value, 1e-8);  // three machines stand for two
    check_near(found.gradient, 1.5 * want.gradient, 1e-5);
  }
}

TEST(parameters_of_blocks_are_those_of_the_kernel_and_then_of_the_likelihood) {
  Problem p(dense::probit());
  MeanfieldBlocks blocks(*p.kernel, *p.likelihood, p.rows(), p.options, 3, false);
  CHECK(blocks.params().size() == 4);
  const Vector params = dense::points(4, 1, 11);
  blocks.set_params(params);
  check_near(blocks.params(), params, 1e-14);
  check_near(p.kernel->params(), params.head(3), 1e-14);
  check_near(p.likelihood->params(), params.tail(1), 1e-14);
}

TEST(a_block_that_did_not_converge_is_no_start) {
  Problem p(dense::probit());
  p.options.max_iter = 1;
  MeanfieldBlocks blocks(*p.kernel, *p.likelihood, p.rows(), p.options, 3, false);
  const BlockEvidence first = blocks.evidence(every(2), Context());
  const BlockEvidence again = blocks.evidence(every(2), Context());
  CHECK(!p.cold(every(2), {0, 1, 2}).converged);
  CHECK(first.value == again.value && first.gradient == again.gradient);
}

TEST(where_noise_is_learned_evidences_are_less_by_their_rounding_error) {
  Problem p(dense::gaussian(1e-9), 1);
  p.cases.weight = dense::points(60, 1, 12).array().exp();
  MeanfieldBlocks given(*p.kernel, *p.likelihood, p.rows(), p.options, 1, false);
  MeanfieldBlocks learned(*p.kernel, *p.likelihood, p.rows(), p.options, 1, true);
  const Indices rows = every(2);
  const auto difference = [&](const Vector& params) -> BlockEvidence {
    learned.set_params(params);
    const BlockEvidence with = learned.evidence(rows, Context());
    const BlockEvidence without = given.evidence(rows, Context());
    return {without.value - with.value, without.gradient - with.gradient};
  };
  const Vector at = learned.params();
  const BlockEvidence error = difference(at);
  CHECK(error.value > 0.0 && error.value < 1.0);
  // In proportion to 1 / v.
  CHECK_NEAR(error.gradient(at.size() - 1), -error.value, 1e-6 * error.value);
  for (Index i = 0; i < at.size(); ++i) {
    Vector up = at, down = at;
    up(i) += 1e-2;
    down(i) -= 1e-2;
    const double slope = (difference(up).value - difference(down).value) / 2e-2;
    CHECK_NEAR(error.gradient(i), slope, 1e-3 * error.value);
  }
}

TEST(learning_on_blocks_of_machines_raises_their_evidence) {
  Problem p(dense::probit(), 1);
  MeanfieldBlocks blocks(*p.kernel, *p.likelihood, p.rows(), p.options, 1, false);
  BlockLearning learning;
  learning.free = {true, true, true, false};
  learning.prior.group = {0, 1, 1, 2};
  learning.prior.level = learning.prior.spread = Vector::Constant(4, 0.01);
  learning.lengthscales = {{1, 0}, {2, 1}};
  learning.block_rows = learning.first_rows = 30;
  learning.steps = 25;
  learning.rate = 0.1;
  learning.seed = 3;
  const double before = p.cold(every(1), {0}).value;
  const Vector noise = p.likelihood->params();
  const BlockLearned found = learn_on_blocks(blocks, p.x, learning, Context());
  check_near(blocks.params(), found.params, 1e-14);
  check_near(p.likelihood->params(), noise, 1e-14);
  CHECK(p.cold(every(1), {0}).value > before + 0.5);
}
