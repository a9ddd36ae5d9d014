// The factories of the registered likelihoods: each has a file of its own, a declaration here and a
// line in make_likelihood.cpp.
#ifndef GPSIEVE_LIKELIHOOD_FACTORIES_H
#define GPSIEVE_LIKELIHOOD_FACTORIES_H

#include <memory>
#include <vector>

#include "likelihood/likelihood.h"

namespace gpsieve {

std::unique_ptr<Likelihood> make_gaussian(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_probit(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_label_noise(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_logit(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_quantile(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_student(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_poisson(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_negative_binomial(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_binomial(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_ordinal(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_gamma(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_beta(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_lognormal(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_censored_gaussian(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_censored_lognormal(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_warped(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_warped_log(const LikelihoodSpec& spec);
std::unique_ptr<Likelihood> make_function_likelihood(const LikelihoodSpec& spec);

// spec.values[name]; throws InvalidSpec where it is missing.
const std::vector<double>& given_values(const LikelihoodSpec& spec, const char* name);
// spec.values[name] as one positive finite number; throws InvalidSpec otherwise.
double positive_value(const LikelihoodSpec& spec, const char* name, bool or_zero = false);

}  // namespace gpsieve

#endif
