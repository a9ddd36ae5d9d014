// The variance of a posterior that knows near rows exactly and far rows through inducing rows:
// theory.md (14) to (17).
//
// A tree of cuts divides the inputs among leaves. A point depends on the training rows of its own
// leaf as the kernel says, and on all other rows through the values at m inducing rows.
#ifndef GPSIEVE_POSTERIOR_LOCAL_VARIANCE_H
#define GPSIEVE_POSTERIOR_LOCAL_VARIANCE_H

#include <vector>

#include "base/types.h"
#include "partition/partition_tree.h"

namespace gpsieve {

// The training rows of a leaf, as positions in k_B, and their factors.
struct LeafFactors {
  Indices rows;
  Matrix factor;    // R_l, lower triangular
  Matrix inducing;  // U_l = W_l R_l^-T, m rows
};

struct LocalVariance {
  bool empty() const { return leaves.empty(); }
  Index inducing_size() const { return static_cast<Index>(inducing.size()); }

  // Takes the variance that the data explain at the columns of k, each the k_B of a point, from
  // `out`; leaf_of holds the leaf of each point.
  void subtract(MatrixIn k, const Indices& leaf_of, VectorOut out) const;
  // The covariance of the points from that of their prior, `covariance`, in place.
  void condition(MatrixIn k, const Indices& leaf_of, Matrix& covariance, int threads) const;

  PartitionTree tree{0};
  Indices inducing;     // positions in k_B
  Matrix prior_factor;  // L_u
  Matrix factor;        // C, C C' = G
  std::vector<LeafFactors> leaves;

 private:
  // w, z and v of theory.md (15) at the columns `which` of k, which lie in one leaf.
  struct Parts {
    Matrix prior, leaf, posterior;
  };
  Parts parts_of(MatrixIn k, const Indices& which, const LeafFactors& leaf, int threads) const;
};

}  // namespace gpsieve

#endif
