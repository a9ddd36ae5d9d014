// The state of an online model, from and to R's lists.
#ifndef GPSIEVE_CONVERT_ONLINE_H
#define GPSIEVE_CONVERT_ONLINE_H

#include <Rcpp.h>

#include <vector>

#include "models/online/online.h"

namespace gpsieve {

// The states from which an online model continues, which the core checks. Basis, weights, form and
// whitening belong to the posterior of the state and are therefore left out when a state is
// wrapped.
std::vector<OnlineState> online_states(const Rcpp::List& list);
Rcpp::List wrap_online_states(const std::vector<OnlineState>& states);

}  // namespace gpsieve

#endif
