// Anderson mixing, which accelerates a fixed-point iteration x <- g(x): the next iterate combines
// the last few so that the combination of their residuals g(x) - x has the least norm (Anderson
// 1965; Walker & Ni 2011, type II).
#ifndef GPSIEVE_LINALG_ANDERSON_H
#define GPSIEVE_LINALG_ANDERSON_H

#include "base/types.h"

namespace gpsieve {

class AndersonMixing {
 public:
  explicit AndersonMixing(Index depth) : depth_(depth) {}
  // The iterate after x, given the residual g(x) - x. If the norm of the residual has grown, the
  // stored differences are discarded and half of the plain step is taken: damping makes iterations
  // converge that overshoot.
  Vector next(VectorIn x, VectorIn residual);

 private:
  Index depth_;                 // most differences that are stored
  Index count_ = 0, slot_ = 0;  // differences stored; where the next one goes
  Matrix iterate_differences_, residual_differences_;  // one difference in each column
  Vector last_iterate_, last_residual_;
  double last_norm_ = 0.0;  // of last_residual_
};

}  // namespace gpsieve

#endif
