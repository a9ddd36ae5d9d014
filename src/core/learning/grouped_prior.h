// The prior of log hyper-parameters while they are learned step by step (theory.md#prior).
#ifndef GPSIEVE_LEARNING_GROUPED_PRIOR_H
#define GPSIEVE_LEARNING_GROUPED_PRIOR_H

#include "base/types.h"

namespace gpsieve {

struct PriorAt {
  double log_density;
  Vector gradient;
};

// theory.md (6). Every parameter belongs to a group. The mean distance of a group from its start
// has the pull `level` of the group's first parameter; what a parameter's distance differs from
// that mean has the pull `spread` of the parameter. A group of one parameter has a level only.
struct GroupedPrior {
  Indices group;  // of every parameter, numbered from 0 on
  Vector level, spread;

  // Throws InvalidSpec unless all parts have this size and the pulls are finite and not negative.
  void require_size(Index size) const;
  PriorAt at(const Vector& distance) const;
};

}  // namespace gpsieve

#endif
