#include "models/rvm/regression.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/products.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

// Lower bounds of N - sum gamma, relative to N, and of the noise variance, relative to mean(t^2).
constexpr double kLeastFreedom = 1e-8;
constexpr double kSmallestNoise = 1e-12;
// A function counts as a linear combination of the active ones if the squared norm of its residual
// in their posterior fit is smaller than this share of its own squared norm.
constexpr double kResidualInSpan = 1e-13;

}  // namespace

RvmRegression::RvmRegression(VectorIn t, const RvmOptions& options, const Context& ctx,
                             const CaseTerms& cases)
    : RvmModel(t, options, ctx),
      cases_(cases),
      rows_(cases.weighted() ? cases.weight.sum() : static_cast<double>(t.size())),
      noise_(options.noise_start),
      residual_(t) {
  const double scale = t.squaredNorm() / rows_;
  // A response of zeros has no scale of its own: the bound is then relative to the starting value.
  smallest_noise_ = kSmallestNoise * (scale > 0.0 ? scale : noise_);
}

// theory.md (16): s is a sum of positive terms, so that no digits cancel.
SparsityQuality RvmRegression::sparsity_quality(VectorIn phi) const {
  SparsityQuality f;
  f.q = phi.dot(residual_) / noise_;
  if (active_.size() == 0) {
    f.s = phi.squaredNorm() / noise_;
    return f;
  }
  Vector g(active_.size());
  gemv(1.0, active_.columns(), Op::transposed, phi, 0.0, g, ctx_.threads);
  const Vector u = posterior_.covariance_times(g) / noise_;
  Vector e = phi;
  gemv(-1.0, active_.columns(), Op::plain, u, 1.0, e, ctx_.threads);
  const double misfit = e.squaredNorm();
  if (misfit < kResidualInSpan * phi.squaredNorm()) return {};
  f.s = misfit / noise_ + active_.alpha().dot(u.cwiseAbs2());
  return f;
}

void RvmRegression::append_to_gram(VectorIn phi) {
  const Index m = active_.size();
  if (gram_.rows() < m + 1) {
    Matrix grown = Matrix::Zero(2 * (m + 1), 2 * (m + 1));
    grown.topLeftCorner(m, m) = gram_.topLeftCorner(m, m);
    gram_.swap(grown);
  }
  Vector g(m);
  gemv(1.0, active_.columns(), Op::transposed, phi, 0.0, g, ctx_.threads);
  gram_.col(m).head(m) = g;
  gram_.row(m).head(m) = g.transpose();
  gram_(m, m) = phi.squaredNorm();
  projection_.conservativeResize(m + 1);
  projection_(m) = phi.dot(y_);
}

void RvmRegression::add_function(VectorIn phi, Index candidate, double alpha) {
  append_to_gram(phi);
  if (column_space_.size() > 0) column_space_.append(phi, ctx_.threads);
  active_.append(phi, candidate, alpha);
}

void RvmRegression::add_all_functions(const RvmDesignMatrix& design, VectorIn alpha) {
  active_.assign(design, alpha);
  const Index m = active_.size();
  gram_.resize(m, m);
  syrk(1.0, active_.columns(), Op::transposed, 0.0, gram_, ctx_.threads);
  symmetrise_from_lower(gram_);
  projection_.resize(m);
  gemv(1.0, active_.columns(), Op::transposed, y_, 0.0, projection_, ctx_.threads);
}

void RvmRegression::keep_functions(const Indices& positions) {
  gram_ = submatrix(gram_, positions);
  projection_ = subvector(projection_, positions);
  if (column_space_.size() > 0) column_space_.keep(positions);
  active_.keep(positions);
}

// theory.md (6) and (7). The residual t - P mu is formed explicitly, because the expansion of its
// squared norm into t't - 2 mu'P't + mu'P'P mu loses its digits by cancellation if s2 is small.
void RvmRegression::e_step() {
  const Index m = active_.size();
  const Matrix information = gram_.topLeftCorner(m, m) / noise_;
  // Once a Cholesky factorisation of B has failed, the next one would most likely fail too.
  if (column_space_.size() == 0 &&
      posterior_.factorise(information, active_.alpha(), ctx_.threads)) {
    mean_ = posterior_.covariance_times(projection_) / noise_;
  } else {
    factorise_by_qr();
  }
  residual_ = y_;
  if (m > 0) gemv(-1.0, active_.columns(), Op::plain, mean_, 1.0, residual_, ctx_.threads);
  evidence_ = -0.5 * (rows_ * (kLogTwoPi + std::log(noise_)) + residual_.squaredNorm() / noise_ +
                      active_.alpha().dot(mean_.cwiseAbs2())) -
              posterior_.half_log_det();
  if (!std::isfinite(evidence_))
    throw NumericalFailure("the evidence of the relevance vector machine is not finite");
}

