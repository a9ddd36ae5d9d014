// Minibatches: what the schedules do with some of the rows at a time, and what survives a change of
// hyper-parameters in between.
#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "check.h"
#include "ep_helpers.h"
#include "models/ep/batches.h"

using namespace gpsieve;
using dense::check_near;

TEST(batches_cover_every_row_once_an_epoch) {
  for (const bool shuffle : {false, true})
    for (const Index size : {1, 7, 10, 23}) {
      EpBatches batches(23, size, 0, shuffle, 5), again(23, size, 0, shuffle, 5);
      std::vector<Indices> epochs;
      for (int epoch = 0; epoch < 3; ++epoch) {
        Indices seen;
        for (Index b = 0; b < (23 + size - 1) / size; ++b) {
          const RowSet rows = batches.next(), same = again.next();
          CHECK(rows.size == std::min<Index>(size, 23 - static_cast<Index>(seen.size())));
          for (Index i = 0; i < rows.size; ++i) {
            seen.push_back(rows[i]);
            CHECK(rows[i] == same[i]);
          }
        }
        epochs.push_back(seen);
        std::sort(seen.begin(), seen.end());
        for (Index i = 0; i < 23; ++i) CHECK(seen[i] == i);
      }
      CHECK(batches.all_rows() == (size == 23));
      CHECK((epochs[0] == epochs[1]) == (!shuffle || size == 23));
    }
  EpBatches all(9, 0, 0, true, 1);
  CHECK(all.all_rows() && all.next().size == 9);
}

TEST(one_batch_of_all_rows_is_a_pass) {
  const Matrix x = dense::points(2, 80, 1), y = dense::labels(x, 2);
  const auto kernel = dense::rbf(1.4);
  const auto factors = ep::probit_factors(y);
  Indices order(80);
  std::iota(order.begin(), order.end(), Index{0});
  std::reverse(order.begin(), order.end());
  for (const Schedule schedule : {Schedule::ep, Schedule::sep, Schedule::adf}) {
    ep::Run pass(*kernel, x, x.leftCols(9), *factors, schedule);
    ep::Run batch(*kernel, x, x.leftCols(9), *factors, schedule);
    WhitenedRows listed(batch.inducing, x, RowSet::listed(order));
    for (int i = 0; i < 3; ++i) {
      pass.passes(1, 0.6);
      batch.ep.update(listed, {0.6, false}, Context());
      ep::check_near(batch.ep.natural(0), pass.ep.natural(0), 1e-12);
    }
  }
}

TEST(minibatches_follow_the_rules_of_their_schedule) {
  const Index n = 50, s = 20, m = 6;
  const Matrix x = dense::points(2, n, 3), y = dense::labels(x, 4);
  const auto kernel = dense::rbf(1.4);
  const auto factors = ep::probit_factors(y);
  const auto likelihood = dense::probit();
  for (const Schedule schedule : {Schedule::sep, Schedule::adf})
    for (const bool warm : {false, true}) {
      ep::Run run(*kernel, x, x.leftCols(m), *factors, schedule);
      const auto [v, residual] = run.whitened(x);
      Matrix t = Matrix::Zero(m, m);
      Vector b = Vector::Zero(m);
      for (int update = 1; update <= 6; ++update) {
        const Index begin = (update % 2) * 15;
        const double share = schedule == Schedule::sep ? 1.0 - 1.0 / n : 1.0;
        const Matrix covariance = (Matrix::Identity(m, m) + share * t).inverse();
        Matrix sum_t = Matrix::Zero(m, m);
        Vector sum_b = Vector::Zero(m);
        for (Index i = begin; i < begin + s; ++i) {
          const Vector a = v.col(i);
          const double vc = a.dot(covariance * a), mc = share * a.dot(covariance * b);
          const Tilted tilted = likelihood->tilted(y(i, 0), mc, vc + residual(i));
          const double room = 1.0 + tilted.d2 * vc;
          sum_t += -tilted.d2 / room * a * a.transpose();
          sum_b += (tilted.d1 - mc * tilted.d2) / room * a;
        }
        const double part = static_cast<double>(s) / n;
        const double rate = warm ? std::max(part, 1.0 / update) : part;
        const bool sep = schedule == Schedule::sep;
        t = (sep ? 1.0 - rate : 1.0) * t + (sep ? rate / part : 1.0) * sum_t;
        b = (sep ? 1.0 - rate : 1.0) * b + (sep ? rate / part : 1.0) * sum_b;
        WhitenedRows rows(run.inducing, x, RowSet::range(begin, s));
        run.ep.update(rows, {1.0, warm}, Context());
        CHECK((ep::full(run.ep.natural(0)) - t).cwiseAbs().maxCoeff() < 1e-9);
        check_near(run.ep.natural(0).r, b, 1e-9);
      }
    }
}

