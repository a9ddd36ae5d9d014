// A row asks a machine, or a leaf of a tree, whose answer counts with a weight; the weights of a
// row add up to 1, or to the number of trees.
#ifndef GPSIEVE_PARTITION_VISIT_H
#define GPSIEVE_PARTITION_VISIT_H

#include "base/types.h"

namespace gpsieve {

struct Visit {
  Index row, machine;
  double weight;
};

}  // namespace gpsieve

#endif
