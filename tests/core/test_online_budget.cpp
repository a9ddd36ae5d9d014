// Sequential learning with a budget: the same bits however a stream is split, a consistent state,
// and deletion against divergences of dense Gaussians.
#include <limits>

#include "online_helpers.h"

using namespace online;
using dense::check_near;

TEST(online_splitting_a_stream_changes_no_bit) {
  const Index n = 150;
  const Matrix x = dense::points(3, n, 10);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 11);
    for (const Index budget : {kNoBudget, Index{12}})
      for (const Deletion deletion :
           {Deletion::reverse_kl, Deletion::forward_kl, Deletion::cheap}) {
        InOrder options;
        options.budget = budget;
        options.deletion = deletion;
        const OnlineState whole = fit(*kernel, *likelihood, x, y, options).states[0];
        for (const Index step : {Index{1}, Index{37}, Index{140}}) {
          OnlineState state;
          Matrix basis(3, 0);
          bool fresh = true;
          for (Index begin = 0; begin < n; begin += step) {
            const Index rows = std::min(step, n - begin);
            Matrix both(3, basis.cols() + rows);
            both << basis, x.middleCols(begin, rows);
            std::vector<OnlineState> states;
            if (!fresh) states.push_back(state);
            fresh = false;
            state = fit(*kernel, *likelihood, both, y.segment(begin, rows), options, 0.0,
                        std::move(states))
                        .states[0];
            basis = dense::columns(both, state.basis);
            for (Index i = 0; i < basis.cols(); ++i) state.basis[i] = i;
          }
          CHECK(state.weights == whole.weights && state.form == whole.form);
          CHECK(state.whitening == whole.whitening && state.precision == whole.precision);
          CHECK(state.mean == whole.mean && state.weight_variance == whole.weight_variance &&
                state.stiffness == whole.stiffness);
          CHECK(state.log_evidence == whole.log_evidence);
          CHECK(state.since_refresh == whole.since_refresh);
          CHECK(basis == dense::columns(x, whole.basis));
        }
      }
  }
}

TEST(online_the_state_stays_consistent_under_a_budget) {
  const Matrix x = dense::points(2, 400, 12);
  const auto kernel = dense::rbf();
  for (const auto& likelihood : likelihoods()) {
    const Vector y = responses(*likelihood, x, 13);
    for (const Deletion deletion : {Deletion::reverse_kl, Deletion::forward_kl, Deletion::cheap}) {
      InOrder options;
      options.budget = 15;
      options.deletion = deletion;
      const OnlineState s = fit(*kernel, *likelihood, x, y, options).states[0];
      CHECK(static_cast<Index>(s.basis.size()) == 15);
      const Matrix one = Matrix::Identity(15, 15);
      const Matrix k = dense::gram(*kernel, dense::columns(x, s.basis));
      CHECK((s.whitening * k * s.whitening.transpose() - one).cwiseAbs().maxCoeff() < 1e-8);
      CHECK((s.precision * s.form - one).cwiseAbs().maxCoeff() < 1e-6);
      const Vector weight_variance = (s.whitening.transpose() * s.form * s.whitening).diagonal();
      const Vector stiffness = (s.whitening.transpose() * s.precision * s.whitening).diagonal();
      CHECK(((s.weight_variance - weight_variance).array().abs() < 1e-6 * weight_variance.array())
                .all());
      CHECK(((s.stiffness - stiffness).array().abs() < 1e-6 * stiffness.array()).all());
      CHECK(s.form == s.form.transpose() && s.precision == s.precision.transpose());
    }
  }
}

struct Gauss {
  Vector mean;
  Matrix covariance;
};

static double divergence(const Gauss& p, const Gauss& q) {  // KL(p || q)
  const Matrix solved = q.covariance.ldlt().solve(p.covariance);
  const Vector d = q.mean - p.mean;
  const double log_p = p.covariance.ldlt().vectorD().array().log().sum();
  const double log_q = q.covariance.ldlt().vectorD().array().log().sum();
  return 0.5 * (solved.trace() + d.dot(q.covariance.ldlt().solve(d)) -
                static_cast<double>(d.size()) + log_q - log_p);
}

static Matrix part(const Matrix& m, const Indices& rows, const Indices& columns) {
  return Matrix::NullaryExpr(rows.size(), columns.size(),
                             [&](Index i, Index j) { return m(rows[i], columns[j]); });
}

// The best approximation in which f_j given the other values has its prior distribution.
static Gauss without_point(const Gauss& p, const Matrix& k, Index j, bool reverse) {
  const Index n = k.rows();
  Indices rest;
  for (Index i = 0; i < n; ++i)
    if (i != j) rest.push_back(i);
  const Matrix k_rest = part(k, rest, rest);
  const Vector k_with = part(k, rest, {j});
  Matrix t = Matrix::Zero(n, n - 1);  // E[f | f_rest] = t f_rest
  for (Index i = 0; i < n - 1; ++i) t(rest[i], i) = 1.0;
  t.row(j) = k_rest.ldlt().solve(k_with).transpose();
  Gauss own;
  if (reverse) {  // proportional to exp E[log p(f) | f_rest]
    const Matrix precision = p.covariance.inverse();
    const Matrix folded = t.transpose() * precision * t;
    own.covariance = folded.inverse();
    own.mean = own.covariance * (t.transpose() * (precision * p.mean));
  } else {
    own.mean = part(p.mean, rest, {0});
    own.covariance = part(p.covariance, rest, rest);
  }
  Gauss all{t * own.mean, t * own.covariance * t.transpose()};
  all.covariance(j, j) += k(j, j) - t.row(j).dot(k_with);
  return all;
}

TEST(online_deletion_is_the_least_divergence_of_all) {
  for (std::uint64_t seed = 20; seed < 26; ++seed) {
    const Index n = 12;
    const Matrix x = dense::points(2, n, seed);
    const auto kernel = dense::rbf(1.5, 0.6);
    const auto likelihood = dense::probit();
    const Vector y = dense::labels(x, seed);
    const Matrix k = dense::gram(*kernel, x);
    InOrder free;
    const OnlineState s = fit(*kernel, *likelihood, x, y, free).states[0];
    CHECK(static_cast<Index>(s.basis.size()) == n);
    const Matrix c = s.whitening.transpose() * (s.form - Matrix::Identity(n, n)) * s.whitening;
    const Gauss p{k * s.weights, k + k * c * k};
    for (const bool reverse : {true, false}) {
      Index best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (Index j = 0; j < n; ++j) {
        const Gauss q = without_point(p, k, j, reverse);
        const double lost = reverse ? divergence(q, p) : divergence(p, q);
        if (lost < least) {
          least = lost;
          best = j;
        }
      }
      InOrder options;
      options.budget = n - 1;
      options.deletion = reverse ? Deletion::reverse_kl : Deletion::forward_kl;
      const OnlineFit found = fit(*kernel, *likelihood, x, y, options);
      for (const Index row : found.states[0].basis) CHECK(row != best);
      const Gauss q = without_point(p, k, best, reverse);
      const dense::Marginals at = predict(*kernel, x, found, x);
      check_near(at.mean, q.mean, 1e-8);
      check_near(at.variance, q.covariance.diagonal(), 1e-8);
    }
  }
}
