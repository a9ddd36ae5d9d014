#include "exact/exact_solution.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/rng.h"
#include "exact/kernel_product.h"

namespace gpsieve {
namespace {

constexpr std::uint64_t kInducingStream = std::uint64_t{1} << 41;

Indices some_rows(Index n, Index count, std::uint64_t seed) {
  Indices rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  Rng rng(seed, kInducingStream);
  rng.shuffle_front(rows, count);
  rows.resize(std::min(n, count));
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Indices> leaves_of(const PartitionTree& tree, Points x, int threads) {
  return rows_by_leaf(tree.leaves_of(x, threads), tree.leaf_count());
}

// Products with K + D from those with K + D0: what is added is (D - D0) p.
class ShiftedProduct final : public CovarianceProduct {
 public:
  ShiftedProduct(const CovarianceProduct& base, Vector shift)
      : base_(base), shift_(std::move(shift)) {}
  Index size() const override { return base_.size(); }
  void multiply(MatrixIn p, MatrixOut out, const Context& ctx) const override {
    base_.multiply(p, out, ctx);
    out += shift_.asDiagonal() * p;
  }

 private:
  const CovarianceProduct& base_;
  Vector shift_;
};

void require_rows(VectorIn y, VectorIn noise, Index n) {
  if (y.size() != n || noise.size() != n || !(noise.array() > 0.0).all())
    throw InvalidSpec("the responses or the noise do not fit the rows");
}

Context without_progress(const Context& ctx) {
  Context quiet = ctx;
  quiet.progress = nullptr;
  return quiet;
}

}  // namespace

ExactSolver::ExactSolver(const Kernel& kernel, Points x, const Vector& noise,
                         const ExactOptions& options, const Context& ctx)
    : options_(options),
      kernel_(kernel, x),
      noise_(noise),
      inducing_(some_rows(x.cols(), options.inducing, options.seed)),
      leaves_(leaves_of(options.tree, x, ctx.threads)),
      own_(options.product != nullptr
               ? nullptr
               : std::make_unique<KernelProduct>(kernel_, noise, options.max_bytes,
                                                 without_progress(ctx))),
      product_(own_ ? *own_ : *options.product) {}

ExactSolution ExactSolver::solve(VectorIn y, VectorIn noise, double tol, Index probe_count,
                                 const Context& ctx) const {
  const Index n = kernel_.size();
  require_rows(y, noise, n);
  const Context quiet = without_progress(ctx);
  PicPreconditioner preconditioner(kernel_, noise, inducing_, leaves_, quiet);
  Matrix b(n, 1 + probe_count);
  b.col(0) = y;
  if (probe_count > 0)
    b.rightCols(probe_count) = probes(preconditioner, probe_count, options_.seed);
  CgOptions steps;
  steps.tol = tol;
  steps.max_steps = options_.max_steps;
  steps.probes = probe_count;
  const Vector shift = noise - noise_;
  const ShiftedProduct shifted(product_, shift);
  const CovarianceProduct& product = shift.isZero(0.0) ? product_ : shifted;
  const CgResult found = conjugate_gradients(product, preconditioner, b, steps, ctx);
  ExactSolution result;
  result.weights = found.solutions.col(0);
  result.mean = y - found.remaining.col(0) - noise.cwiseProduct(result.weights);
  result.steps = found.steps[0];
  result.residual = found.residuals(0);
  result.converged = found.converged;
  result.log_determinant = probe_count > 0 ? log_determinant(preconditioner, found.steps_of_probes)
                                           : Estimate{preconditioner.log_determinant(), 0.0};
  result.inverse_diagonal = preconditioner.inverse_diagonal(quiet);
  result.variance = preconditioner.take_variance();
  result.variance.tree = options_.tree;
  return result;
}

ExactSolution solve_exactly(const Kernel& kernel, Points x, VectorIn y, VectorIn noise,
                            const ExactOptions& options, const Context& ctx) {
  require_rows(y, noise, x.cols());
  return ExactSolver(kernel, x, noise, options, ctx)
      .solve(y, noise, options.tol, options.probes, ctx);
}

}  // namespace gpsieve
