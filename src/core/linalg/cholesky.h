// Cholesky factors: in place, growing by rows, and with the package's one jitter policy.
#ifndef GPSIEVE_LINALG_CHOLESKY_H
#define GPSIEVE_LINALG_CHOLESKY_H

#include "base/context.h"
#include "base/types.h"

namespace gpsieve {

// Overwrites the lower triangle of a with L, a = L L'. Reads the lower triangle only and leaves
// the strict upper one alone. Throws NotPositiveDefinite with the pivot's index and value. `poll`
// is called several times a second, which changes no bit of the factor.
void cholesky_in_place(MatrixOut a, int threads = 1, const Poll& poll = {});

// b = (L L')^-1 b for a lower Cholesky factor L: both triangular solves.
void cholesky_solve(MatrixIn factor, MatrixOut b, int threads = 1);

// sum of log diagonal entries: half the log determinant of L L'.
double sum_log_diagonal(MatrixIn factor);

// The jitter policy of the package, theory.md#jitter-policy: try `jitter * mean(diag(a))` on the
// diagonal; each time the factor breaks down multiply by 10, up to 1e-2 of the mean diagonal, then
// give up with NotPositiveDefinite. Returns the absolute amount that was added. The strict upper
// triangle of the factor is zeroed.
double cholesky_with_jitter(Matrix& a, double jitter, int threads = 1);

// A lower Cholesky factor that gains one row at a time. Storage doubles as needed up to `capacity`.
class GrowingCholesky {
 public:
  explicit GrowingCholesky(Index capacity);

  Index size() const { return size_; }
  auto factor() const { return storage_.topLeftCorner(size_, size_); }

  // Appends the row (row', diagonal), diagonal > 0.
  void append(VectorIn row, double diagonal);

 private:
  Matrix storage_;
  Index capacity_;
  Index size_ = 0;
};

}  // namespace gpsieve

#endif
