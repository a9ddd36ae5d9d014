// Which of several independent Gaussian variables is the largest.
#ifndef GPSIEVE_MATH_ARGMAX_PROBABILITY_H
#define GPSIEVE_MATH_ARGMAX_PROBABILITY_H

#include "base/types.h"

namespace gpsieve {

// log P(f_which > f_k for all other k), f_k ~ N(mean_k, variance_k) independent:
//   log of the integral of N(f | mean_which, variance_which) prod_k Phi((f - mean_k) / sd_k) df.
// Over all k these probabilities sum to one. Variances must be positive.
double log_argmax_probability(Index which, VectorIn mean, VectorIn variance);

}  // namespace gpsieve

#endif
