// Fits of the sparse greedy method: error bars, case weights, candidates, certificates, and why a
// search ends.
#include <algorithm>
#include <set>

#include "base/error.h"
#include "check.h"
#include "copies.h"
#include "dense_reference.h"
#include "math/constants.h"
#include "models/greedy/certificate.h"
#include "models/greedy/newton/saturated.h"

using namespace gpsieve;
using dense::check_near;

namespace {

constexpr double kNoise = 0.1;

struct Problem {
  explicit Problem(Index n, double lengthscale = 0.8)
      : x(dense::points(2, n, 3)),
        y(dense::numbers(x, 4)),
        labels(dense::labels(x, 4)),
        kernel(dense::rbf(1.5, lengthscale)) {}

  GreedyResult fit(const GreedyOptions& options, const Likelihood& likelihood,
                   const CaseTerms& cases = {}) const {
    const bool binary = likelihood.response() == Response::binary;
    return fit_greedy(
        {*kernel, likelihood, x, binary ? labels : y, Vector::Constant(1, 0.1), cases}, options, 5,
        Context());
  }
  GreedyResult regression(const GreedyOptions& options, const CaseTerms& cases = {}) const {
    return fit(options, *dense::gaussian(kNoise), cases);
  }
  dense::Marginals predict(const GreedyResult& found, const Matrix& at) const {
    const SparsePosterior& posterior = found.latents[0].posterior;
    return dense::predict(*kernel, dense::columns(x, posterior.basis), posterior, at);
  }
  Matrix x;
  Matrix y, labels;
  std::unique_ptr<Kernel> kernel;
};

GreedyOptions sized(Index n, Index candidates = 0) {
  GreedyOptions options;
  options.n_basis = n;
  options.candidates = candidates;
  return options;
}

// 8 distinct points, each of them `copies` times.
Problem few_points(Index copies) {
  Problem p(8 * copies);
  for (Index j = 8; j < p.x.cols(); ++j) p.x.col(j) = p.x.col(j % 8);
  return p;
}

}  // namespace

TEST(greedy_upper_variances_are_those_given_some_rows_alone) {
  const Problem p(60);
  const Matrix at = dense::points(2, 9, 77, 3.0);
  CaseTerms weighted;
  weighted.weight = dense::points(60, 1, 8).cwiseAbs2().array() + 0.4;
  for (const CaseTerms& cases : {CaseTerms(), weighted})
    for (const Index dual_rows : {60, 25}) {
      GreedyOptions options = sized(12);
      options.dual_rows = dual_rows;
      const GreedyResult plain = p.regression(options, cases);
      options.variance = GreedyVariance::upper;
      const GreedyResult upper = p.regression(options, cases);
      const SparsePosterior& posterior = upper.latents[0].posterior;
      CHECK(posterior.basis.size() > 12);  // rows of the dual form are no basis functions
      check_near(p.predict(upper, at).mean, p.predict(plain, at).mean, 1e-12);
      Indices rows, all;
      for (std::size_t i = 0; i < posterior.basis.size(); ++i)
        if (posterior.down.scale(static_cast<Index>(i)) > 0.0) rows.push_back(posterior.basis[i]);
      for (Index j = 0; j < 60; ++j) all.push_back(j);
      CHECK(rows.size() == 12);
      const auto given = [&](const Indices& observed) {
        const Vector weight = cases.weights(60);
        Vector precision(static_cast<Index>(observed.size()));
        for (Index i = 0; i < precision.size(); ++i)
          precision(i) = weight(observed[static_cast<std::size_t>(i)]) / kNoise;
        const Matrix seen = dense::columns(p.x, observed);
        return dense::condition(dense::gram(*p.kernel, seen), dense::cross(*p.kernel, seen, at),
                                dense::diagonal(*p.kernel, at), precision,
                                Vector::Zero(precision.size()))
            .variance;
      };
      const Vector variance = p.predict(upper, at).variance;
      check_near(variance, given(rows), 1e-9);
      CHECK((variance - given(all)).minCoeff() >= -1e-9);
    }
}

TEST(greedy_variances_of_the_subset_of_regressors_vanish_far_away) {
  const Problem p(60);
  Matrix at(2, 2);
  at << 40.0, p.x(0, 0), 0.0, p.x(1, 0);
  for (const bool binary : {false, true}) {
    const auto likelihood = binary ? dense::probit() : dense::gaussian(kNoise);
    GreedyOptions options = sized(12);
    const Vector dtc = p.predict(p.fit(options, *likelihood), at).variance;
    options.variance = GreedyVariance::sor;
    const auto found = p.predict(p.fit(options, *likelihood), at);
    CHECK(found.variance(0) == 0.0 && found.variance(1) > 0.0);
    CHECK_NEAR(dtc(0), 1.5, 1e-12);
    // What the basis leaves of the prior variance is the difference of the two.
    CHECK(dtc(1) >= found.variance(1) - 1e-12);
  }
}

