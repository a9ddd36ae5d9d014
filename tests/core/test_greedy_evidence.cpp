// The evidence of the projected model against dense algebra, and its gradients against differences.
#include "base/error.h"
#include "check.h"
#include "copies.h"
#include "ep_helpers.h"
#include "models/greedy/evidence.h"

using namespace gpsieve;

namespace {

const Indices kBasis{3, 17, 8, 30, 41, 22};

struct Problem {
  Matrix x = dense::points(2, 48, 3);
  Vector numbers = dense::numbers(x, 4);
  std::unique_ptr<Kernel> kernel = make_kernel(dense::rbf_spec(1.3, {0.8, 1.1}), 2);
};

std::vector<ep::Case> cases_of_laplace() {
  auto all = ep::all_cases();
  all.push_back({"student", {{"df", {4.0}}, {"scale", {0.1}}}});
  return all;
}

// K_nB K_BB^-1 K_Bn
Matrix projected(const Kernel& kernel, const Matrix& x, const Indices& basis) {
  const Matrix k = dense::gram(kernel, x), k_b = dense::columns(k, basis);
  const Matrix k_bb = dense::columns(k_b.transpose(), basis);
  return k_b * Eigen::LLT<Matrix>(k_bb).solve(k_b.transpose());
}

// Laplace's approximation at given latent values under the prior N(b, q):
//   sum w log p - (f - b)' q^-1 (f - b) / 2 - log |I + q diag(-w log p'')| / 2.
// The quadratic form is that of a = grad log p, since f - b = q a at the mode.
double laplace_value(const Matrix& q, const Likelihood& likelihood, const Vector& y,
                     const Vector& weight, const Vector& f) {
  const Index n = y.size();
  double log_p = 0.0;
  Vector slope(n), curvature(n);
  for (Index i = 0; i < n; ++i) {
    const Tilted t = likelihood.derivatives(y(i), f(i));
    log_p += weight(i) * t.log_z;
    slope(i) = weight(i) * t.d1;
    curvature(i) = -weight(i) * t.d2;
  }
  const Matrix b = Matrix::Identity(n, n) + q * curvature.asDiagonal();
  return log_p - 0.5 * slope.dot(q * slope) - 0.5 * std::log(b.determinant());
}

Vector params_of(const Kernel& kernel, const Likelihood& likelihood) {
  Vector all(kernel.n_params() + likelihood.n_params());
  all << kernel.params(), likelihood.params();
  return all;
}
void set_params(Kernel& kernel, Likelihood& likelihood, const Vector& all) {
  kernel.set_params(all.head(kernel.n_params()));
  likelihood.set_params(all.tail(likelihood.n_params()));
}

// The gradient is that of the value, both from `evidence` at the parameters that are set.
template <class Function>
void check_gradient(Kernel& kernel, Likelihood& likelihood, const Function& evidence,
                    double tolerance) {
  const Vector at = params_of(kernel, likelihood);
  const GreedyEvidence found = evidence(true);
  Vector gradient(at.size());
  gradient << found.kernel_gradient, found.likelihood_gradient;
  for (Index j = 0; j < at.size(); ++j) {
    const auto moved = [&](double h) {
      Vector theta = at;
      theta(j) += h;
      set_params(kernel, likelihood, theta);
      return evidence(false).value;
    };
    const double slope = ep::slope(moved, 1e-3);
    CHECK_NEAR(gradient(j), slope, tolerance);
  }
  set_params(kernel, likelihood, at);
}

}  // namespace

TEST(greedy_laplace_evidence_is_dense_at_a_mode) {
  const Problem p;
  const Matrix q = projected(*p.kernel, p.x, kBasis);
  for (const ep::Case& of : cases_of_laplace())
    for (const bool weighted : {false, true}) {
      const auto likelihood = ep::maker(of)();
      const Vector y = ep::responses(of, p.x, 5);
      CaseTerms cases;
      if (weighted) {
        cases.weight = dense::points(48, 1, 6).cwiseAbs2().array() + 0.3;
        cases.offset = 0.2 * dense::points(48, 1, 7);
      }
      const Vector weight = cases.weights(48), prior = cases.prior_means(48, 0.3);
      const Vector prior_mean = Vector::Constant(1, 0.3);
      const FitProblem problem{*p.kernel, *likelihood, p.x, y, prior_mean, cases};
      const GreedyEvidence found = laplace_evidence(problem, kBasis, Vector(), false, Context());
      // The latent values that belong to the mode solve f = b + Q w d log p / df.
      Matrix l = dense::columns(dense::gram(*p.kernel, p.x), kBasis);
      const Matrix k_bb = dense::columns(l.transpose(), kBasis);
      const Matrix factor = k_bb.llt().matrixL();
      const Matrix z = factor.triangularView<Eigen::Lower>().solve(l.transpose()).transpose();
      const Vector f = prior + z * found.mode;
      Vector slope(48);
      for (Index i = 0; i < 48; ++i) slope(i) = weight(i) * likelihood->derivatives(y(i), f(i)).d1;
      dense::check_near(f - prior, q * slope, 1e-6);
      CHECK_NEAR(found.value, laplace_value(q, *likelihood, y, weight, f), 1e-7);
      // From the mode it stays there.
      const GreedyEvidence again = laplace_evidence(problem, kBasis, found.mode, false, Context());
      CHECK_NEAR(again.value, found.value, 1e-9);
    }
}

