#include "models/greedy/newton/newton_state.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"
#include "models/greedy/newton/row_chunks.h"

namespace gpsieve {
namespace {

constexpr Index kGramRows = 2048;  // rows of Z in one syrk
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
bool is_least_at_response(const Likelihood& likelihood, Observed y) {
  return likelihood.response() == Response::real && likelihood.derivatives(y, y).d1 == 0.0;
}

double curvature_at(const Likelihood& likelihood, Observed y, double f, const Tilted& log_p) {
  const bool around_y = !likelihood.log_concave() && is_least_at_response(likelihood, y);
  // For classes and counts c has no minimum at y. Where c is concave its curvature is taken as 0;
  // the line search ensures that J decreases.
  return around_y ? majorising_curvature(y, f, log_p) : std::max(0.0, -log_p.d2);
}

}  // namespace

void add_along_span(MatrixIn z, VectorIn beta, VectorOut out, const Context& ctx) {
  if (z.cols() == 0) return;
  const double work = kReadWork * static_cast<double>(z.cols());
  for_row_chunks(z.rows(), work, ctx, [&](Index, Index begin, Index rows) {
    gemv(1.0, z.middleRows(begin, rows), Op::plain, beta, 1.0, out.segment(begin, rows));
  });
}

Matrix onto_span(MatrixIn z, MatrixIn v, const Context& ctx) {
  constexpr Index kColumns = 16;  // read together for all columns of v
  const Index m = z.cols(), n = z.rows();
  Matrix sums(m * v.cols(), chunks_of(n));
  const double work = kReadWork * static_cast<double>(m * v.cols());
  for_row_chunks(n, work, ctx, [&](Index chunk, Index begin, Index rows) {
    for (Index first = 0; first < m; first += kColumns) {
      const Index count = std::min(kColumns, m - first);
      for (Index j = 0; j < v.cols(); ++j)
        gemv(1.0, z.block(begin, first, rows, count), Op::transposed, v.col(j).segment(begin, rows),
             0.0, sums.col(chunk).segment(j * m + first, count));
    }
  });
  const Vector sum = sum_in_order(sums);
  return Eigen::Map<const Matrix>(sum.data(), m, v.cols());
}

namespace {

// Adds the rows' part of Z' diag(w) Z to the lower triangle of a gram.
void add_weighted_gram(MatrixIn z, VectorIn w, int threads, MatrixOut gram) {
  ScratchMatrix scaled(z.rows(), z.cols());
  scaled = z.array().colwise() * w.array().max(0.0).sqrt();
  syrk(1.0, scaled, Op::transposed, 1.0, gram, threads);
  if (w.minCoeff() >= 0.0) return;
  scaled = z.array().colwise() * (-w.array()).max(0.0).sqrt();
  syrk(-1.0, scaled, Op::transposed, 1.0, gram, threads);
}

}  // namespace

namespace {

// For many columns: threads share the rows of the gram.
void add_large_gram(MatrixIn z, VectorIn w, const Context& ctx, MatrixOut gram) {
  for (Index begin = 0; begin < z.rows(); begin += kGramRows) {
    const Index rows = std::min(kGramRows, z.rows() - begin);
    add_weighted_gram(z.middleRows(begin, rows), w.segment(begin, rows), ctx.threads, gram);
    ctx.check();
  }
}

}  // namespace

// A gram of each chunk is kept where they are small.
Matrix identity_plus_gram(MatrixIn z, VectorIn w, const Context& ctx, const OntoSpan* also) {
  constexpr Index kLargeGram = 512, kNumbers = Index{1} << 22;
  const Index m = z.cols(), n = z.rows();
  Matrix gram = Matrix::Identity(m, m);
  if (m == 0 || m > kLargeGram) {
    if (also) also->out = onto_span(z, also->v, ctx).col(0);
    if (m > 0) add_large_gram(z, w, ctx, gram);
    return gram;
  }
  const Index most = std::min<Index>(64, chunks_of(n));
  const Index together = std::clamp<Index>(kNumbers / (m * m), 1, most);
  ScratchMatrix grams(m * m, together);
  Matrix products(also ? m : 0, chunks_of(n));
  const double work = 0.5 * static_cast<double>(m * m) + 2.0 * kReadWork * static_cast<double>(m);
  for (Index first = 0; first < n; first += together * kChunkRows) {
    const Index height = std::min(together * kChunkRows, n - first);
    for_row_chunks(height, work, ctx, [&](Index chunk, Index begin, Index rows) {
      const auto some = z.middleRows(first + begin, rows);
      if (also)
        gemv(1.0, some, Op::transposed, also->v.segment(first + begin, rows), 0.0,
             products.col(first / kChunkRows + chunk));
      auto own = grams.col(chunk);
      own.setZero();
      add_weighted_gram(some, w.segment(first + begin, rows), 1,
                        Eigen::Map<Matrix>(own.data(), m, m));
    });
    for (Index t = 0; t < chunks_of(height); ++t)
      gram += Eigen::Map<const Matrix>(grams.col(t).data(), m, m);
  }
  if (also) also->out = sum_in_order(products);
  return gram;
}

NewtonState::NewtonState(const Likelihood& likelihood, MatrixIn y, double prior_mean,
                         const CaseTerms& cases)
    : likelihood_(likelihood),
      y_(y),
      prior_means_(cases.prior_means(y.rows(), prior_mean)),
      weight_(cases.weights(y.rows())),
      latent_(prior_means_),
      slope_(y.rows()),
      curvature_(y.rows()) {
  Terms terms = terms_at(Matrix(y.rows(), 0), Vector(), Context());
  move_to(terms, Vector());
  if (!std::isfinite(objective_))
    throw NumericalFailure("the likelihood of the data at the prior mean is not a finite number");
  factored_ = curvature_;
}

// c at the rows of a chunk, whose sum it returns, with their derivatives.
double NewtonState::evaluate_rows(VectorIn f, Index begin, Index rows, Terms& terms) const {
  double sum = 0.0;
  for (Index i = begin; i < begin + rows; ++i) {
    const Observed y = observed(y_, i);
    const Tilted t = likelihood_.derivatives(y, f(i));
    sum -= weight_(i) * t.log_z;
    terms.slope(i) = weight_(i) * -t.d1;
    terms.curvature(i) = weight_(i) * curvature_at(likelihood_, y, f(i), t);
  }
  return sum;
}

// The terms at f = prior mean + Z beta.
NewtonState::Terms NewtonState::terms_at(MatrixIn z, VectorIn beta, const Context& ctx) const {
  const Index n = y_.rows();
  Terms terms{prior_means_, Vector(n), Vector(n), 0.0};
  Vector sums(chunks_of(n));
  const double work = kReadWork * static_cast<double>(beta.size()) + kLikelihoodWork;
  for_row_chunks(n, work, ctx, [&](Index chunk, Index begin, Index rows) {
    if (beta.size() > 0)
      gemv(1.0, z.middleRows(begin, rows), Op::plain, beta, 1.0, terms.latent.segment(begin, rows));
    sums(chunk) = evaluate_rows(terms.latent, begin, rows, terms);
  });
  terms.objective = sums.sum() + 0.5 * beta.squaredNorm();
  return terms;
}

void NewtonState::move_to(Terms& terms, const Vector& beta) {
  beta_ = beta;
  latent_.swap(terms.latent);
  slope_.swap(terms.slope);
  curvature_.swap(terms.curvature);
  objective_ = terms.objective;
}

void NewtonState::start_from(MatrixIn z, VectorIn beta, const Context& ctx) {
  Terms terms = terms_at(z, beta, ctx);
  move_to(terms, beta);
}

void NewtonState::extend() {
  beta_.conservativeResize(beta_.size() + 1);
  beta_(beta_.size() - 1) = 0.0;
}

Vector NewtonState::gradient(MatrixIn z, const Context& ctx) const {
  return beta_ + onto_span(z, slope_, ctx).col(0);
}

// Returns the gradient, from the same reading of Z.
Vector NewtonState::factorise(MatrixIn z, const Context& ctx) {
  Vector onto;
  const OntoSpan slope{slope_, onto};
  factor_ = identity_plus_gram(z, curvature_, ctx, &slope);
  cholesky_in_place(factor_, ctx.threads);
  factor_.triangularView<Eigen::StrictlyUpper>().setZero();
  factored_ = curvature_;
  return beta_ + onto;
}

// beta - a direction with a = 1, 1/2, ... until J decreases enough; false if it never does.
bool NewtonState::step_along(MatrixIn z, VectorIn direction, double decrement, const Context& ctx) {
  const bool tiny = decrement < kBelowRounding * std::max(1.0, std::abs(objective_));
  double a = 1.0;
  for (int halving = 0; halving < kMaxHalvings; ++halving, a *= 0.5) {
    const Vector beta = beta_ - a * direction;
    Terms terms = terms_at(z, beta, ctx);
    const double value = terms.objective;
    if (!(value <= objective_ - kSufficient * a * decrement) && !(tiny && std::isfinite(value)))
      continue;
    move_to(terms, beta);
    return true;
  }
  return false;
}

void NewtonState::solve(MatrixIn z, double tolerance, const Context& ctx) {
  for (int step = 0; step < kMaxSteps; ++step) {
    Matrix direction = factorise(z, ctx);
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
  Matrix pair(z.rows(), 2);
  pair.col(0) = factored_.cwiseProduct(column);
  pair.col(1) = slope_;
  const Matrix products = onto_span(z, pair, ctx);
  Matrix row = products.col(0).head(m - 1);
  if (m > 1) trsm(Side::left, Triangle::lower, Op::plain, factor_, row);
  factor_.conservativeResize(m, m);
  factor_.col(m - 1).setZero();
  factor_.row(m - 1).head(m - 1) = row.col(0).transpose();
  // 1 and more in exact arithmetic.
  factor_(m - 1, m - 1) = std::sqrt(std::max(1.0, 1.0 + products(m - 1, 0) - row.squaredNorm()));
  Matrix direction = beta_ + products.col(1);
  trsm(Side::left, Triangle::lower, Op::plain, factor_, direction);
  const double decrement = 0.5 * direction.squaredNorm();
  trsm(Side::left, Triangle::lower, Op::transposed, factor_, direction);
  step_along(z, direction.col(0), decrement, ctx);
}

Matrix NewtonState::laplace_factor(MatrixIn z, const Context& ctx) const {
  Vector curvature = curvature_;
  if (!likelihood_.log_concave())
    for (Index i = 0; i < curvature.size(); ++i)
      curvature(i) = weight_(i) * -likelihood_.derivatives(observed(y_, i), latent_(i)).d2;
  Matrix factor = identity_plus_gram(z, curvature, ctx);
  cholesky_in_place(factor, ctx.threads);
  factor.triangularView<Eigen::StrictlyUpper>().setZero();
  return factor;
}

}  // namespace gpsieve
