// Conversion of trees of cuts.
#ifndef GPSIEVE_CONVERT_PARTITION_H
#define GPSIEVE_CONVERT_PARTITION_H

#include <Rcpp.h>

#include "partition/partition_tree.h"

namespace gpsieve {

// list(column, cut, margin, left, right), as R/fit-partition.R describes it.
Rcpp::List wrap_tree(const PartitionTree& tree);
// The same as a tree of cuts in p inputs, checked.
PartitionTree tree(const Rcpp::List& list, Index p);

}  // namespace gpsieve

#endif
