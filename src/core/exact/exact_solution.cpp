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

}  // namespace

ExactSolution solve_exactly(const Kernel& kernel, Points x, VectorIn y, VectorIn noise,
                            const ExactOptions& options, const Context& ctx) {
  const Index n = x.cols();
  if (y.size() != n || noise.size() != n || !(noise.array() > 0.0).all())
    throw InvalidSpec("the responses or the noise do not fit the rows");
  Context quiet = ctx;
  quiet.progress = nullptr;
  const BoundKernel bound(kernel, x);
  PicPreconditioner preconditioner(bound, noise, some_rows(n, options.inducing, options.seed),
                                   leaves_of(options.tree, x, ctx.threads), quiet);
  ExactSolution result;
  {
    std::unique_ptr<KernelProduct> own;
    if (options.product == nullptr)
      own = std::make_unique<KernelProduct>(bound, noise, options.max_bytes, quiet);
    const CovarianceProduct& product = own ? *own : *options.product;
    Matrix b(n, 1 + options.probes);
    b.col(0) = y;
    if (options.probes > 0)
      b.rightCols(options.probes) = probes(preconditioner, options.probes, options.seed);
    CgOptions steps;
    steps.tol = options.tol;
    steps.max_steps = options.max_steps;
    steps.probes = options.probes;
    const CgResult found = conjugate_gradients(product, preconditioner, b, steps, ctx);
    result.weights = found.solutions.col(0);
    result.mean = y - found.remaining.col(0) - noise.cwiseProduct(result.weights);
    result.steps = found.steps[0];
    result.residual = found.residuals(0);
    result.converged = found.converged;
    result.log_determinant = options.probes > 0
                                 ? log_determinant(preconditioner, found.steps_of_probes)
                                 : Estimate{preconditioner.log_determinant(), 0.0};
  }
  result.inverse_diagonal = preconditioner.inverse_diagonal(quiet);
  result.variance = preconditioner.take_variance();
  result.variance.tree = options.tree;
  return result;
}

}  // namespace gpsieve
