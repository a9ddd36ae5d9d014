// An orthonormal basis of what the active columns span: P = Q T, Q'Q = I. It grows and shrinks with
// the model, so that a QR factorisation of [P D; I] needs only that of [T D; I], whose rows are
// some twice the columns instead of the data.
#ifndef GPSIEVE_MODELS_RVM_SPAN_H
#define GPSIEVE_MODELS_RVM_SPAN_H

#include "base/types.h"

namespace gpsieve {

class RvmSpan {
 public:
  Index size() const { return size_; }            // columns of P
  Index dimension() const { return dimension_; }  // columns of Q
  // T: dimension x columns.
  auto coordinates() const { return coordinates_.topLeftCorner(dimension_, size_); }

  // All columns of p, one after the other.
  void fill(MatrixIn p, int threads);
  void push(VectorIn column, int threads);
  // The columns of P that stay, in this order. Those of Q all stay, so that after many removals
  // the basis is forgotten and has to be filled again.
  void keep(const Indices& positions);
  Vector project(VectorIn v, int threads) const;  // Q'v

 private:
  void forget() { dimension_ = size_ = 0; }

  Matrix basis_, coordinates_;  // Q and T, with room to grow
  Index dimension_ = 0, size_ = 0;
};

}  // namespace gpsieve

#endif
