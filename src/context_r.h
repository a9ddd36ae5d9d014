// R's side of a Context: interrupts, progress and warnings, all on the main thread.
#ifndef GPSIEVE_CONTEXT_R_H
#define GPSIEVE_CONTEXT_R_H

#include <Rcpp.h>

#include "base/context.h"

namespace gpsieve {

// From list(threads = integer, progress = function(done, size) or NULL).
Context context(const Rcpp::List& settings);

}  // namespace gpsieve

#endif
