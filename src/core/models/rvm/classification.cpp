#include "models/rvm/classification.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/products.h"

namespace gpsieve {
namespace {

// No smallest precision is smaller. A weight of prior standard deviation 10^6, in units of the
// input noise, decides the class of every row by itself.
constexpr double kSmallestAlpha = 1e-12;

}  // namespace

RvmClassification::RvmClassification(VectorIn y, double noise, double prior_mean,
                                     const RvmOptions& options, const Context& ctx,
                                     const CaseTerms& cases)
    : RvmModel(y, options, ctx),
      noise_(noise),
      prior_means_(cases.prior_means(y.size(), prior_mean)),
      sites_(y, cases.weights(y.size()), noise, ctx.threads),
      cavity_variances_(Vector::Zero(y.size())),
      prior_variances_(Vector::Zero(y.size())),
      latent_(prior_means_) {}

double RvmClassification::smallest_alpha() const {
  return std::max(options_.alpha_min, kSmallestAlpha) / noise_;
}

// The general M-step is not stationary for the evidence of naive mean field, and its precisions
// converge to zero. theory.md (31) is a fixed-point iteration for a stationary point.
Vector RvmClassification::updated_alpha() const {
  if (options_.inference != RvmInference::naive) return RvmModel::updated_alpha();
  const Vector beta = sites_.curvature(cavity_variances_);
  Vector alpha(active_.size());
  for (Index j = 0; j < alpha.size(); ++j) {
    const double curvature = active_.columns().col(j).cwiseAbs2().dot(beta);
    alpha(j) = std::sqrt(curvature) / std::abs(mean_(j));
  }
  return alpha.array().isNaN().select(std::numeric_limits<double>::infinity(), alpha);
}

void RvmClassification::add_function(VectorIn phi, Index candidate, double alpha) {
  append_to_information(phi);
  active_.append(phi, candidate, alpha);
  mean_.conservativeResize(active_.size());
  mean_(active_.size() - 1) = 0.0;
}

void RvmClassification::append_to_information(VectorIn phi) {
  const Index m = active_.size();
  if (information_.rows() != m) return;
  const Vector weighted = phi.cwiseProduct(sites_.precision());
  Vector row(m);
  if (m > 0) gemv(1.0, active_.columns(), Op::transposed, weighted, 0.0, row, ctx_.threads);
  information_.conservativeResize(m + 1, m + 1);
  information_.row(m).head(m) = row.transpose();
  information_(m, m) = weighted.dot(phi);
}

void RvmClassification::add_all_functions(const RvmDesignMatrix& design, VectorIn alpha) {
  active_.assign(design, alpha);
  mean_ = Vector::Zero(active_.size());
}

void RvmClassification::keep_functions(const Indices& positions) {
  // Only the lower triangle of the information is known, so that its rows cannot be reordered.
  if (information_.rows() == active_.size() && std::is_sorted(positions.begin(), positions.end()))
    information_ = submatrix(information_, positions);
  else
    information_.resize(0, 0);
  active_.keep(positions);
  mean_ = subvector(mean_, positions);
}

// theory.md (32), with s as a sum of positive terms like theory.md (16).
SparsityQuality RvmClassification::sparsity_quality(VectorIn phi) const {
  const Vector& omega = sites_.precision();
  SparsityQuality f;
  f.q = phi.dot(sites_.gradient());
  if (active_.size() == 0) {
    f.s = phi.cwiseAbs2().dot(omega);
    return f;
  }
  Vector g(active_.size());
  gemv(1.0, active_.columns(), Op::transposed, phi.cwiseProduct(omega), 0.0, g, ctx_.threads);
  const Vector u = posterior_.covariance_times(g);
  Vector e = phi;
  gemv(-1.0, active_.columns(), Op::plain, u, 1.0, e, ctx_.threads);
  f.s = e.cwiseAbs2().dot(omega) + active_.alpha().dot(u.cwiseAbs2());
  return f;
}

// theory.md (32) for all candidates; the second term of S is |L^-1 D P' Omega phi_j|^2.
void RvmClassification::all_sparsity_quality(const RvmDesignMatrix& design, VectorOut s,
                                             VectorOut q) {
  const Index m = active_.size();
  const Matrix weighted = sites_.precision().asDiagonal() * active_.columns();
  Matrix whitened(m, design.size());
  design.each_block([&](Index first, MatrixIn block) {
    for (Index j = 0; j < block.cols(); ++j)
      s(first + j) = block.col(j).cwiseAbs2().dot(sites_.precision());
    gemv(1.0, block, Op::transposed, sites_.gradient(), 0.0, q.segment(first, block.cols()),
         ctx_.threads);
    if (m > 0)
      gemm(1.0, weighted, Op::transposed, block, Op::plain, 0.0,
           whitened.middleCols(first, block.cols()), ctx_.threads);
  });
  if (m == 0) return;
  posterior_.whiten(whitened, ctx_.threads);
  Vector explained(whitened.cols());
  column_squared_norms(whitened, explained);
  s -= explained;
}

// theory.md (35) for TAP, (36) for naive mean field and (37) for Laplace's method, whose evidence
// also depends on P through the mode.
Matrix RvmClassification::design_gradient() const {
  const Index m = active_.size();
  const auto p = active_.columns();
  const Vector& omega = sites_.precision();
  Matrix out = sites_.gradient() * mean_.transpose();
  if (m == 0) return out;
  if (options_.inference == RvmInference::naive) {
    const Vector beta = sites_.curvature(cavity_variances_);
    for (Index j = 0; j < m; ++j) out.col(j) -= p.col(j).cwiseProduct(beta) / active_.alpha()(j);
    return out;
  }
  Matrix covariance_p = p.transpose();  // Sigma P'
  posterior_.multiply_by_covariance(covariance_p, ctx_.threads);
  out.noalias() -= omega.asDiagonal() * covariance_p.transpose();
  if (options_.inference == RvmInference::laplace) {
    const Vector a = -0.5 * latent_variances().cwiseProduct(sites_.precision_derivative());
    Vector mode_change(m), latent_change(y_.size());
    gemv(1.0, covariance_p, Op::plain, a, 0.0, mode_change);   // Sigma P' a
    gemv(1.0, p, Op::plain, mode_change, 0.0, latent_change);  // P Sigma P' a
    out += (a - omega.cwiseProduct(latent_change)) * mean_.transpose();
    out += sites_.gradient() * mode_change.transpose();
  }
  return out;
}

void RvmClassification::write_cavities(LatentFit& fit) const {
  if (options_.inference != RvmInference::tap) return;
  fit.cavity_mean = sites_.cavity_mean(cavity_variances_);
  fit.cavity_variance = cavity_variances_;
}

}  // namespace gpsieve
