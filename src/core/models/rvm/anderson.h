// Anderson acceleration of a fixed-point iteration x <- g(x): the next point is the combination of
// the last few whose residuals g(x) - x cancel best (Anderson 1965; Walker & Ni 2011, type II).
#ifndef GPSIEVE_MODELS_RVM_ANDERSON_H
#define GPSIEVE_MODELS_RVM_ANDERSON_H

#include "base/types.h"

namespace gpsieve {

class AndersonMixing {
 public:
  explicit AndersonMixing(Index depth) : depth_(depth) {}
  // The next point after x, whose residual is g(x) - x. Where the residual has grown the history
  // is forgotten and half of the plain step is taken, which damps an iteration that overshoots.
  Vector next(VectorIn x, VectorIn residual);

 private:
  Index depth_;
  Index kept_ = 0, slot_ = 0;  // differences in use; where the next one goes
  Matrix steps_, changes_;     // of points and of residuals, a difference in each column
  Vector last_point_, last_residual_;
  double last_size_ = 0.0;
};

}  // namespace gpsieve

#endif
