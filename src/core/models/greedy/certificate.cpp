#include "models/greedy/certificate.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

constexpr double kCheapCheck = 5e7;  // multiply-adds: too few to wait for
// Objectives that agree to this are equal: rounding of sums over the rows.
constexpr double kRounding = 1e-14;

// A quadratic form of the kernel matrix, computed from terms of this size: 0 where rounding makes
// it negative. Throws NumericalFailure where it is negative by more than that.
double nonnegative(double form, double size) {
  constexpr double kLargestError = 1e-6;
  if (!(form >= -kLargestError * size))
    throw NumericalFailure("the kernel matrix is not positive semi-definite");
  return std::max(0.0, form);
}

// ( sum over blocks b of sqrt(c_b' (K - ZZ')_bb c_b) )^2
double block_form(const GreedyNewton& engine, Index block, const Context& ctx) {
  const BoundKernel& kernel = engine.basis().kernel();
  const Index n = kernel.size();
  const auto z = engine.basis().columns();
  double sum = 0.0;
  for (Index begin = 0; begin < n; begin += block) {
    const Index rows = std::min(block, n - begin);
    Matrix gram(rows, rows);
    kernel.kernel().gram(kernel.points().middleCols(begin, rows), gram);
    const auto c = engine.state().slope().segment(begin, rows);
    Vector k_c(rows), z_c(z.cols());
    gemv(1.0, gram, Op::plain, c, 0.0, k_c);
    gemv(1.0, z.middleRows(begin, rows), Op::transposed, c, 0.0, z_c);
    sum += std::sqrt(std::max(0.0, c.dot(k_c) - z_c.squaredNorm()));
    ctx.check();
  }
  return sum * sum;
}

double cheap_form(const GreedyNewton& engine) {
  const double sum =
      engine.residual_kernel().cwiseSqrt().cwiseProduct(engine.state().slope().cwiseAbs()).sum();
  return sum * sum;
}

}  // namespace

double GreedyCertificate::posterior_gap() const {
  if (gap() <= 0.0) return 0.0;
  const double least = lower + offset;
  return least > 0.0 ? gap() / least : kInfinity;
}

double GreedyCertificate::duality_gap() const {
  if (gap() <= 0.0) return 0.0;
  return 2.0 * gap() / (std::abs(objective) + std::abs(lower));
}

double dense_gap(const GreedyRegression& engine, VectorIn slopes) {
  const Vector& r = engine.residual();
  const double size = r.norm() * (slopes.norm() / engine.noise() + engine.fitted().norm());
  return nonnegative(0.5 * r.dot(slopes) / engine.noise(), size);
}

double gradient_gap(const GreedyNewton& engine, GradientBound form, Index block_size,
                    const KernelOperator& kernel, const Context& ctx) {
  const Vector gradient = engine.state().gradient(engine.basis().columns(), ctx);
  const double on_span = 0.5 * gradient.squaredNorm();
  switch (form) {
    case GradientBound::cheap:
      return on_span + 0.5 * cheap_form(engine);
    case GradientBound::block:
      return on_span + 0.5 * block_form(engine, block_size, ctx);
    case GradientBound::exact:
      break;
  }
  const Vector& slope = engine.state().slope();
  const Vector explained = gradient - engine.state().coordinates();  // Z'c'
  const double whole = slope.dot(kernel.times(slope, ctx));
  return on_span + 0.5 * nonnegative(whole - explained.squaredNorm(), explained.squaredNorm());
}

CertificateKeeper::CertificateKeeper(const GreedyOptions& options, Index n, double offset)
    : options_(options),
      cost_(n <= options.certify_rows
                ? kKernelWork * static_cast<double>(n) * static_cast<double>(n)
                : kInfinity),
      offset_(offset),
      lower_(-kInfinity),
      sparse_lower_(-kInfinity) {}

void CertificateKeeper::add_bound(double lower, BoundSource source) {
  if (source == BoundSource::sparse_dual) sparse_lower_ = std::max(sparse_lower_, lower);
  if (!(lower > lower_)) return;
  lower_ = lower;
  source_ = source;
}

bool CertificateKeeper::dense_bound_is_due() const {
  return options_.n_basis == 0 && options_.stop == GreedyStop::posterior &&
         (cost_ <= kCheapCheck || work_ >= cost_);
}

GreedyCertificate CertificateKeeper::at(double objective) const {
  GreedyCertificate certificate;
  certificate.objective = objective;
  certificate.offset = offset_;
  if (source_ == BoundSource::none) return certificate;
  // A bound may pass the objective by the rounding of both; more than that it never does.
  certificate.lower = std::min(lower_, objective);
  certificate.source = source_;
  return certificate;
}

bool CertificateKeeper::gap_reached(double objective) const {
  if (options_.n_basis > 0) return false;
  if (options_.stop == GreedyStop::posterior) {
    const GreedyCertificate now = at(objective);
    return now.source != BoundSource::none &&
           (now.posterior_gap() < options_.tol ||
            now.gap() <= kRounding * (std::abs(objective) + std::abs(offset_)));
  }
  GreedyCertificate sparse;
  sparse.objective = objective;
  sparse.lower = std::min(sparse_lower_, objective);
  return sparse.duality_gap() < options_.tol;
}

}  // namespace gpsieve
