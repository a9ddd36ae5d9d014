// The functions in the model: their columns of the design matrix, precisions and numbers.
#ifndef GPSIEVE_MODELS_RVM_ACTIVE_H
#define GPSIEVE_MODELS_RVM_ACTIVE_H

#include "models/rvm/candidates.h"

namespace gpsieve {

class RvmActive {
 public:
  explicit RvmActive(Index rows) : storage_(rows, 0) {}

  Index size() const { return static_cast<Index>(index_.size()); }
  Index rows() const { return storage_.rows(); }
  auto columns() const { return storage_.leftCols(size()); }  // P, N x M
  const Indices& index() const { return index_; }             // candidates, in order of inclusion
  const Vector& alpha() const { return alpha_; }
  bool contains(Index candidate) const;

  void set_alpha(VectorIn alpha) { alpha_ = alpha; }
  void push(VectorIn column, Index candidate, double alpha);
  // All candidates at once; alpha is one number or one per candidate.
  void fill(const RvmCandidates& candidates, VectorIn alpha);
  // Keeps the functions at these positions, in this order.
  void keep(const Indices& positions);

 private:
  void reserve(Index size);

  Matrix storage_;
  Indices index_;
  Vector alpha_;
};

// Rows and columns, or entries, at these positions.
Matrix pick_square(MatrixIn square, const Indices& positions);
Vector pick_entries(VectorIn values, const Indices& positions);

}  // namespace gpsieve

#endif
