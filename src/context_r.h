// A Context that checks R's interrupts and shows R's progress bar, on the main thread only.
#ifndef GPSIEVE_CONTEXT_R_H
#define GPSIEVE_CONTEXT_R_H

#include <Rcpp.h>

#include "base/context.h"

namespace gpsieve {

// From list(threads = integer, progress = function(done, size) or NULL).
Context context(const Rcpp::List& settings);

// The number of the first column of y among the machines of a fit, from the same list: a process
// that fits some of the machines uses their streams of random numbers.
Index first_machine(const Rcpp::List& settings);

}  // namespace gpsieve

#endif