TEST(minibatches_of_ep_change_no_sites_of_other_rows) {
  const Matrix x = dense::points(2, 60, 5), y = dense::labels(x, 6);
  const auto kernel = dense::rbf(1.4);
  const auto factors = ep::probit_factors(y);
  ep::Run run(*kernel, x, x.leftCols(8), *factors);
  run.passes(1);
  const Sites before = run.ep.sites();
  WhitenedRows rows(run.inducing, x, RowSet::range(10, 20));
  run.ep.update(rows, {0.5, false}, Context());
  const Sites& after = run.ep.sites();
  for (Index i = 0; i < 60; ++i)
    CHECK((before.precision(0, i) == after.precision(0, i)) == (i < 10 || i >= 30));
  // q is that of the sites, whichever way they came.
  const NaturalFactor now = run.ep.natural(0);
  run.ep.rebuild(run.rows, Context());
  ep::check_near(run.ep.natural(0), now, 1e-11);
  // Enough epochs end where passes over all rows end.
  for (int epoch = 0; epoch < 200; ++epoch)
    for (const Index begin : {0, 20, 40}) {
      WhitenedRows batch(run.inducing, x, RowSet::range(begin, 20));
      run.ep.update(batch, {1.0, false}, Context());
    }
  ep::Run whole(*kernel, x, x.leftCols(8), *factors);
  CHECK(whole.converge(1e-12));
  ep::check_near(run.ep.natural(0), whole.ep.natural(0), 1e-8);
}

// Sites exp(-tau (u_i'f_u)^2 / 2 + nu u_i'f_u) with the direction u_i in which each was made, as
// explicit matrices over f_u.
struct BruteForceEp {
  BruteForceEp(Index m, Index n)
      : u(Matrix::Zero(m, n)), tau(Vector::Zero(n)), nu(Vector::Zero(n)) {}
  Matrix covariance(const Matrix& k_uu, Index without = -1) const {
    Vector kept = tau;
    if (without >= 0) kept(without) = 0.0;
    return (k_uu.inverse() + u * kept.asDiagonal() * u.transpose()).inverse();
  }
  Vector mean(const Matrix& covariance_, Index without = -1) const {
    Vector kept = nu;
    if (without >= 0) kept(without) = 0.0;
    return covariance_ * (u * kept);
  }
  // New sites for the rows from a common q, each removed and remade in its new direction.
  void update(const Matrix& k_uu, const Matrix& k_uf, const Vector& s, const Likelihood& likelihood,
              const Matrix& y, Index begin, Index size) {
    const BruteForceEp old = *this;
    const Matrix turned = k_uu.inverse() * k_uf;
    for (Index i = begin; i < begin + size; ++i) {
      const Matrix c = old.covariance(k_uu, i);
      const Vector a = turned.col(i);
      const double vc = a.dot(c * a), mc = a.dot(old.mean(c, i));
      const Tilted tilted = likelihood.tilted(y(i, 0), mc, vc + s(i));
      const double room = 1.0 + tilted.d2 * vc;
      u.col(i) = a;
      tau(i) = -tilted.d2 / room;
      nu(i) = (tilted.d1 - mc * tilted.d2) / room;
    }
  }
  Matrix u;
  Vector tau, nu;
};

TEST(sites_keep_their_directions_when_hyper_parameters_change) {
  const Index n = 36, m = 5, s = 12;
  const Matrix x = dense::points(2, n, 7), y = dense::labels(x, 8), z = dense::points(2, m, 9);
  const auto factors = ep::probit_factors(y);
  const auto likelihood = dense::probit();
  const Context ctx;
  BruteForceEp want(m, n);
  SparseEp got(Schedule::ep, *factors, m, true);
  std::unique_ptr<Kernel> kernel = dense::rbf(1.0, 1.0), next;
  auto inducing = std::make_unique<Inducing>(*kernel, z, 1e-4, 1);
  for (int update = 0; update < 9; ++update) {
    const Index begin = (update % 3) * s;
    const Matrix k_uu = ep::gram_with_jitter(*inducing);
    const Matrix k_uf = dense::cross(*kernel, inducing->inputs(), x);
    Matrix v(m, n);
    Vector residual(n);
    inducing->whiten(x, v, residual);
    want.update(k_uu, k_uf, residual, *likelihood, y, begin, s);
    WhitenedRows rows(*inducing, x, RowSet::range(begin, s));
    got.update(rows, {0.3, false}, ctx);  // sites that turn are replaced as a whole
    const Matrix covariance = want.covariance(k_uu);
    const Matrix& l = inducing->factor();
    const Matrix in_f = l * got.q(0).covariance(1) * l.transpose();
    CHECK((in_f - covariance).cwiseAbs().maxCoeff() < 1e-8);
    check_near(l * got.q(0).mean, want.mean(covariance), 1e-8);
    check_near(got.sites().precision.row(0).transpose(), want.tau, 1e-8);
    check_near(got.sites().shift.row(0).transpose(), want.nu, 1e-8);
    // The kernel and the inducing inputs change between minibatches.
    next = dense::rbf(1.0 + 0.2 * update, 1.0 + 0.05 * update);
    auto to = std::make_unique<Inducing>(*next, inducing->inputs().array() + 0.02, 1e-4, 1);
    got.change_coordinates(*inducing, *to, 1);
    inducing = std::move(to);
    kernel = std::move(next);
  }
}

