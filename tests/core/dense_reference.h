// What the sparse core is checked against: the same posteriors by plain dense algebra.
//
// Everything here is written from the definitions, cubic or worse, with explicit inverses, and uses
// nothing of the code under test but kernel values and single likelihood terms (and predict(),
// which asks it for its own answer). Points are columns, as in the core.
#ifndef GPSIEVE_TESTS_DENSE_REFERENCE_H
#define GPSIEVE_TESTS_DENSE_REFERENCE_H

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/rng.h"
#include "check.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "posterior/sparse_posterior.h"

namespace dense {

using gpsieve::Index;
using gpsieve::Indices;
using gpsieve::Matrix;
using gpsieve::Vector;

// ---- problems ----

inline Matrix points(Index p, Index n, std::uint64_t seed, double half_width = 2.0) {
  gpsieve::Rng rng(seed, 77);
  Matrix x(p, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < p; ++i) x(i, j) = half_width * (2.0 * rng.uniform() - 1.0);
  return x;
}

// A smooth function of the first two inputs, plus noise.
inline Vector numbers(const Matrix& x, std::uint64_t seed, double noise = 0.3) {
  gpsieve::Rng rng(seed, 78);
  Vector y(x.cols());
  for (Index j = 0; j < y.size(); ++j)
    y(j) = std::sin(2.0 * x(0, j)) + 0.5 * x(x.rows() - 1, j) + noise * (2.0 * rng.uniform() - 1.0);
  return y;
}

inline Vector labels(const Matrix& x, std::uint64_t seed, double noise = 0.5) {
  return numbers(x, seed, noise).unaryExpr([](double v) { return v > 0.0 ? 1.0 : -1.0; });
}

inline gpsieve::KernelSpec leaf(const std::string& type,
                                std::map<std::string, std::vector<double>> values) {
  gpsieve::KernelSpec spec;
  spec.type = type;
  spec.values = std::move(values);
  return spec;
}

inline gpsieve::KernelSpec rbf_spec(double variance, std::vector<double> lengthscale) {
  return leaf("rbf", {{"variance", {variance}}, {"lengthscale", std::move(lengthscale)}});
}

inline std::unique_ptr<gpsieve::Kernel> rbf(double variance = 1.5, double lengthscale = 1.0) {
  return gpsieve::make_kernel(rbf_spec(variance, {lengthscale}), 1);
}

inline std::unique_ptr<gpsieve::Likelihood> likelihood(
    const std::string& type, std::map<std::string, std::vector<double>> values = {}) {
  return gpsieve::make_likelihood({type, std::move(values)});
}
inline std::unique_ptr<gpsieve::Likelihood> probit() {
  return likelihood("probit", {{"noise", {1.0}}});
}
inline std::unique_ptr<gpsieve::Likelihood> gaussian(double variance) {
  return likelihood("gaussian", {{"variance", {variance}}});
}

inline Matrix gram(const gpsieve::Kernel& kernel, const Matrix& x) {
  Matrix k(x.cols(), x.cols());
  kernel.gram(x, k);
  return k;
}
inline Matrix cross(const gpsieve::Kernel& kernel, const Matrix& a, const Matrix& b) {
  Matrix k(a.cols(), b.cols());
  kernel.cross(a, b, k);
  return k;
}
inline Vector diagonal(const gpsieve::Kernel& kernel, const Matrix& x) {
  Vector k(x.cols());
  kernel.diagonal(x, k);
  return k;
}

inline Matrix columns(const Matrix& x, const Indices& rows) {
  Matrix out(x.rows(), static_cast<Index>(rows.size()));
  for (Index j = 0; j < out.cols(); ++j) out.col(j) = x.col(rows[j]);
  return out;
}

inline void check_near(const Vector& a, const Vector& b, double tolerance) {
  CHECK(a.size() == b.size());
  for (Index i = 0; i < a.size(); ++i) CHECK_NEAR(a(i), b(i), tolerance);
}

// ---- Gaussian posteriors ----

struct Marginals {
  Vector mean, variance;
};

// What the code under test predicts from one posterior whose basis is all of `basis`, in order.
inline Marginals predict(const gpsieve::Kernel& kernel, const Matrix& basis,
                         gpsieve::SparsePosterior posterior, const Matrix& at) {
  posterior.basis.resize(basis.cols());
  for (Index i = 0; i < basis.cols(); ++i) posterior.basis[i] = i;
  Matrix mean(at.cols(), 1), variance(at.cols(), 1);
  predict_marginals(kernel, basis, {posterior}, at, true, mean, variance, gpsieve::Context());
  return {mean.col(0), variance.col(0)};
}

// A process with covariance `prior` at the sites' rows, `between` from there to the points asked
// for and `own` as their variances, under sites with precision p and mean m. By Woodbury,
// A = (K^-1 + Pi)^-1 = K - K_.I (K_II + P^-1)^-1 K_I.
inline Marginals condition(const Matrix& prior, const Matrix& between, const Vector& own,
                           const Vector& p, const Vector& m) {
  if (p.size() == 0) return {Vector::Zero(own.size()), own};
  Matrix total = prior;
  total.diagonal() += p.cwiseInverse();
  const Eigen::LLT<Matrix> factor(total);
  const Matrix solved = factor.solve(between);
  return {solved.transpose() * m, own - between.cwiseProduct(solved).colwise().sum().transpose()};
}

// The same where all the points are rows of one data set with covariance k.
inline Marginals condition(const Matrix& k, const Indices& active, const Vector& p,
                           const Vector& m) {
  const Matrix between = columns(k, active).transpose();
  return condition(columns(between, active), between, k.diagonal(), p, m);
}

// log N(m | 0, K + diag(1 / p))
inline double log_evidence(const Matrix& prior, const Vector& p, const Vector& m) {
  Matrix total = prior;
  total.diagonal() += p.cwiseInverse();
  const Eigen::LLT<Matrix> factor(total);
  return -Matrix(factor.matrixL()).diagonal().array().log().sum() - 0.5 * m.dot(factor.solve(m)) -
         0.5 * static_cast<double>(m.size()) * std::log(2.0 * std::acos(-1.0));
}

// ---- the informative vector machine, everything recomputed after every inclusion ----

struct Ivm {
  Indices active;
  Vector precision, mean;  // sites
};

// Adds the site of `row`, given the marginal it sees.
inline void add_site(Ivm& ivm, const gpsieve::Likelihood& likelihood, double y, double prior_mean,
                     Index row, double mean, double variance) {
  const gpsieve::Tilted t = likelihood.tilted(y, mean + prior_mean, variance);
  const Index k = ivm.precision.size();
  ivm.precision.conservativeResize(k + 1);
  ivm.mean.conservativeResize(k + 1);
  ivm.precision(k) = -t.d2 / (1.0 + variance * t.d2);
  ivm.mean(k) = mean - t.d1 / t.d2;
  ivm.active.push_back(row);
}

// What the inclusion of a row with the marginal N(mean, a) is worth.
inline double inclusion_score(const gpsieve::Likelihood& likelihood, double y, double mean,
                              double a, bool infogain) {
  const gpsieve::Tilted t = likelihood.tilted(y, mean, a);
  const double entropy = -0.5 * std::log(1.0 + a * t.d2);
  return infogain ? entropy + 0.5 * (a * t.d2 + t.d1 * t.d1 * a) : entropy;
}

// `count` greedy inclusions; the lowest row wins ties.
inline Ivm greedy_ivm(const Matrix& k, const gpsieve::Likelihood& likelihood, const Vector& y,
                      double prior_mean, Index count, bool infogain) {
  Ivm ivm;
  std::vector<char> included(static_cast<std::size_t>(y.size()), 0);
  while (static_cast<Index>(ivm.active.size()) < count) {
    const Marginals now = condition(k, ivm.active, ivm.precision, ivm.mean);
    Index best = -1;
    double best_score = -std::numeric_limits<double>::infinity();
    for (Index j = 0; j < y.size(); ++j) {
      if (included[j]) continue;
      const double score =
          inclusion_score(likelihood, y(j), now.mean(j) + prior_mean, now.variance(j), infogain);
      if (score > best_score) {
        best_score = score;
        best = j;
      }
    }
    add_site(ivm, likelihood, y(best), prior_mean, best, now.mean(best), now.variance(best));
    included[best] = 1;
  }
  return ivm;
}

// The sites of rows included in a given order.
inline Ivm replay_ivm(const Matrix& k, const gpsieve::Likelihood& likelihood, const Vector& y,
                      double prior_mean, const Indices& order) {
  Ivm ivm;
  for (const Index row : order) {
    const Matrix between = columns(k, ivm.active).row(row).transpose();
    const Matrix prior = columns(columns(k, ivm.active).transpose(), ivm.active);
    const Marginals now =
        condition(prior, between, Vector::Constant(1, k(row, row)), ivm.precision, ivm.mean);
    add_site(ivm, likelihood, y(row), prior_mean, row, now.mean(0), now.variance(0));
  }
  return ivm;
}

// ---- expectation propagation for the probit, one site at a time, to convergence ----

struct Ep {
  Vector mean, variance, precision, shift;
  double log_evidence;
};

inline Ep probit_ep(const Matrix& k, const Vector& y, double prior_mean, int sweeps = 200) {
  const Index n = y.size();
  const double pi = std::acos(-1.0);
  Ep ep{Vector::Zero(n), k.diagonal(), Vector::Zero(n), Vector::Zero(n), 0.0};
  Matrix cov = k;
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    double energy = 0.0;
    for (Index i = 0; i < n; ++i) {
      const double v = cov(i, i), mu = cov.row(i).dot(ep.shift);
      const double vc = v / (1.0 - ep.precision(i) * v);
      const double mc = vc * (mu / v - ep.shift(i));
      const double root = std::sqrt(1.0 + vc), z = y(i) * (mc + prior_mean) / root;
      const double mass = 0.5 * std::erfc(-z / std::sqrt(2.0));
      const double r = std::exp(-0.5 * z * z) / std::sqrt(2.0 * pi) / mass;
      const double new_mean = mc + vc * y(i) * r / root;
      const double new_variance = vc - vc * vc * r * (r + z) / (1.0 + vc);
      energy += std::log(mass) + 0.5 * std::log(vc / v) + 0.5 * (mc * mc / vc - mu * mu / v);
      ep.precision(i) = 1.0 / new_variance - 1.0 / vc;
      ep.shift(i) = new_mean / new_variance - mc / vc;
      const Matrix weighted = ep.precision.asDiagonal() * k;
      cov = k * (Matrix::Identity(n, n) + weighted).inverse();
    }
    const Matrix weighted = ep.precision.asDiagonal() * k;
    const double log_det = std::log((Matrix::Identity(n, n) + weighted).determinant());
    ep.mean = cov * ep.shift;
    ep.log_evidence = energy - 0.5 * log_det + 0.5 * ep.shift.dot(ep.mean);
  }
  ep.variance = cov.diagonal();
  return ep;
}

// ---- FITC with sites exp(-tau g^2 / 2 + nu g) on g_i = k_i' K_uu^-1 f_u ----

inline Marginals fitc(const Matrix& k_uu, const Matrix& k_uf, const Vector& tau, const Vector& nu,
                      const Matrix& k_us, const Vector& k_ss) {
  const Matrix updated = (k_uu + k_uf * tau.asDiagonal() * k_uf.transpose()).inverse();
  const Matrix change = updated - k_uu.inverse();
  return {k_us.transpose() * (updated * (k_uf * nu)),
          k_ss + k_us.cwiseProduct(change * k_us).colwise().sum().transpose()};
}

}  // namespace dense

#endif
