// p(y | f)^power for power EP (theory.md#powers-of-a-likelihood).
#ifndef GPSIEVE_LIKELIHOOD_POWERED_H
#define GPSIEVE_LIKELIHOOD_POWERED_H

#include <functional>
#include <memory>

#include "likelihood/likelihood.h"

namespace gpsieve {

using LikelihoodMaker = std::function<std::unique_ptr<Likelihood>()>;

// Throws InvalidSpec unless 0 < power <= 1. Power 1 returns the likelihood itself.
std::unique_ptr<Likelihood> powered(const LikelihoodMaker& make, double power);

}  // namespace gpsieve

#endif