// Posterior and mean by QR. With few functions the factorisation P = Q T is kept, and the number of
// rows of [T D; I] does not depend on the number of data.
void RvmRegression::factorise_by_qr() {
  const Index n = y_.size(), m = active_.size();
  if (2 * m > n) {
    posterior_.factorise_by_qr(active_.columns(), 1.0 / noise_, active_.alpha(), ctx_.threads);
    mean_ = posterior_.mean_by_qr(y_);
    return;
  }
  if (column_space_.size() != m) column_space_.assign(active_.columns(), ctx_.threads);
  posterior_.factorise_by_qr(column_space_.coordinates(), 1.0 / noise_, active_.alpha(),
                             ctx_.threads);
  mean_ = posterior_.mean_by_qr(column_space_.project(y_, ctx_.threads));
}

// theory.md (9) for EM and (11) for MacKay's rule.
void RvmRegression::update_noise(RvmUpdate rule) {
  const double n = rows_;
  const double gamma = posterior_.gamma().sum(), misfit = residual_.squaredNorm();
  const double updated = rule == RvmUpdate::em ? (misfit + noise_ * gamma) / n
                                               : misfit / std::max(n - gamma, kLeastFreedom * n);
  noise_ = std::max(updated, smallest_noise_);
}

double RvmRegression::mackay_noise_update() {
  const double before = noise_;
  update_noise(RvmUpdate::mackay);
  return std::abs(std::log(noise_ / before));
}

// Phi't and the norms once, and a column of Phi'P for every function that has been added since the
// last call.
void RvmRegression::update_cross_products(const RvmDesignMatrix& design) {
  const Index k = design.size(), m = active_.size();
  if (candidate_norms_.size() == 0) {
    candidate_norms_.resize(k);
    candidate_projection_.resize(k);
    design.each_block([&](Index first, MatrixIn block) {
      column_squared_norms(block, candidate_norms_.segment(first, block.cols()));
      gemv(1.0, block, Op::transposed, y_, 0.0, candidate_projection_.segment(first, block.cols()),
           ctx_.threads);
    });
  }
  if (cross_product_index_ == active_.index()) return;
  Matrix arranged(k, m);
  for (Index j = 0; j < m; ++j) {
    const auto known =
        std::find(cross_product_index_.begin(), cross_product_index_.end(), active_.index()[j]);
    if (known != cross_product_index_.end()) {
      arranged.col(j) = cross_products_.col(known - cross_product_index_.begin());
      continue;
    }
    design.each_block([&](Index first, MatrixIn block) {
      gemv(1.0, block, Op::transposed, active_.columns().col(j), 0.0,
           arranged.col(j).segment(first, block.cols()), ctx_.threads);
    });
  }
  cross_products_.swap(arranged);
  cross_product_index_ = active_.index();
}

// theory.md (17) with C = s2 I + P A^-1 P'; the second term of S is |L^-1 D P'phi_j|^2 / s2^2.
void RvmRegression::all_sparsity_quality(const RvmDesignMatrix& design, VectorOut s, VectorOut q) {
  update_cross_products(design);
  s = candidate_norms_ / noise_;
  q = candidate_projection_ / noise_;
  if (active_.size() == 0) return;
  Matrix whitened = cross_products_.transpose() / noise_;
  posterior_.whiten(whitened, ctx_.threads);
  Vector explained(whitened.cols());
  column_squared_norms(whitened, explained);
  s -= explained;
  gemv(-1.0 / noise_, cross_products_, Op::plain, mean_, 1.0, q, ctx_.threads);
}

// theory.md (33): (r mu' - P Sigma) / s2 with the residual r.
Matrix RvmRegression::design_gradient() const {
  Matrix covariance_p = active_.columns().transpose();
  posterior_.multiply_by_covariance(covariance_p, ctx_.threads);
  Matrix out = covariance_p.transpose();
  gemm(1.0 / noise_, residual_, Op::plain, mean_, Op::transposed, -1.0 / noise_, out, ctx_.threads);
  return out;
}

// theory.md (34).
double RvmRegression::noise_gradient() const {
  return 0.5 * (residual_.squaredNorm() / noise_ - rows_ + posterior_.gamma().sum());
}

}  // namespace gpsieve