TEST(greedy_regression_with_case_weights_is_that_of_the_copies) {
  const Problem p(50);
  const dense::Copies copies(50);
  Problem often(100);
  often.x = copies.of(p.x);
  often.y = copies.of(Vector(p.y));
  const Matrix at = dense::points(2, 9, 77);
  const GreedyResult once = p.regression(sized(10), {copies.weight, Vector()}),
                     repeated = often.regression(sized(10));
  for (std::size_t i = 0; i < 10; ++i)
    CHECK(p.x.col(once.latents[0].posterior.basis[i]) ==
          often.x.col(repeated.latents[0].posterior.basis[i]));
  const auto a = p.predict(once, at), b = often.predict(repeated, at);
  check_near(a.mean, b.mean, 1e-8);
  check_near(a.variance, b.variance, 1e-8);
  CHECK_NEAR(once.latents[0].log_evidence, repeated.latents[0].log_evidence, 1e-8);
  check_near(once.latents[0].evidence_gradient, repeated.latents[0].evidence_gradient, 1e-6);
}

TEST(greedy_chooses_from_the_lists_that_are_given) {
  const Problem p(60);
  for (const bool binary : {false, true}) {
    const auto likelihood = binary ? dense::probit() : dense::gaussian(kNoise);
    GreedyOptions options = sized(6);
    options.candidate_lists = {{4, 9, 30}, {9, 4}, {55, 2, 1}};
    const GreedyResult found = p.fit(options, *likelihood);
    const Indices& basis = found.latents[0].posterior.basis;
    CHECK(basis.size() == 3);  // as many as there are lists
    for (std::size_t i = 0; i < 3; ++i) {
      const Indices& list = options.candidate_lists[i];
      CHECK(std::find(list.begin(), list.end(), basis[i]) != list.end());
    }
    CHECK(found.converged && found.reason.find("exhausted") == 0);
    options.candidate_lists = {{4}, {4}, {7}};  // nothing new in the second
    CHECK(p.fit(options, *likelihood).latents[0].posterior.basis == Indices{4});
  }
}

TEST(greedy_ends_when_every_row_is_explained) {
  const Problem p = few_points(12);
  for (const bool binary : {false, true}) {
    const auto likelihood = binary ? dense::probit() : dense::gaussian(kNoise);
    for (const GreedyRule rule : {GreedyRule::gain, GreedyRule::pivot, GreedyRule::random})
      for (const Index candidates : {0, 4}) {
        GreedyOptions options = sized(20, candidates);
        options.rule = rule;
        const GreedyResult found = p.fit(options, *likelihood);
        std::set<Index> distinct;
        for (const Index j : found.latents[0].posterior.basis) distinct.insert(j % 8);
        CHECK(distinct.size() == found.latents[0].posterior.basis.size());
        if (candidates == 0 || rule == GreedyRule::pivot) CHECK(distinct.size() == 8);
        CHECK(found.converged && found.reason.find("exhausted") == 0);
      }
  }
}

TEST(greedy_stops_at_the_gap_that_is_asked_for) {
  const Problem p(60);
  for (const int round : {0, 1, 2}) {
    const GreedyStop stop = round == 2 ? GreedyStop::duality_gap : GreedyStop::posterior;
    GreedyOptions options = sized(0, round == 1 ? 20 : 0);
    options.stop = stop;
    options.tol = 0.05;
    const GreedyResult found = p.regression(options);
    const GreedyCertificate& last = found.certificates[0];
    CHECK(found.converged && found.reason.empty());
    CHECK(found.latents[0].posterior.basis.size() < 60);
    CHECK((stop == GreedyStop::posterior ? last.posterior_gap() : last.duality_gap()) < 0.05);
    // The minimum over the functions of all rows lies between the bounds.
    const Vector centred = p.y.array() - 0.1;
    const Matrix k = dense::gram(*p.kernel, p.x);
    const double least =
        -0.5 *
        centred.dot(k * Eigen::LLT<Matrix>(k + kNoise * Matrix::Identity(60, 60)).solve(centred));
    CHECK(last.lower <= least + 1e-9 && least <= last.objective + 1e-9);
    options.max_basis = 3;
    options.tol = 1e-6;
    const GreedyResult cut = p.regression(options);
    CHECK(!cut.converged && cut.latents[0].posterior.basis.size() == 3);
    CHECK(cut.reason.find("the gap was still above") == 0);
  }
}

TEST(greedy_machines_report_the_reason_of_one_that_did_not_converge) {
  const Problem p = few_points(6);
  Matrix y(48, 2);
  y.col(0).setConstant(0.1);  // the prior mean: nothing is left to explain
  y.col(1) = p.y;
  GreedyOptions options = sized(0);
  options.max_basis = 2;
  options.tol = 1e-9;
  const GreedyResult found =
      fit_greedy({*p.kernel, *dense::gaussian(kNoise), p.x, y, Vector::Constant(2, 0.1)}, options,
                 5, Context());
  CHECK(!found.converged && found.reason.find("the gap was still above") == 0);
}

