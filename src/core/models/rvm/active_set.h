// The active set: the basis functions in the model, with their columns P of the design matrix and
// their precisions alpha (theory.md#model).
#ifndef GPSIEVE_MODELS_RVM_ACTIVE_SET_H
#define GPSIEVE_MODELS_RVM_ACTIVE_SET_H

#include "models/rvm/design_matrix.h"

namespace gpsieve {

class RvmActiveSet {
 public:
  explicit RvmActiveSet(Index rows) : storage_(rows, 0) {}

  Index size() const { return static_cast<Index>(index_.size()); }  // M
  Index rows() const { return storage_.rows(); }                    // N
  auto columns() const { return storage_.leftCols(size()); }        // P, N x M
  const Indices& index() const { return index_; }  // candidates, in the order of their addition
  const Vector& alpha() const { return alpha_; }
  bool contains(Index candidate) const;

  void set_alpha(VectorIn alpha) { alpha_ = alpha; }
  void append(VectorIn column, Index candidate, double alpha);
  // Makes all candidates active. alpha has one entry, or one for each candidate.
  void assign(const RvmDesignMatrix& design, VectorIn alpha);
  // Keeps the functions at these positions, in this order, and removes all others.
  void keep(const Indices& positions);

 private:
  void reserve(Index size);

  Matrix storage_;
  Indices index_;
  Vector alpha_;
};

// The rows and columns of a square matrix at these positions.
Matrix submatrix(MatrixIn square, const Indices& positions);
// The entries of a vector at these positions.
Vector subvector(VectorIn values, const Indices& positions);

}  // namespace gpsieve

#endif
