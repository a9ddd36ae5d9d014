#include "exact/conjugate_gradients.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

// A residual that is computed anew may be so much larger than the one that the steps carried along.
constexpr double kDrift = 1.5;

Vector dots(MatrixIn a, MatrixIn b) {
  Vector out(a.cols());
  column_dots(a, b, out);
  if (!out.allFinite()) throw NumericalFailure("conjugate gradients met a number that is infinite");
  return out;
}

// The right-hand sides that are not solved yet, side by side.
class Steps {
 public:
  Steps(const CovarianceProduct& product, const PicPreconditioner& preconditioner, Vector tol,
        const Context& ctx)
      : product_(product), preconditioner_(preconditioner), tol_(std::move(tol)), ctx_(ctx) {}

  // z = M^-1 r, and r'z of every column.
  Vector precondition(MatrixIn r, Matrix& z) const {
    z = r;
    preconditioner_.solve(z, std::max(1, ctx_.threads));
    return dots(r, z);
  }

  // Takes steps from the solutions x with the residuals r of the right-hand sides `columns`, whose
  // squared norms in M^-1 are `scale`, until each is solved, or max_steps of it have been taken.
  void run(Indices columns, Matrix r, VectorIn scale, Index max_steps, Matrix& x, Indices& steps,
           std::vector<Tridiagonal>& found) const {
    Matrix z, q;
    Vector rz = precondition(r, z);
    Matrix d = z;
    std::vector<bool> stays(columns.size());
    const auto keep_unsolved = [&] {
      for (std::size_t j = 0; j < columns.size(); ++j)
        stays[j] = stays[j] && rz(j) > square(tol_(columns[j])) * scale(columns[j]) &&
                   steps[columns[j]] < max_steps;
      remove_columns(stays, {&r, &z, &d}, columns, rz);
      stays.assign(columns.size(), true);
    };
    std::fill(stays.begin(), stays.end(), true);
    keep_unsolved();
    Vector last_step = Vector::Zero(x.cols()), last_ratio = Vector::Zero(x.cols());
    while (!columns.empty()) {
      q.resize(r.rows(), r.cols());
      product_.multiply(d, q, ctx_);
      const Vector curvature = dots(d, q);
      for (Index j = 0; j < r.cols(); ++j) {
        const Index c = columns[j];
        // Rounding may hide that a matrix is positive definite.
        stays[j] = curvature(j) > 0.0;
        if (!stays[j]) continue;
        const double step = rz(j) / curvature(j);
        x.col(c) += step * d.col(j);
        r.col(j) -= step * q.col(j);
        found[c].diagonal.push_back(1.0 / step +
                                    (last_step(c) > 0.0 ? last_ratio(c) / last_step(c) : 0.0));
        last_step(c) = step;
        ++steps[c];
      }
      const Vector next = precondition(r, z);
      for (Index j = 0; j < r.cols(); ++j) {
        if (!stays[j]) continue;
        const Index c = columns[j];
        last_ratio(c) = next(j) / rz(j);
        found[c].below.push_back(std::sqrt(std::max(0.0, last_ratio(c))) / last_step(c));
        d.col(j) = z.col(j) + last_ratio(c) * d.col(j);
        rz(j) = next(j);
      }
      report(columns, rz, scale);
      keep_unsolved();
    }
  }

 private:
  static double square(double value) { return value * value; }

  static void remove_columns(const std::vector<bool>& stays, std::initializer_list<Matrix*> all,
                             Indices& columns, Vector& numbers) {
    Index kept = 0;
    for (std::size_t j = 0; j < stays.size(); ++j) {
      if (!stays[j]) continue;
      if (kept < static_cast<Index>(j)) {
        for (Matrix* each : all) each->col(kept) = each->col(j);
        columns[kept] = columns[j];
        numbers(kept) = numbers(j);
      }
      ++kept;
    }
    for (Matrix* each : all) each->conservativeResize(Eigen::NoChange, kept);
    columns.resize(kept);
    numbers.conservativeResize(kept);
  }

  // How much of the way to the tolerance, in digits, the slowest right-hand side has gone.
  void report(const Indices& columns, const Vector& rz, VectorIn scale) const {
    double least = 1.0;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const double relative = rz(j) / scale(columns[j]);
      if (relative > 0.0)
        least = std::min(least, std::log(relative) / (2.0 * std::log(tol_(columns[j]))));
    }
    ctx_.report(std::clamp(least, 0.0, 1.0), product_.size());
  }

  const CovarianceProduct& product_;
  const PicPreconditioner& preconditioner_;
  Vector tol_;
  const Context& ctx_;
};

}  // namespace

CgResult conjugate_gradients(const CovarianceProduct& product,
                             const PicPreconditioner& preconditioner, MatrixIn b,
                             const CgOptions& options, const Context& ctx) {
  const Index wanted = b.cols() - options.probes;
  if (b.rows() != product.size() || wanted < 0 || !(options.tol > 0.0 && options.tol < 1.0) ||
      !(options.probe_tol > 0.0 && options.probe_tol < 1.0))
    throw InvalidSpec("the right-hand sides or the tolerances of conjugate gradients do not fit");
  Vector tol = Vector::Constant(b.cols(), options.tol);
  tol.tail(options.probes).setConstant(options.probe_tol);
  const Steps steps(product, preconditioner, tol, ctx);
  CgResult result;
  Matrix x = Matrix::Zero(b.rows(), b.cols()), z;
  const Vector scale = steps.precondition(b, z);
  result.steps.assign(b.cols(), 0);
  result.steps_of_probes.resize(b.cols());
  Indices columns(b.cols());
  std::iota(columns.begin(), columns.end(), Index{0});
  steps.run(columns, b, scale, options.max_steps, x, result.steps, result.steps_of_probes);
  result.steps_of_probes.erase(result.steps_of_probes.begin(),
                               result.steps_of_probes.begin() + wanted);

  // Solutions whose residual is larger than the steps say go on from where they are.
  result.residuals = Vector::Constant(wanted, std::numeric_limits<double>::infinity());
  for (;;) {
    Matrix r(b.rows(), wanted);
    if (wanted > 0) product.multiply(x.leftCols(wanted), r, ctx);
    r = b.leftCols(wanted) - r;
    const Vector rz = steps.precondition(r, z);
    Indices open;
    for (Index j = 0; j < wanted; ++j) {
      const double before = result.residuals(j);
      result.residuals(j) = scale(j) > 0.0 ? std::sqrt(std::max(0.0, rz(j)) / scale(j)) : 0.0;
      const bool solved = result.residuals(j) <= kDrift * options.tol;
      if (!solved && result.residuals(j) < before / 2.0 && result.steps[j] < options.max_steps)
        open.push_back(j);
    }
    if (open.empty()) {
      result.remaining = std::move(r);
      break;
    }
    Matrix left(r.rows(), open.size());
    for (std::size_t j = 0; j < open.size(); ++j) left.col(j) = r.col(open[j]);
    std::vector<Tridiagonal> unused(b.cols());
    steps.run(open, left, scale, options.max_steps, x, result.steps, unused);
  }
  result.converged = (result.residuals.array() <= kDrift * options.tol).all();
  result.solutions = x.leftCols(wanted);
  return result;
}

}  // namespace gpsieve
