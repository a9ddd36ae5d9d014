// Conversion of the settings of mean-field approximations.
#ifndef GPSIEVE_CONVERT_MEANFIELD_H
#define GPSIEVE_CONVERT_MEANFIELD_H

#include <Rcpp.h>

#include "models/meanfield/solution.h"

namespace gpsieve {

// From list(method, cavity_variance, max_iter, tol).
MeanfieldOptions meanfield_options(const Rcpp::List& list);

}  // namespace gpsieve

#endif
