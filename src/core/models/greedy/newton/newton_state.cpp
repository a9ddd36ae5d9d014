#include "models/greedy/newton/newton_state.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/parallel.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

constexpr Index kLikelihoodBlock = 1024;  // rows evaluated by one thread
constexpr Index kGramRows = 2048;         // rows of Z in one syrk
constexpr Index kProductRows = Index{1} << 17;
constexpr int kMaxSteps = 100, kMaxHalvings = 40;
constexpr double kSufficient = 0.2;  // share of the predicted decrease a step must achieve
// Near the minimum a decrease of J is smaller than the rounding of J, and a full step is safe.
constexpr double kBelowRounding = 1e-10;

// The curvature of the quadratic in f that touches c at f and has its minimum at y: for Student's t
// it lies above c everywhere, theory.md#newtons-method-on-the-span.
double majorising_curvature(double y, double f, const Tilted& log_p) {
  return f == y ? -log_p.d2 : log_p.d1 / (y - f);
}

// Is the latent function on the scale of the response, so that c has its minimum at y?
bool is_least_at_response(const Likelihood& likelihood, double y) {
  return likelihood.response() == Response::real && likelihood.derivatives(y, y).d1 == 0.0;
}

double curvature_at(const Likelihood& likelihood, double y, double f, const Tilted& log_p) {
  const bool around_y = !likelihood.log_concave() && is_least_at_response(likelihood, y);
  // For classes and counts c has no minimum at y. Where c is concave its curvature is taken as 0;
  // the line search ensures that J decreases.
  return around_y ? majorising_curvature(y, f, log_p) : std::max(0.0, -log_p.d2);
}

}  // namespace

void add_along_span(MatrixIn z, VectorIn beta, VectorOut out, const Context& ctx) {
  for (Index begin = 0; begin < z.rows() && z.cols() > 0; begin += kProductRows) {
    const Index rows = std::min(kProductRows, z.rows() - begin);
    gemv(1.0, z.middleRows(begin, rows), Op::plain, beta, 1.0, out.segment(begin, rows),
         ctx.threads);
    ctx.check();
  }
}

void add_onto_span(MatrixIn z, VectorIn v, VectorOut out, const Context& ctx) {
  for (Index begin = 0; begin < z.rows() && z.cols() > 0; begin += kProductRows) {
    const Index rows = std::min(kProductRows, z.rows() - begin);
    gemv(1.0, z.middleRows(begin, rows), Op::transposed, v.segment(begin, rows), 1.0, out,
         ctx.threads);
    ctx.check();
  }
}

Matrix identity_plus_gram(MatrixIn z, VectorIn w, const Context& ctx) {
  const Index m = z.cols();
  Matrix gram = Matrix::Identity(m, m), scaled;
  const bool mixed = w.size() > 0 && w.minCoeff() < 0.0;
  for (Index begin = 0; begin < z.rows() && m > 0; begin += kGramRows) {
    const Index rows = std::min(kGramRows, z.rows() - begin);
    const auto block = z.middleRows(begin, rows);
    const auto weight = w.segment(begin, rows).array();
    scaled = block.array().colwise() * weight.max(0.0).sqrt();
    syrk(1.0, scaled, Op::transposed, 1.0, gram, ctx.threads);
    if (mixed) {
      scaled = block.array().colwise() * (-weight).max(0.0).sqrt();
      syrk(-1.0, scaled, Op::transposed, 1.0, gram, ctx.threads);
    }
    ctx.check();
  }
  return gram;
}

NewtonState::NewtonState(const Likelihood& likelihood, VectorIn y, double prior_mean,
                         const CaseTerms& cases)
    : likelihood_(likelihood),
      y_(y),
      prior_means_(cases.prior_means(y.size(), prior_mean)),
      weight_(cases.weights(y.size())),
      latent_(prior_means_),
      slope_(y.size()),
      curvature_(y.size()) {
  objective_ = evaluate(latent_, true, Context());
  if (!std::isfinite(objective_))
    throw NumericalFailure("the likelihood of the data at the prior mean is not a finite number");
  factored_ = curvature_;
}

double NewtonState::evaluate(VectorIn f, bool derivatives, const Context& ctx) {
  const Index n = f.size(), blocks = (n + kLikelihoodBlock - 1) / kLikelihoodBlock;
  Vector sums(blocks);
  parallel_blocks(ctx.threads, n, kLikelihoodBlock, [&](Index from, Index to) {
    double sum = 0.0;
    for (Index i = from; i < to; ++i) {
      if (!derivatives) {
        sum -= weight_(i) * likelihood_.log_density(y_(i), f(i));
        continue;
      }
      const Tilted t = likelihood_.derivatives(y_(i), f(i));
      sum -= weight_(i) * t.log_z;
      slope_(i) = weight_(i) * -t.d1;
      curvature_(i) = weight_(i) * curvature_at(likelihood_, y_(i), f(i), t);
    }
    sums(from / kLikelihoodBlock) = sum;
  });
  ctx.check();
  return sums.sum();
}

