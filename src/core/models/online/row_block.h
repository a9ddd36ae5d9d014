// The rows of a filter that S and W do not contain yet, as what they change: one square for each
// row and one coordinate for each new basis point (theory.md#blocks-of-rows).
#ifndef GPSIEVE_MODELS_ONLINE_ROW_BLOCK_H
#define GPSIEVE_MODELS_ONLINE_ROW_BLOCK_H

#include "models/online/growing_symmetric.h"
#include "models/online/online.h"

namespace gpsieve {

class RowBlock {
 public:
  static constexpr Index kRows = 32;  // S changes after so many rows

  RowBlock() = default;
  // Goes on from the rows of a state with `basis` basis points.
  RowBlock(const PendingRows& rows, Index basis);

  bool empty() const { return rows_ == 0; }
  Index room() const { return kRows - rows_; }
  Index included() const { return included_; }
  // The vector (v; gamma^1/2) of the i-th new basis point, up to its first `size` elements.
  auto own(Index i, Index size) const { return own_.col(i).head(size); }

  // Starts without a row from `basis` basis points.
  void begin(Index basis);
  // v and z of a row, theory.md (26), from W_0 k and S_0 v in their first elements and from `k`,
  // its kernel values with the new basis points.
  void complete(VectorIn k, VectorOut v, VectorOut z) const;
  // A row changes S by d2 step step'.
  void add(double d2, VectorIn step);
  // The row that is added next becomes a basis point with this (v; gamma^1/2).
  void include(VectorIn own);
  // S_0 becomes S, theory.md (25).
  void apply(GrowingSymmetric& covariance) const;

  PendingRows pending(const GrowingSymmetric& start) const;

 private:
  Matrix squares_;  // s_i of theory.md (25), zero at basis points that came later
  Matrix own_;      // N of theory.md (26) below the v_0 of its points
  Vector signs_;    // of d2
  Index start_ = 0, rows_ = 0, included_ = 0;
};

}  // namespace gpsieve

#endif
