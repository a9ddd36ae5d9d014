// Squared distances of two sets of points in units of lengthscales, and sums over all pairs that
// gradients need: r2_ij = sum_d ((a_di - b_dj) / l_d)^2.
//
// Whole blocks go through one matrix product, |x|^2 + |z|^2 - 2 x'z, on points centred at the mean
// of a: the distances of one point of b do not depend on the other points of b. Where the
// difference cancels, or overflows, a pair is "near" and is treated on its own from the original
// coordinates. Near pairs are few unless many points coincide.
#ifndef GPSIEVE_KERNEL_FAMILIES_SCALED_PAIRS_H
#define GPSIEVE_KERNEL_FAMILIES_SCALED_PAIRS_H

#include <memory>
#include <utility>
#include <vector>

#include "base/types.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {

// The mean of the columns, or zero where it overflows: an origin near the points.
Vector centre_of(Points points);

// Points centred and in units of lengthscales, with their squared norms. A point whose norm
// overflows has coordinates 0 and norm Inf.
struct ScaledPoints {
  ScaledPoints() = default;
  // lengthscale: one number, or one per row of points.
  ScaledPoints(Points points, const Vector& centre, VectorIn lengthscale);
  ScaledPoints gather(const Index* rows, Index n) const;
  bool overflows() const;

  Matrix coordinates;
  Vector norms;
};

// r2_ij between points that do not overflow; >= 0, and exactly 0 for equal points.
void squared_distances(MatrixIn a, VectorIn norm_a, MatrixIn b, VectorIn norm_b, MatrixOut r2);

// Squared distances from all points of a to one point b. This is a matrix-vector product, so that
// its last bits may differ from those of squared_distances().
void squared_distances_to(MatrixIn a, VectorIn norm_a, VectorIn b, double norm_b, VectorOut r2);

// Squared distances from products: r2 = -2 a'b on entry, b's first r2.cols() points only.
void squared_distances_from_products(const ScaledPoints& a, const ScaledPoints& b, MatrixOut r2);

using NearPairs = std::vector<std::pair<Index, Index>>;

// A near pair and its weight h_ij.
struct NearWeight {
  Index i, j;
  double weight;
};
using NearWeights = std::vector<NearWeight>;

// Sums over the pairs that are not near, a column or number for each of the points z by which
// slopes are wanted; x are the other points. Sums of blocks of at most kDepth points x have the
// same bits whether the blocks are collected one after another or by themselves and then added.
struct PairSums {
  PairSums(Index dimension, Index points) : products(dimension, points) {}
  void take(PairSums& others);  // adds the others, which are empty then

  bool any = false;        // whether a block has been added: before it, nothing else is set
  ScratchMatrix products;  // sum_i h_ij x_i
  Vector weights;          // sum_i h_ij
};

// Keeps references to a and b: use it while they live.
class ScaledPairs {
 public:
  // lengthscale: one number, or one per row of a and b.
  ScaledPairs(Points a, Points b, VectorIn lengthscale);
  // The pairs of the same a with other points, which share what is known of a.
  ScaledPairs with(Points b) const { return ScaledPairs(a_, b); }

  Index dimension() const { return b_.rows(); }

  // Each entry is >= 0, Inf on overflow, never NaN; exactly 0 where a_i equals b_j. `near` receives
  // the pairs (i, j) that were treated on their own, by columns.
  void squared_distances(MatrixOut r2, NearPairs* near = nullptr) const;

  // Takes r2 and `near` as computed above and overwrites the weights h; an empty output is not
  // computed. `side` says by whose points the slopes are wanted: by those of a (left) or b (right).
  // Returns the near pairs, whose weights h are 0 afterwards.
  //   squares_d += sum_ij h_ij ((a_di - b_dj) / l_d)^2
  //   slopes_di += sum_j h_ij d r2_ij / d a_di     (left)
  //   slopes_dj += sum_i h_ij d r2_ij / d b_dj     (right)
  NearWeights add_sums(MatrixIn r2, const NearPairs& near, MatrixOut h, VectorOut squares,
                       Side side, MatrixOut slopes) const;

  // add_sums() in steps, for several blocks of pairs that share the points by which slopes are
  // wanted: collect_sums() and add_near() of each, then finish_sums() of any. collect_sums() adds
  // to `squares` what the points x contribute, and returns the near pairs.
  NearWeights collect_sums(MatrixIn r2, const NearPairs& near, MatrixOut h, VectorOut squares,
                           Side side, PairSums& sums, int threads) const;
  void add_near(const NearWeights& near, VectorOut squares, Side side, MatrixOut slopes) const;
  void finish_sums(const PairSums& sums, VectorOut squares, Side side, MatrixOut slopes,
                   int threads) const;

 private:
  // What a alone determines.
  struct Left {
    Left(Points a, VectorIn lengthscale);
    Eigen::Ref<const Matrix> points;
    Vector lengthscale, centre;
    ScaledPoints scaled;
  };
  ScaledPairs(std::shared_ptr<const Left> a, Points b);

  double lengthscale(Index d) const { return a_->lengthscale[a_->lengthscale.size() == 1 ? 0 : d]; }
  double difference(Index d, Index i, Index j) const {
    return (b_(d, j) - a_->points(d, i)) / lengthscale(d);
  }
  bool same_points() const {
    return a_->points.data() == b_.data() && a_->points.cols() == b_.cols();
  }
  const ScaledPoints& scaled_b() const { return same_points() ? a_->scaled : own_b_; }
  bool is_near(Index i, Index j, double r2) const;
  double squared_distance(Index i, Index j) const;
  // Takes near pairs out of h.
  NearWeights take_near(MatrixIn r2, const NearPairs& near, MatrixOut h) const;

  std::shared_ptr<const Left> a_;
  Eigen::Ref<const Matrix> b_;
  ScaledPoints own_b_;  // empty where a and b are the same points in memory
};

}  // namespace gpsieve

#endif
