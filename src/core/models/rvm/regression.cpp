#include "models/rvm/regression.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/products.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

constexpr double kLeastFreedom = 1e-8;    // of N - sum gamma, in units of N
constexpr double kSmallestNoise = 1e-12;  // in units of mean(t^2)
// A function whose part outside the span of the others is smaller has no digits of its own.
constexpr double kInSpan = 1e-13;

}  // namespace

RvmRegression::RvmRegression(VectorIn t, const RvmOptions& options, const Context& ctx)
    : RvmMachine(t, options, ctx), noise_(options.noise_start), residual_(t) {
  const double scale = t.squaredNorm() / static_cast<double>(t.size());
  // A response of zeros has no scale: any noise explains it, the smaller the better.
  smallest_noise_ = kSmallestNoise * (scale > 0.0 ? scale : noise_);
}

// Stable: a sum of positive terms, and the residual itself (section 2).
EntryFactors RvmRegression::look(VectorIn phi) const {
  EntryFactors f;
  f.q = phi.dot(residual_) / noise_;
  if (active_.size() == 0) {
    f.s = phi.squaredNorm() / noise_;
    return f;
  }
  Vector g(active_.size());
  gemv(1.0, active_.columns(), Op::transposed, phi, 0.0, g, ctx_.threads);
  const Vector u = posterior_.solve(g) / noise_;
  Vector e = phi;
  gemv(-1.0, active_.columns(), Op::plain, u, 1.0, e, ctx_.threads);
  const double outside = e.squaredNorm();
  if (outside < kInSpan * phi.squaredNorm()) return {};
  f.s = outside / noise_ + active_.alpha().dot(u.cwiseAbs2());
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

void RvmRegression::admit(VectorIn phi, Index candidate, double alpha) {
  append_to_gram(phi);
  if (span_.size() > 0) span_.push(phi, ctx_.threads);
  active_.push(phi, candidate, alpha);
}

void RvmRegression::admit_all(const RvmCandidates& candidates, VectorIn alpha) {
  active_.fill(candidates, alpha);
  const Index m = active_.size();
  gram_.resize(m, m);
  syrk(1.0, active_.columns(), Op::transposed, 0.0, gram_, ctx_.threads);
  symmetrise_from_lower(gram_);
  projection_.resize(m);
  gemv(1.0, active_.columns(), Op::transposed, y_, 0.0, projection_, ctx_.threads);
}

void RvmRegression::keep(const Indices& positions) {
  gram_ = pick_square(gram_, positions);
  projection_ = pick_entries(projection_, positions);
  if (span_.size() > 0) span_.keep(positions);
  active_.keep(positions);
}

// Section 1. The residual is formed explicitly: the shorter t't - 2 mu'P't + mu'P'P mu cancels
// where the noise is small.
void RvmRegression::expect() {
  const Index n = y_.size(), m = active_.size();
  const Matrix information = gram_.topLeftCorner(m, m) / noise_;
  // While the span is there the next Cholesky factor would most likely fail as the last one did.
  if (span_.size() == 0 && posterior_.factor(information, active_.alpha(), ctx_.threads)) {
    mean_ = posterior_.solve(projection_) / noise_;
  } else {
    expect_by_qr();
  }
  residual_ = y_;
  if (m > 0) gemv(-1.0, active_.columns(), Op::plain, mean_, 1.0, residual_, ctx_.threads);
  evidence_ = -0.5 * (static_cast<double>(n) * (kLogTwoPi + std::log(noise_)) +
                      residual_.squaredNorm() / noise_ + active_.alpha().dot(mean_.cwiseAbs2())) -
              posterior_.half_log_det();
  if (!std::isfinite(evidence_))
    throw NumericalFailure("the evidence of the relevance vector machine is not finite");
}

// Of few functions the span is kept: P = Q T, and the rows of [T D; I] do not grow with the data.
void RvmRegression::expect_by_qr() {
  const Index n = y_.size(), m = active_.size();
  if (2 * m > n) {
    posterior_.factor_by_qr(active_.columns(), 1.0 / noise_, active_.alpha(), ctx_.threads);
    mean_ = posterior_.solve_by_qr(y_);
    return;
  }
  if (span_.size() != m) span_.fill(active_.columns(), ctx_.threads);
  posterior_.factor_by_qr(span_.coordinates(), 1.0 / noise_, active_.alpha(), ctx_.threads);
  mean_ = posterior_.solve_by_qr(span_.project(y_, ctx_.threads));
}

void RvmRegression::update_noise_with(RvmUpdate rule) {
  const double n = static_cast<double>(y_.size());
  const double seen = posterior_.gamma().sum(), misfit = residual_.squaredNorm();
  const double updated = rule == RvmUpdate::em ? (misfit + noise_ * seen) / n
                                               : misfit / std::max(n - seen, kLeastFreedom * n);
  noise_ = std::max(updated, smallest_noise_);
}

double RvmRegression::update_noise() {
  const double before = noise_;
  update_noise_with(RvmUpdate::mackay);
  return std::abs(std::log(noise_ / before));
}

// Phi'P gains a column for every function that is new, and no product is done twice.
void RvmRegression::refresh_products(const RvmCandidates& candidates) {
  const Index k = candidates.size(), m = active_.size();
  if (candidate_norms_.size() == 0) {
    candidate_norms_.resize(k);
    candidate_projection_.resize(k);
    candidates.each_block([&](Index first, MatrixIn block) {
      column_squared_norms(block, candidate_norms_.segment(first, block.cols()));
      gemv(1.0, block, Op::transposed, y_, 0.0, candidate_projection_.segment(first, block.cols()),
           ctx_.threads);
    });
  }
  if (product_index_ == active_.index()) return;
  Matrix arranged(k, m);
  for (Index j = 0; j < m; ++j) {
    const auto known = std::find(product_index_.begin(), product_index_.end(), active_.index()[j]);
    if (known != product_index_.end()) {
      arranged.col(j) = products_.col(known - product_index_.begin());
      continue;
    }
    candidates.each_block([&](Index first, MatrixIn block) {
      gemv(1.0, block, Op::transposed, active_.columns().col(j), 0.0,
           arranged.col(j).segment(first, block.cols()), ctx_.threads);
    });
  }
  products_.swap(arranged);
  product_index_ = active_.index();
}

// Section 6: S = |phi|^2 / noise - |L^-1 D P'phi / noise|^2, Q = phi'(t - P mean) / noise.
void RvmRegression::all_factors(const RvmCandidates& candidates, VectorOut s, VectorOut q) {
  refresh_products(candidates);
  s = candidate_norms_ / noise_;
  q = candidate_projection_ / noise_;
  if (active_.size() == 0) return;
  Matrix half = products_.transpose() / noise_;
  posterior_.half_solve(half, ctx_.threads);
  Vector explained(half.cols());
  column_squared_norms(half, explained);
  s -= explained;
  gemv(-1.0 / noise_, products_, Op::plain, mean_, 1.0, q, ctx_.threads);
}

// (r mu' - P Sigma) / noise.
Matrix RvmRegression::design_gradient() const {
  Matrix half = active_.columns().transpose();
  posterior_.half_solve(half, ctx_.threads);
  trsm(Side::left, Triangle::lower, Op::transposed, posterior_.root(), half, ctx_.threads);
  Matrix out = half.transpose() * posterior_.scale().asDiagonal();
  gemm(1.0 / noise_, residual_, Op::plain, mean_, Op::transposed, -1.0 / noise_, out, ctx_.threads);
  return out;
}

double RvmRegression::noise_gradient() const {
  return 0.5 * (residual_.squaredNorm() / noise_ - static_cast<double>(y_.size()) +
                posterior_.gamma().sum());
}

}  // namespace gpsieve