TEST(directions_that_stay_the_same_change_nothing) {
  const Matrix x = dense::points(2, 60, 10), y = dense::labels(x, 11);
  const auto kernel = dense::rbf(1.4);
  const auto factors = ep::probit_factors(y);
  ep::Run plain(*kernel, x, x.leftCols(8), *factors);
  SparseEp turning(Schedule::ep, *factors, 8, true);
  for (int update = 0; update < 9; ++update) {
    WhitenedRows rows(plain.inducing, x, RowSet::range((update % 3) * 20, 20));
    const auto one = plain.ep.update(rows, {}, Context());
    const auto two = turning.update(rows, {}, Context());
    CHECK_NEAR(one.log_z, two.log_z, 1e-9);
    ep::check_near(turning.natural(0), plain.ep.natural(0), 1e-9);
  }
  const auto paper = [&](const SparseEp& ep) {
    return sparse_ep_evidence(ep, plain.rows, 1.0, GradientForm::fixed_point, true, Context());
  };
  CHECK_NEAR(paper(turning).log_z, paper(plain.ep).log_z, 1e-9);
  check_near(paper(turning).kernel, paper(plain.ep).kernel, 1e-8);
}

// Sites with so negative a precision that the posterior is not a distribution.
class HostileFactors final : public Factors {
 public:
  explicit HostileFactors(const Factors& base) : base_(base) {}
  Index rows() const override { return base_.rows(); }
  void hold(Index, MatrixIn, Vector) override {}
  Index latents() const override { return 1; }
  Index sites_per_row() const override { return 1; }
  double n_factors(Index k) const override { return base_.n_factors(k); }
  double row_factors(Index i, Index k) const override { return base_.row_factors(i, k); }
  double prior_mean(Index k) const override { return base_.prior_mean(k); }
  bool log_concave() const override { return false; }
  void sites_from_cavity(const RowSet& rows, const Projections& cavity, VectorIn residual,
                         int threads, RowMoments& out) const override {
    base_.sites_from_cavity(rows, cavity, residual, threads, out);
    if (hostile) out.precision.setConstant(-1e3);
  }
  void update_sites(const RowSet& rows, const Projections& q, const SiteProjections& site,
                    VectorIn residual, int threads, Sites& sites, RowMoments& out) const override {
    base_.update_sites(rows, q, site, residual, threads, sites, out);
    if (hostile) sites.precision.setConstant(-1e3);
  }
  void cavities(const RowSet& rows, const Projections& q, VectorIn residual, const Sites& sites,
                Projections& out) const override {
    base_.cavities(rows, q, residual, sites, out);
  }
  void sum_sites(const RowSet& rows, const Sites& sites, Matrix& precision,
                 Matrix& shift) const override {
    base_.sum_sites(rows, sites, precision, shift);
  }
  double log_predictive(const RowSet& rows, const Projections& latent) const override {
    return base_.log_predictive(rows, latent);
  }
  bool hostile = false;

 private:
  const Factors& base_;
};

TEST(an_update_that_fails_or_is_interrupted_changes_nothing) {
  struct Stop {};
  const Matrix x = dense::points(2, 700, 12), y = dense::labels(x, 13);
  const auto kernel = dense::rbf(1.4);
  const auto base = ep::probit_factors(y);
  HostileFactors factors(*base);
  for (const Schedule schedule : {Schedule::ep, Schedule::sep, Schedule::adf})
    for (const bool directions : {false, true}) {
      if (directions && schedule != Schedule::ep) continue;
      factors.hostile = false;
      const Inducing inducing(*kernel, x.leftCols(8), 1e-8, 1);
      WhitenedRows rows(inducing, x, RowSet::range(0, 700));
      SparseEp ep(schedule, factors, 8, directions);
      ep.update(rows, {}, Context());
      const NaturalFactor natural = ep.natural(0);
      const WhitenedPosterior q = ep.q(0);
      const Sites sites = ep.sites();
      const auto unchanged = [&] {
        CHECK(ep.natural(0).t == natural.t && ep.natural(0).r == natural.r);
        CHECK(ep.q(0).factor == q.factor && ep.q(0).mean == q.mean);
        CHECK(ep.sites().precision == sites.precision && ep.sites().shift == sites.shift);
      };
      factors.hostile = true;
      CHECK_THROWS(ep.update(rows, {}, Context()), NotPositiveDefinite);
      unchanged();
      EpUpdate careful{1.0, false};
      const auto one_pass = [&](const EpUpdate& how) { return ep.update(rows, how, Context()); };
      CHECK_THROWS(damped_update(one_pass, 1.0, careful), NotPositiveDefinite);
      CHECK(careful.damping < 0.1);
      unchanged();
      factors.hostile = false;
      Context stops;
      stops.poll = [] { throw Stop(); };
      CHECK_THROWS(ep.update(rows, {}, stops), Stop);
      unchanged();
      SparseEp twin = ep;
      CHECK(ep.update(rows, {}, Context()).log_z == twin.update(rows, {}, Context()).log_z);
      CHECK(ep.q(0).mean == twin.q(0).mean);
    }
}
