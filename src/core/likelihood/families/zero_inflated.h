// Counts of which a share is zero whatever the latent function says.
#ifndef GPSIEVE_LIKELIHOOD_FAMILIES_ZERO_INFLATED_H
#define GPSIEVE_LIKELIHOOD_FAMILIES_ZERO_INFLATED_H

#include <memory>

#include "likelihood/likelihood.h"

namespace gpsieve {

// The likelihood of counts with the additional zeros that spec.values["zero_inflation"] says, or
// the likelihood itself where there is no such value (theory.md#zero-inflation).
std::unique_ptr<Likelihood> with_zero_inflation(const LikelihoodSpec& spec,
                                                std::unique_ptr<Likelihood> counts);

}  // namespace gpsieve

#endif
