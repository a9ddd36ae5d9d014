#include "models/meanfield/cavity_step.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/anderson.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"
#include "models/meanfield/inverse.h"

namespace gpsieve {
namespace {

// Rows of less curvature than this share of the largest do not respond to their cavity variance.
constexpr double kLeastCurvature = 1e-8;
constexpr double kDifference = 1e-3;  // of a cavity mean, in units of W^-1/2
constexpr double kAccuracy = 1e-4;    // of the linear equations, relative to the residual
constexpr int kMostProducts = 25;
constexpr Index kMixingDepth = 10;
constexpr Index kProductColumns = 16;  // columns of B^-1 that are read together

// out += A x for a symmetric A without its diagonal, which lies above the diagonal of `upper`; with
// `squared` its elements are squared.
void add_symmetric_product(MatrixIn upper, bool squared, const Vector& x, Vector& out) {
  const Index n = x.size();
  for (Index begin = 0; begin < n; begin += kProductColumns) {
    const Index end = std::min(n, begin + kProductColumns), count = end - begin;
    ScratchMatrix columns(end, count);
    columns = upper.block(0, begin, end, count);
    columns.bottomRows(count).triangularView<Eigen::Lower>().setZero();
    if (squared) columns = columns.cwiseAbs2();
    gemv(1.0, columns, Op::plain, x.segment(begin, count), 1.0, out.head(end));
    gemv(1.0, columns, Op::transposed, x.head(end), 1.0, out.segment(begin, count));
  }
}

// Transposes a square matrix in place, in squares, so that both sides stay in the cache.
void exchange_triangles(MatrixOut a) {
  constexpr Index kSquare = 32;
  for (Index j0 = 0; j0 < a.cols(); j0 += kSquare)
    for (Index i0 = 0; i0 <= j0; i0 += kSquare)
      for (Index j = j0; j < std::min(a.cols(), j0 + kSquare); ++j)
        for (Index i = i0; i < std::min(j, i0 + kSquare); ++i) std::swap(a(i, j), a(j, i));
}

// theory.md (32): a = W' / W^3/2 and b = W'' / W^2, derivatives by m, from differences.
struct Skewness {
  Vector a, b;
};
Skewness skewness(const FieldSolver& solver) {
  const FieldProblem& problem = solver.problem();
  const FieldPoint& point = solver.point();
  const Index n = problem.y.rows();
  const double least = kLeastCurvature * point.curvature.maxCoeff();
  Skewness out{Vector::Zero(n), Vector::Zero(n)};
  for (Index i = 0; i < n; ++i) {
    const double here = point.curvature(i), root = std::sqrt(here), step = kDifference / root;
    if (!(here > least)) continue;
    const auto curvature = [&](double m) {
      return -problem.likelihood.tilted(observed(problem.y, i), m, solver.cavity_variance()(i)).d2;
    };
    const double mean = point.mean(i) + problem.prior_means(i);
    const double above = curvature(mean + step), below = curvature(mean - step);
    out.a(i) = (above - below) / (2.0 * step) / (here * root);
    out.b(i) = (above - 2.0 * here + below) / (step * step) / (here * here);
  }
  return out;
}

}  // namespace

void CavityStep::prepare() {
  const Vector own = work_.diagonal();
  symmetrise_from_lower(work_);
  gram_of_lower_in_place(work_, ctx_.threads, ctx_.poll);
  diagonal_ = work_.diagonal();
  exchange_triangles(work_);
  work_.diagonal() = own;
}

Vector CavityStep::times_inverse(const Vector& x) const {
  Vector out = diagonal_.cwiseProduct(x);
  add_symmetric_product(work_, false, x, out);
  return out;
}

Vector CavityStep::times_squares(const Vector& x) const {
  Vector out = Vector::Zero(x.size());
  add_symmetric_product(work_, true, x, out);
  return out;
}

Vector CavityStep::solve(const Vector& residual) const {
  const Vector& curvature = solver_.point().curvature;
  const auto w = solver_.problem().copies.array();
  const Skewness skew = skewness(solver_);
  const Vector straight = -0.5 * (skew.b.array() - skew.a.array().square());
  const Vector root = w.sqrt() * skew.a.array();
  // theory.md (31), with case weights (33) and (34)
  const Vector precision = solver_.variance_ratio().cwiseInverse();
  const Vector own = diagonal_.array() / w + (1.0 - 1.0 / w) * precision.array();
  const Vector copies = (w - 1.0) * (1.0 - precision.array() / own.array()).square();
  const auto response = [&](const Vector& x) {
    const Vector q = straight.array() * x.array() -
                     0.5 * root.array() / w * times_inverse(root.cwiseProduct(x)).array();
    return Vector(times_squares(q).array() / (w * own.array().square()) +
                  copies.array() * q.array());
  };
  const Vector start = curvature.cwiseProduct(residual);
  AndersonMixing mixing(kMixingDepth);
  Vector scaled = start;
  for (int product = 0; product < kMostProducts; ++product) {
    const Vector error = start + response(scaled) - scaled;
    if (!(error.norm() > kAccuracy * start.norm())) break;
    scaled = mixing.next(scaled, error);
    ctx_.check();
  }
  const double least = kLeastCurvature * curvature.maxCoeff();
  return residual.array() + (scaled - start).array() / curvature.array().max(least);
}

}  // namespace gpsieve
