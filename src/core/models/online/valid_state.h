// Whether a state is whole: it may come from a file that was changed.
#ifndef GPSIEVE_MODELS_ONLINE_VALID_STATE_H
#define GPSIEVE_MODELS_ONLINE_VALID_STATE_H

#include "models/online/online.h"

namespace gpsieve {

// Throws InvalidSpec unless all parts of the state have the right sizes and are finite. `points` is
// the number of points that the basis may refer to.
void require_valid(const OnlineState& state, const OnlineOptions& options, Index points);

}  // namespace gpsieve

#endif
