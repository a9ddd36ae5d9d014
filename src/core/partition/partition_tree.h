// A partition of the inputs by a tree of cuts at right angles to the columns (theory.md#the-tree).
//
// A node with more than `leaf_rows` rows is cut at the median of the column whose spread is the
// largest in units of that column's lengthscale. A row belongs to the left where its value is at
// most the cut. Near a cut the leaves of both sides answer, so that what they say together is
// continuous (theory.md#borders).
#ifndef GPSIEVE_PARTITION_PARTITION_TREE_H
#define GPSIEVE_PARTITION_PARTITION_TREE_H

#include <vector>

#include "base/rng.h"
#include "base/types.h"
#include "partition/visit.h"

namespace gpsieve {

struct PartitionOptions {
  Index leaf_rows = 4000;       // a node with more rows is cut where its rows differ
  bool random_columns = false;  // drawn in proportion to the squared spread, not the largest
  // The share of a node's rows that lie in the margin on either side of its cut: margin_share().
  double in_margin = 0.0;
};

// theory.md (5): the share in the margins with which about a share `overlap` of the rows visits a
// second leaf where one column is cut, and less where several are. x: some of the `rows` rows, in
// the form that PartitionTree::build() takes.
double margin_share(Points x, VectorIn scale, double overlap, double rows, Index leaf_rows,
                    Rng& rng);

// A side is another cut, its number in PartitionTree::cuts(), or ~leaf (below zero).
struct Cut {
  Index column;
  double value;
  double margin;  // rows nearer to the cut than this ask both sides
  Index left, right;
};

class PartitionTree {
 public:
  // x: p x n, one row of the data in each column, without missing values; scale: a positive
  // lengthscale of each of the p inputs, infinite for an input that is never to be cut. A node that
  // no column can divide stays a leaf, however many rows it has
  // (theory.md#rows-that-do-not-differ).
  static PartitionTree build(Points x, VectorIn scale, const PartitionOptions& options, Rng& rng);

  // One leaf for all rows of p inputs.
  explicit PartitionTree(Index p) : p_(p) {}
  // Throws InvalidSpec unless the cuts are a tree in the order in which build() makes them: every
  // cut before those below it, the leaves numbered from left to right.
  PartitionTree(Index p, std::vector<Cut> cuts);

  // This tree with a tree in the place of each of its leaves, from left to right.
  PartitionTree grafted(const std::vector<PartitionTree>& parts) const;

  Index width() const { return p_; }
  const std::vector<Cut>& cuts() const { return cuts_; }
  Index leaf_count() const { return static_cast<Index>(cuts_.size()) + 1; }

  // A missing value goes to the right.
  Index leaf_of(VectorIn row) const;
  // The leaf of every column of x.
  Indices leaves_of(Points x, int threads = 1) const;
  // The leaves that every column of x asks, in order of the leaves and, within a leaf, of the rows.
  std::vector<Visit> visits_of(Points x, int threads = 1) const;

 private:
  void add_visits(VectorIn row, Index number, std::vector<Visit>& out) const;

  Index p_;
  std::vector<Cut> cuts_;
};

// The machines that every column of x asks: each tree has one for each of its leaves, those of the
// first tree first. In order of the machines and, within a machine, of the rows.
std::vector<Visit> visits_of(const std::vector<PartitionTree>& trees, Points x, int threads = 1);

// The rows of every leaf, in increasing order, from the leaf of every row.
std::vector<Indices> rows_by_leaf(const Indices& leaf_of_row, Index leaf_count);

}  // namespace gpsieve

#endif
