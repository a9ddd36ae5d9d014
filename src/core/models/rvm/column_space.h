// A thin QR factorisation P = Q T of the active columns that is updated as columns are appended and
// removed (theory.md#factors).
#ifndef GPSIEVE_MODELS_RVM_COLUMN_SPACE_H
#define GPSIEVE_MODELS_RVM_COLUMN_SPACE_H

#include "base/types.h"

namespace gpsieve {

// Q (N x R) is an orthonormal basis of a space that contains the M columns of P; T (R x M) holds
// their coordinates in this basis. T is not triangular after columns were removed. The posterior
// needs a QR factorisation of [P D; I]; with Q'Q = I that of [T D; I] is enough, which has R + M
// rows instead of N + M.
class RvmColumnSpace {
 public:
  Index size() const { return size_; }            // M; 0: there is no factorisation
  Index dimension() const { return dimension_; }  // R
  auto coordinates() const { return coordinates_.topLeftCorner(dimension_, size_); }  // T

  // Factorises p anew.
  void assign(MatrixIn p, int threads);
  // Appends a column to P by two rounds of Gram-Schmidt.
  void append(VectorIn column, int threads);
  // Keeps the columns of P at these positions, in this order. Q stays as it is. If it then has many
  // more columns than P, the factorisation is cleared and assign() has to make a new one.
  void keep(const Indices& positions);
  Vector project(VectorIn v, int threads) const;  // Q'v

 private:
  void clear() { dimension_ = size_ = 0; }

  Matrix basis_, coordinates_;  // Q and T, allocated with spare columns
  Index dimension_ = 0, size_ = 0;
};

}  // namespace gpsieve

#endif
