#include <cmath>

#include "base/error.h"
#include "likelihood/factories.h"

namespace gpsieve {
namespace {

struct Entry {
  const char* type;
  std::unique_ptr<Likelihood> (*make)(const LikelihoodSpec&);
};

constexpr Entry kRegistry[] = {
    {"gaussian", make_gaussian},
    {"probit", make_probit},
    {"label_noise", make_label_noise},
    {"logit", make_logit},
    {"student", make_student},
    {"quantile", make_quantile},
    {"poisson", make_poisson},
    {"negative_binomial", make_negative_binomial},
    {"binomial", make_binomial},
    {"ordinal", make_ordinal},
    {"gamma", make_gamma},
    {"beta", make_beta},
    {"lognormal", make_lognormal},
    {"censored_gaussian", make_censored_gaussian},
    {"censored_lognormal", make_censored_lognormal},
    {"warped", make_warped},
    {"warped_log", make_warped_log},
    {"function", make_function_likelihood},
};

}  // namespace

const std::vector<double>& given_values(const LikelihoodSpec& spec, const char* name) {
  const auto found = spec.values.find(name);
  if (found == spec.values.end())
    throw InvalidSpec("likelihood '" + spec.type + "': '" + name + "' is missing");
  return found->second;
}

double positive_value(const LikelihoodSpec& spec, const char* name, bool or_zero) {
  const std::string what = "likelihood '" + spec.type + "': '" + name + "'";
  const std::vector<double>& given = given_values(spec, name);
  if (given.size() != 1) throw InvalidSpec(what + " must be one number");
  const double value = given.front();
  if (!(value > 0.0 || (or_zero && value == 0.0)) || !std::isfinite(value))
    throw InvalidSpec(what + " must be positive");
  return value;
}

std::unique_ptr<Likelihood> make_likelihood(const LikelihoodSpec& spec) {
  for (const Entry& entry : kRegistry)
    if (spec.type == entry.type) return entry.make(spec);
  throw InvalidSpec("unknown likelihood '" + spec.type + "'");
}

Names registered_likelihoods() {
  Names names;
  for (const Entry& entry : kRegistry) names.emplace_back(entry.type);
  return names;
}

}  // namespace gpsieve