TEST(greedy_laplace_gradients_are_differences) {
  for (const ep::Case& of : cases_of_laplace()) {
    const Problem p;
    const auto likelihood = ep::maker(of)();
    const Vector y = ep::responses(of, p.x, 5);
    const auto value = [&](bool gradient) {
      return laplace_evidence({*p.kernel, *likelihood, p.x, y, Vector::Constant(1, 0.1)}, kBasis,
                              Vector(), gradient, Context());
    };
    check_gradient(*p.kernel, *likelihood, value, 2e-5);
  }
}

TEST(greedy_regression_evidence_is_that_of_the_projected_process) {
  const Problem p;
  const Matrix q = projected(*p.kernel, p.x, kBasis);
  const double noise = 0.2, lost = dense::gram(*p.kernel, p.x).trace() - q.trace();
  const Vector precision = Vector::Constant(48, 1.0 / noise);
  const double whole = dense::log_evidence(q, precision, p.numbers.array() - 0.4);
  const auto likelihood = dense::gaussian(noise);
  const Vector prior_mean = Vector::Constant(1, 0.4);
  const FitProblem problem{*p.kernel, *likelihood, p.x, p.numbers, prior_mean};
  const auto at = [&](bool trace_term) {
    return projected_evidence(problem, kBasis, Vector(), trace_term, false, Context());
  };
  CHECK_NEAR(at(false).value, whole, 1e-9);
  CHECK_NEAR(at(true).value, whole - 0.5 * lost / noise, 1e-9);
  CHECK(at(true).value <
        dense::log_evidence(dense::gram(*p.kernel, p.x), precision, p.numbers.array() - 0.4));
  // Laplace's approximation is exact for Gaussian noise.
  const GreedyEvidence laplace = laplace_evidence(problem, kBasis, Vector(), true, Context());
  CHECK_NEAR(laplace.value, whole, 1e-9);
  const GreedyEvidence plain =
      projected_evidence(problem, kBasis, Vector(), false, true, Context());
  dense::check_near(laplace.kernel_gradient, plain.kernel_gradient, 1e-6);
  dense::check_near(laplace.likelihood_gradient, plain.likelihood_gradient, 1e-6);
}

TEST(greedy_evidence_with_case_weights_is_that_of_the_copies) {
  const Problem p;
  const dense::Copies copies(48);
  Indices basis;
  for (const Index j : kBasis) basis.push_back(copies.first(j));
  const Matrix x = copies.of(p.x);
  const Vector prior_mean = Vector::Constant(1, 0.1);
  for (const ep::Case& of : ep::all_cases()) {
    const auto likelihood = ep::maker(of)();
    const Matrix y = ep::responses(of, p.x, 5);
    const Vector y_copies = copies.of(Vector(y.col(0)));
    const auto once =
        projected_evidence({*p.kernel, *likelihood, p.x, y, prior_mean, {copies.weight, Vector()}},
                           kBasis, Vector(), true, true, Context());
    const auto often = projected_evidence({*p.kernel, *likelihood, x, y_copies, prior_mean}, basis,
                                          Vector(), true, true, Context());
    CHECK_NEAR(once.value, often.value, 1e-8);
    dense::check_near(once.kernel_gradient, often.kernel_gradient, 1e-5);
    dense::check_near(once.likelihood_gradient, often.likelihood_gradient, 1e-5);
  }
  CaseTerms cases{copies.weight, Vector()};
  cases.weight(7) = 0.0;
  const auto likelihood = dense::probit();
  CHECK_THROWS(projected_evidence({*p.kernel, *likelihood, p.x, p.numbers, prior_mean, cases},
                                  kBasis, Vector(), true, false, Context()),
               InvalidSpec);
}

TEST(greedy_evidence_of_equal_basis_points_has_a_gradient) {
  Problem p;
  p.x.col(17) = p.x.col(3);
  const auto likelihood = dense::gaussian(0.2);
  for (const bool trace_term : {false, true})
    check_gradient(
        *p.kernel, *likelihood,
        [&](bool gradient) {
          return projected_evidence(
              {*p.kernel, *likelihood, p.x, p.numbers, Vector::Constant(1, 0.4)}, kBasis, Vector(),
              trace_term, gradient, Context());
        },
        1e-5);
}
