// The factories of the registered likelihoods: each has a file of its own, a declaration here and a
// line in make_likelihood.cpp.
#ifndef GPSIEVE_LIKELIHOOD_FACTORIES_H
#define GPSIEVE_LIKELIHOOD_FACTORIES_H

#include <memory>

#include "likelihood/likelihood.h"

namespace gpsieve {

std::unique_ptr<Likelihood> make_gaussian(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_probit(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_label_noise(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_logit(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_student(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_poisson(const LikelihoodSpec& spec);

// spec.values[name] as one positive finite number; throws InvalidSpec otherwise.
double positive_value(const LikelihoodSpec& spec, const char* name);

}  // namespace gpsieve

#endif