void NewtonState::start_from(MatrixIn z, VectorIn beta, const Context& ctx) {
  beta_ = beta;
  latent_ = prior_means_;
  add_along_span(z, beta_, latent_, ctx);
  objective_ = evaluate(latent_, true, ctx) + 0.5 * beta_.squaredNorm();
}

void NewtonState::extend() {
  beta_.conservativeResize(beta_.size() + 1);
  beta_(beta_.size() - 1) = 0.0;
}

Vector NewtonState::gradient(MatrixIn z, const Context& ctx) const {
  Vector out = beta_;
  add_onto_span(z, slope_, out, ctx);
  return out;
}

void NewtonState::factorise(MatrixIn z, const Context& ctx) {
  factor_ = identity_plus_gram(z, curvature_, ctx);
  cholesky_in_place(factor_, ctx.threads);
  factor_.triangularView<Eigen::StrictlyUpper>().setZero();
  factored_ = curvature_;
}

// beta - a direction with a = 1, 1/2, ... until J decreases enough; false if it never does.
bool NewtonState::step_along(MatrixIn z, VectorIn direction, double decrement, const Context& ctx) {
  const bool tiny = decrement < kBelowRounding * std::max(1.0, std::abs(objective_));
  double a = 1.0;
  Vector f(z.rows());
  for (int halving = 0; halving < kMaxHalvings; ++halving, a *= 0.5) {
    const Vector beta = beta_ - a * direction;
    f = prior_means_;
    add_along_span(z, beta, f, ctx);
    const double value = evaluate(f, false, ctx) + 0.5 * beta.squaredNorm();
    if (!(value <= objective_ - kSufficient * a * decrement) && !(tiny && std::isfinite(value)))
      continue;
    beta_ = beta;
    latent_.swap(f);
    objective_ = evaluate(latent_, true, ctx) + 0.5 * beta_.squaredNorm();
    return true;
  }
  return false;
}

void NewtonState::solve(MatrixIn z, double tolerance, const Context& ctx) {
  for (int step = 0; step < kMaxSteps; ++step) {
    factorise(z, ctx);
    Matrix direction = gradient(z, ctx);
    trsm(Side::left, Triangle::lower, Op::plain, factor_, direction);
    const double decrement = 0.5 * direction.squaredNorm();
    trsm(Side::left, Triangle::lower, Op::transposed, factor_, direction);
    // The last step is taken too: it squares the error. The curvature at its end enters the next
    // factor.
    const bool last = decrement < tolerance * std::max(1.0, std::abs(objective_));
    if (!step_along(z, direction.col(0), decrement, ctx) || last) return;
  }
}

void NewtonState::polish(MatrixIn z, double tolerance, const Context& ctx) {
  if (likelihood_.log_concave()) return;
  for (int step = 0; step < kMaxSteps; ++step) {
    Matrix factor;
    try {
      factor = laplace_factor(z, ctx);
    } catch (const NotPositiveDefinite&) {
      return;  // not near a maximum of the posterior: keep the result of solve()
    }
    Matrix direction = gradient(z, ctx);
    trsm(Side::left, Triangle::lower, Op::plain, factor, direction);
    const double decrement = 0.5 * direction.squaredNorm();
    trsm(Side::left, Triangle::lower, Op::transposed, factor, direction);
    const bool last = decrement < tolerance * std::max(1.0, std::abs(objective_));
    if (!step_along(z, direction.col(0), decrement, ctx) || last) return;
  }
}

void NewtonState::border_step(MatrixIn z, const Context& ctx) {
  const Index m = z.cols();
  const auto column = z.col(m - 1);
  Vector weighted = factored_.cwiseProduct(column);
  Matrix row = Matrix::Zero(m - 1, 1);
  add_onto_span(z.leftCols(m - 1), weighted, row.col(0), ctx);
  if (m > 1) trsm(Side::left, Triangle::lower, Op::plain, factor_, row);
  factor_.conservativeResize(m, m);
  factor_.col(m - 1).setZero();
  factor_.row(m - 1).head(m - 1) = row.col(0).transpose();
  // 1 and more in exact arithmetic.
  factor_(m - 1, m - 1) = std::sqrt(std::max(1.0, 1.0 + column.dot(weighted) - row.squaredNorm()));
  Matrix direction = gradient(z, ctx);
  trsm(Side::left, Triangle::lower, Op::plain, factor_, direction);
  const double decrement = 0.5 * direction.squaredNorm();
  trsm(Side::left, Triangle::lower, Op::transposed, factor_, direction);
  step_along(z, direction.col(0), decrement, ctx);
}

Matrix NewtonState::laplace_factor(MatrixIn z, const Context& ctx) const {
  Vector curvature = curvature_;
  if (!likelihood_.log_concave())
    for (Index i = 0; i < curvature.size(); ++i)
      curvature(i) = weight_(i) * -likelihood_.derivatives(y_(i), latent_(i)).d2;
  Matrix factor = identity_plus_gram(z, curvature, ctx);
  cholesky_in_place(factor, ctx.threads);
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  return factor;
}

}  // namespace gpsieve
