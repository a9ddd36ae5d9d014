#include "models/rvm/classification.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/products.h"

namespace gpsieve {
RvmClassification::RvmClassification(VectorIn y, double noise, double offset,
                                     const RvmOptions& options, const Context& ctx)
    : RvmMachine(y, options, ctx),
      noise_(noise),
      offset_(offset),
      sites_(y, noise, ctx.threads),
      variances_(Vector::Zero(y.size())),
      prior_variances_(Vector::Zero(y.size())),
      outputs_(Vector::Constant(y.size(), offset)) {}

// A weight of standard deviation 10^6, in units of the input noise, decides every row.
double RvmClassification::smallest_alpha() const { return 1e-12 / noise_; }

// Section 4.4. EM's own fixed points are not stationary for the naive value, and its precisions run
// to zero; where 2 dPsi / d alpha_j = sum_i beta_i P_ij^2 / alpha_j^2 - mu_j^2 is zero they are.
Vector RvmClassification::updated_alpha() const {
  if (options_.inference != RvmInference::naive) return RvmMachine::updated_alpha();
  const Vector beta = sites_.curvature(variances_);
  Vector alpha(active_.size());
  for (Index j = 0; j < alpha.size(); ++j) {
    const double spread = active_.columns().col(j).cwiseAbs2().dot(beta);
    alpha(j) = std::sqrt(spread) / std::abs(mean_(j));
  }
  return alpha.array().isNaN().select(std::numeric_limits<double>::infinity(), alpha);
}

// Section 4.5, with s as a sum of positive terms.
EntryFactors RvmClassification::look(VectorIn phi) const {
  const Vector& omega = sites_.omega();
  EntryFactors f;
  f.q = phi.dot(sites_.tau());
  if (active_.size() == 0) {
    f.s = phi.cwiseAbs2().dot(omega);
    return f;
  }
  Vector g(active_.size());
  gemv(1.0, active_.columns(), Op::transposed, phi.cwiseProduct(omega), 0.0, g, ctx_.threads);
  const Vector u = posterior_.solve(g);
  Vector e = phi;
  gemv(-1.0, active_.columns(), Op::plain, u, 1.0, e, ctx_.threads);
  f.s = e.cwiseAbs2().dot(omega) + active_.alpha().dot(u.cwiseAbs2());
  return f;
}

void RvmClassification::admit(VectorIn phi, Index candidate, double alpha) {
  append_information(phi);
  active_.push(phi, candidate, alpha);
  mean_.conservativeResize(active_.size());
  mean_(active_.size() - 1) = 0.0;
}

void RvmClassification::append_information(VectorIn phi) {
  const Index m = active_.size();
  if (information_.rows() != m) return;
  const Vector weighted = phi.cwiseProduct(sites_.omega());
  Vector across(m);
  if (m > 0) gemv(1.0, active_.columns(), Op::transposed, weighted, 0.0, across, ctx_.threads);
  information_.conservativeResize(m + 1, m + 1);
  information_.row(m).head(m) = across.transpose();
  information_(m, m) = weighted.dot(phi);
}

void RvmClassification::admit_all(const RvmCandidates& candidates, VectorIn alpha) {
  active_.fill(candidates, alpha);
  mean_ = Vector::Zero(active_.size());
}

void RvmClassification::keep(const Indices& positions) {
  // Only the lower triangle is there to pick from.
  if (information_.rows() == active_.size() && std::is_sorted(positions.begin(), positions.end()))
    information_ = pick_square(information_, positions);
  else
    information_.resize(0, 0);
  active_.keep(positions);
  mean_ = pick_entries(mean_, positions);
}

// Section 6: H = Phi' Omega P, S = Phi^2' omega - |L^-1 D H'|^2, Q = Phi' tau.
void RvmClassification::all_factors(const RvmCandidates& candidates, VectorOut s, VectorOut q) {
  const Index m = active_.size();
  const Matrix weighted = sites_.omega().asDiagonal() * active_.columns();
  Matrix half(m, candidates.size());
  candidates.each_block([&](Index first, MatrixIn block) {
    for (Index j = 0; j < block.cols(); ++j)
      s(first + j) = block.col(j).cwiseAbs2().dot(sites_.omega());
    gemv(1.0, block, Op::transposed, sites_.tau(), 0.0, q.segment(first, block.cols()),
         ctx_.threads);
    if (m > 0)
      gemm(1.0, weighted, Op::transposed, block, Op::plain, 0.0,
           half.middleCols(first, block.cols()), ctx_.threads);
  });
  if (m == 0) return;
  posterior_.half_solve(half, ctx_.threads);
  Vector explained(half.cols());
  column_squared_norms(half, explained);
  s -= explained;
}

// TAP, by the stationarity of EP: tau mu' - Omega P Sigma. Laplace adds what moves with its mode,
// naive mean field has the prior variances instead of the determinant.
Matrix RvmClassification::design_gradient() const {
  const Index m = active_.size();
  const auto p = active_.columns();
  Matrix out = sites_.tau() * mean_.transpose();
  if (m == 0) return out;
  if (options_.inference == RvmInference::naive) {
    const Vector beta = sites_.curvature(variances_);
    for (Index j = 0; j < m; ++j) out.col(j) -= p.col(j).cwiseProduct(beta) / active_.alpha()(j);
    return out;
  }
  Matrix spread = p.transpose();  // Sigma P'
  posterior_.half_solve(spread, ctx_.threads);
  trsm(Side::left, Triangle::lower, Op::transposed, posterior_.root(), spread, ctx_.threads);
  spread.array().colwise() *= posterior_.scale().array();
  out.noalias() -= sites_.omega().asDiagonal() * spread.transpose();
  if (options_.inference == RvmInference::laplace) {
    const Vector w = -0.5 * weight_variances().cwiseProduct(sites_.omega_derivative());
    Vector back(m), mode(y_.size());
    gemv(1.0, spread, Op::plain, w, 0.0, back);  // Sigma P' w
    gemv(1.0, p, Op::plain, back, 0.0, mode);    // P Sigma P' w
    out += (w - sites_.omega().cwiseProduct(mode)) * mean_.transpose();
    out += sites_.tau() * back.transpose();
  }
  return out;
}

void RvmClassification::describe(LatentFit& fit) const {
  if (options_.inference != RvmInference::tap) return;
  fit.cavity_mean = sites_.cavity_mean(variances_);
  fit.cavity_variance = variances_;
}

}  // namespace gpsieve
