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
    {"gaussian", make_gaussian}, {"probit", make_probit},   {"label_noise", make_label_noise},
    {"logit", make_logit},       {"student", make_student}, {"poisson", make_poisson},
};

}  // namespace

double positive_value(const LikelihoodSpec& spec, const char* name) {
  const std::string what = "likelihood '" + spec.type + "': '" + name + "'";
  const auto found = spec.values.find(name);
  if (found == spec.values.end()) throw InvalidSpec(what + " is missing");
  if (found->second.size() != 1) throw InvalidSpec(what + " must be one number");
  const double value = found->second.front();
  if (!(value > 0.0) || !std::isfinite(value)) throw InvalidSpec(what + " must be positive");
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
