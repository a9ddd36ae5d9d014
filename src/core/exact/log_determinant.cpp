#include "exact/log_determinant.h"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/rng.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

constexpr std::uint64_t kProbeStream = std::uint64_t{1} << 42;

// The element of log(T) in the first row and column.
double first_of_logarithm(const Tridiagonal& steps) {
  const Index size = static_cast<Index>(steps.diagonal.size());
  if (size == 0) return 0.0;
  const auto diagonal = Eigen::Map<const Vector>(steps.diagonal.data(), size);
  const auto below = Eigen::Map<const Vector>(steps.below.data(), size - 1);
  Eigen::SelfAdjointEigenSolver<Matrix> solver;
  solver.computeFromTridiagonal(Vector(diagonal), Vector(below));
  double sum = 0.0;
  for (Index i = 0; i < size; ++i) {
    const double value = solver.eigenvalues()(i), share = solver.eigenvectors()(0, i);
    if (!(value > 0.0)) throw NumericalFailure("rounding hides the determinant of K + D");
    sum += share * share * std::log(value);
  }
  return sum;
}

}  // namespace

Matrix probes(const PicPreconditioner& preconditioner, Index count, std::uint64_t seed) {
  constexpr double kHalfStep = 0x1.0p-54;  // keeps uniform numbers off 0
  Matrix normal(preconditioner.inducing_size() + preconditioner.size(), count);
  for (Index j = 0; j < count; ++j) {
    Rng rng(seed, kProbeStream + static_cast<std::uint64_t>(j));
    for (Index i = 0; i < normal.rows(); ++i)
      normal(i, j) = normal::quantile(rng.uniform() + kHalfStep);
  }
  return preconditioner.draws(normal);
}

Estimate log_determinant(const PicPreconditioner& preconditioner,
                         const std::vector<Tridiagonal>& steps) {
  const Index count = static_cast<Index>(steps.size());
  Vector each(count);
  for (Index j = 0; j < count; ++j)
    each(j) = static_cast<double>(preconditioner.size()) * first_of_logarithm(steps[j]);
  const double mean = each.mean();
  const double squares = (each.array() - mean).square().sum();
  const double error = count > 1 ? std::sqrt(squares / static_cast<double>(count * (count - 1)))
                                 : std::numeric_limits<double>::infinity();
  return {preconditioner.log_determinant() + mean, error};
}

}  // namespace gpsieve
