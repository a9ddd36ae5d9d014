#include "kernel/evaluated_block.h"

#include <algorithm>

#include "base/parallel.h"
#include "kernel/kernel.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {
namespace {

// add(i, grad, grad_a) for i = 0..n-1, `threads` of them at a time. All but the first have sums of
// their own, which are added in order, so that the result does not depend on the number of threads.
template <class Add>
void add_in_order(Index n, int threads, VectorOut grad, MatrixOut grad_a, const Add& add) {
  const Index together = std::min<Index>(n, std::max(1, threads)), m = grad_a.cols();
  ScratchMatrix sums(grad.size(), together), sums_a(grad_a.rows(), m * together);
  const auto of_a = [&](Index own) { return sums_a.middleCols(own * m, m); };
  for (Index first = 0; first < n; first += together) {
    const Index count = std::min(together, n - first);
    parallel_blocks(static_cast<int>(together), count, 1, [&](Index own, Index) {
      if (first + own == 0) return add(0, grad, grad_a);
      sums.col(own).setZero();
      of_a(own).setZero();
      add(first + own, sums.col(own), of_a(own));
    });
    for (Index own = first == 0 ? 1 : 0; own < count; ++own) {
      grad += sums.col(own);
      grad_a += of_a(own);
    }
  }
}

}  // namespace

Indices EvaluatedBlock::first_columns(const Row& row) {
  Indices first{0};
  for (const EvaluatedBlock* block : row) first.push_back(first.back() + block->cols());
  return first;
}

void RecomputedBlock::add_own(MatrixIn g, VectorOut grad, MatrixOut grad_a) const {
  Matrix none(0, 0);
  if (grad_a.size() > 0)
    kernel_.gradients(b_, a_, g.transpose(), grad, none, grad_a);
  else
    kernel_.cross_gradient(a_, b_, g, grad);
}

void RecomputedBlock::add_gradients_of(const Row& row, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                                       int threads) const {
  const Indices first = first_columns(row);
  add_in_order(static_cast<Index>(row.size()), kernel_.usable_threads(threads), grad, grad_a,
               [&](Index b, VectorOut of_kernel, MatrixOut of_a) {
                 const auto& block = static_cast<const RecomputedBlock&>(*row[b]);
                 block.add_own(g.middleCols(first[b], block.cols()), of_kernel, of_a);
               });
}

std::unique_ptr<EvaluatedBlock> RecomputedBlock::with(Points b, MatrixOut k) const {
  return kernel_.evaluate_block(a_, b, k);
}

}  // namespace gpsieve
