#include "kernel/gram_blocks.h"

#include <algorithm>
#include <string>

#include "base/error.h"
#include "base/parallel.h"

namespace gpsieve {
namespace {

constexpr Index kGramColumns = 64;  // columns of the kernel matrix that are computed together

}  // namespace

void lower_gram(const Kernel& kernel, Points x, MatrixOut k, const Context& ctx) {
  const Index n = x.cols();
  const int threads = kernel.usable_threads(std::max(1, ctx.threads));
  for (Index begin = 0; begin < n; begin += kGramColumns * threads) {
    const Index count = std::min(n - begin, kGramColumns * threads);
    parallel_blocks(threads, count, kGramColumns, [&](Index first, Index last) {
      const Index from = begin + first, columns = last - first;
      // The rows from the diagonal block on.
      kernel.cross(x.rightCols(n - from), x.middleCols(from, columns),
                   k.block(from, from, n - from, columns));
    });
    ctx.check();
  }
  Vector own(n);
  kernel.diagonal(x, own);
  k.diagonal() = own;
  for (Index j = 0; j < n; ++j) {
    if (!k.col(j).tail(n - j).allFinite())
      throw NumericalFailure("the kernel or its variance is not finite at row " +
                             std::to_string(j + 1));
    if (own(j) < 0.0)
      throw NumericalFailure("the kernel's variance is negative at row " + std::to_string(j + 1));
  }
}

}  // namespace gpsieve