TEST(greedy_gradient_bounds_come_in_the_form_that_the_rows_allow) {
  const Problem p(40);
  const auto likelihood = dense::probit();
  GreedyOptions options = sized(40);
  const double least = p.fit(options, *likelihood).certificates[0].objective;
  options.n_basis = 8;
  const auto with = [&](GradientBound bound, Index certify_rows) {
    options.bound = bound;
    options.certify_rows = certify_rows;
    const GreedyCertificate found = p.fit(options, *likelihood).certificates[0];
    CHECK(found.lower <= least + 1e-8 && least <= found.objective + 1e-8);
    return found;
  };
  const auto exact = with(GradientBound::exact, 1000), many = with(GradientBound::exact, 39);
  const auto block = with(GradientBound::block, 1000), cheap = with(GradientBound::cheap, 1000);
  CHECK(exact.source == BoundSource::gradient_exact);
  CHECK(many.source == BoundSource::gradient_block && block.source == many.source);
  CHECK(cheap.source == BoundSource::gradient_cheap);
  CHECK(many.lower == block.lower);
  // The first two can be the same number but for its last bits.
  CHECK(exact.lower >= block.lower - 1e-12 && block.lower >= cheap.lower);
}

TEST(greedy_bordered_steps_end_at_the_same_mode) {
  const Problem p(60);
  for (const char* name : {"probit", "student"}) {
    const auto likelihood = std::string(name) == "probit"
                                ? dense::probit()
                                : dense::likelihood("student", {{"df", {4.0}}, {"scale", {0.3}}});
    GreedyOptions options = sized(14);
    for (Index j = 0; j < 14; ++j) options.candidate_lists.push_back({4 * j});
    options.grow = 0.0;  // Newton's method anew after every function
    const GreedyResult often = p.fit(options, *likelihood);
    options.grow = 5.0;
    const GreedyResult seldom = p.fit(options, *likelihood);
    CHECK(often.latents[0].posterior.basis == seldom.latents[0].posterior.basis);
    check_near(often.latents[0].posterior.weights, seldom.latents[0].posterior.weights, 1e-6);
    CHECK_NEAR(often.latents[0].log_evidence, seldom.latents[0].log_evidence, 1e-8);
  }
}

TEST(greedy_largest_log_densities_are_those_of_the_best_function) {
  const auto poisson = dense::likelihood("poisson");
  for (const double y : {0.0, 1.0, 7.0, 1e6}) {
    const double best = y > 0.0 ? poisson->log_density(y, std::log(y)) : 0.0;
    CHECK_NEAR(largest_log_density(*poisson, y, 0.5), best, 1e-9);
    CHECK_NEAR(largest_log_density(*poisson, y, -20.0), best, 1e-9);
  }
  CHECK_NEAR(largest_log_density(*dense::likelihood("logit"), 1.0, -3.0), 0.0, 1e-9);
}

TEST(greedy_stops_alike_in_every_unit_of_positive_responses) {
  const Problem p(60);
  const auto gamma = dense::likelihood("gamma", {{"shape", {2.0}}});
  const Vector y = (0.5 * p.y.array()).exp();
  const auto fit = [&](double unit) {
    GreedyOptions options;
    options.candidates = 7;
    const Matrix scaled = unit * y;
    return fit_greedy({*p.kernel, *gamma, p.x, scaled, Vector::Constant(1, std::log(unit)), {}},
                      options, 5, Context());
  };
  const GreedyResult one = fit(1.0);
  CHECK(one.certificates[0].posterior_gap() < 0.025);
  for (const double unit : {1e-6, 1e6}) {
    const GreedyResult other = fit(unit);
    CHECK(other.latents[0].posterior.basis == one.latents[0].posterior.basis);
    CHECK_NEAR(other.certificates[0].posterior_gap(), one.certificates[0].posterior_gap(), 1e-6);
  }
}

TEST(greedy_gaps_are_relative_to_what_is_known_to_be_left) {
  GreedyCertificate certificate;
  certificate.objective = -1.0;
  certificate.lower = -1.5;
  certificate.offset = 2.0;
  CHECK_NEAR(certificate.posterior_gap(), 1.0, 1e-15);
  CHECK_NEAR(certificate.duality_gap(), 0.4, 1e-15);
  certificate.offset = 1.2;  // the negative log posterior may be 0
  CHECK(certificate.posterior_gap() == kInfinity);
  certificate.lower = certificate.objective;
  CHECK(certificate.posterior_gap() == 0.0 && certificate.duality_gap() == 0.0);
}

TEST(greedy_refuses_kernels_that_are_no_covariances) {
  Problem p(40);
  KernelSpec spec;
  spec.type = "function";
  spec.function = [](Points a, Points b, MatrixOut k) {
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < a.cols(); ++i) k(i, j) = 0.5 + (a.col(i) - b.col(j)).squaredNorm();
  };
  p.kernel = make_kernel(spec, 2);
  for (const bool binary : {false, true}) {
    const auto likelihood = binary ? dense::probit() : dense::gaussian(kNoise);
    for (const Index candidates : {0, 7})
      CHECK_THROWS(p.fit(sized(6, candidates), *likelihood), Error);
  }
  spec.function = [](Points, Points b, MatrixOut k) {
    k.setOnes();
    k.col(b.cols() - 1).setConstant(std::nan(""));
  };
  p.kernel = make_kernel(spec, 2);
  CHECK_THROWS(p.regression(sized(6)), Error);
}
