// The exact factors of rows with case weights: the factors of a row of weight w count w times
// (theory.md#case-weights).
#ifndef GPSIEVE_SPARSE_EP_WEIGHTED_FACTORS_H
#define GPSIEVE_SPARSE_EP_WEIGHTED_FACTORS_H

#include <memory>

#include "sparse_ep/factors.h"

namespace gpsieve {

// `weight` has one positive number for each row; empty: the factors as they are.
std::unique_ptr<Factors> weighted_factors(std::unique_ptr<Factors> factors, Vector weight);

}  // namespace gpsieve

#endif
