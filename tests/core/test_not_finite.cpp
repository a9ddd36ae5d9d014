// Rows whose kernel values are not finite, in every model: an error of its own, and no result.
#include "base/error.h"
#include "check.h"
#include "ep_helpers.h"
#include "ivm_helpers.h"
#include "models/ep/ep.h"
#include "models/greedy/greedy.h"
#include "models/meanfield/meanfield.h"
#include "models/rvm/rvm.h"
#include "online_helpers.h"

using namespace gpsieve;

namespace {

// Runs body(x, y, likelihood) with one input of the fifth row broken, for classes and numbers.
template <class Body>
void for_broken_rows(double value, const Body& body) {
  for (const bool classes : {false, true}) {
    const auto likelihood = classes ? dense::probit() : dense::gaussian(0.2);
    Matrix x = dense::points(2, 20, 3);
    const Vector y = classes ? dense::labels(x, 4) : dense::numbers(x, 4);
    x(1, 4) = value;
    body(x, y, *likelihood);
  }
}

}  // namespace

TEST(models_refuse_rows_whose_kernel_values_are_not_finite) {
  for (const bool bounded : {false, true}) {
    // Values of a stationary kernel overflow for no input.
    const auto kernel =
        bounded ? dense::rbf() : make_kernel(dense::leaf("linear", {{"variance", {0.7}}}), 2);
    for_broken_rows(bounded ? std::nan("") : 1e200, [&](const Matrix& x, const Vector& y,
                                                        const Likelihood& likelihood) {
      const Vector zero = Vector::Zero(1);
      const FitProblem problem{*kernel, likelihood, x, y, zero};
      CHECK_THROWS(fit_meanfield(problem, {}, Context()), NumericalFailure);
      GreedyOptions greedy;
      for (const Index candidates : {0, 5}) {
        greedy.n_basis = 15;
        greedy.candidates = candidates;
        CHECK_THROWS(fit_greedy(problem, greedy, 1, Context()), Error);
      }
      RvmOptions rvm;
      rvm.alpha_start = Vector::Ones(1);
      CHECK_THROWS(fit_rvm(problem, Matrix(2, 0), rvm, 1, Context()), NumericalFailure);
      CHECK_THROWS(fit_ivm(problem, ivm_helpers::plain(20), 1, Context()), NumericalFailure);
      CHECK_THROWS(online::fit(*kernel, likelihood, x, y, online::InOrder()), NumericalFailure);
      const auto factors = ep::factors({"gaussian", {{"variance", {0.2}}}}, y);
      MemoryRows rows(x);
      LocalPasses passes(rows);
      const Matrix z = x.leftCols(4);
      CHECK_THROWS(fit_ep({*kernel, *factors, passes, z, {nullptr, x.leftCols(0)}, 3},
                          EpFitOptions(), {}, Context()),
                   NumericalFailure);
    });
  }
}
