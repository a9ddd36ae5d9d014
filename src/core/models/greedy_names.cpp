#include "base/error.h"
#include "models/greedy.h"

namespace gpsieve {
namespace {

template <class Choice>
Choice find(const std::string& name, const char* what,
            std::initializer_list<std::pair<const char*, Choice>> choices) {
  for (const auto& choice : choices)
    if (name == choice.first) return choice.second;
  throw InvalidSpec(std::string("unknown ") + what + " '" + name + "'");
}

}  // namespace

GreedyRule greedy_rule(const std::string& name) {
  return find<GreedyRule>(
      name, "selection rule",
      {{"gain", GreedyRule::gain}, {"pivot", GreedyRule::pivot}, {"random", GreedyRule::random}});
}

GreedyStop greedy_stop(const std::string& name) {
  return find<GreedyStop>(name, "stopping rule",
                          {{"posterior", GreedyStop::posterior}, {"slides", GreedyStop::slides}});
}

GreedyVariance greedy_variance(const std::string& name) {
  return find<GreedyVariance>(name, "variance",
                              {{"dtc", GreedyVariance::dtc},
                               {"sor", GreedyVariance::sor},
                               {"upper", GreedyVariance::upper}});
}

GradientBound gradient_bound(const std::string& name) {
  return find<GradientBound>(name, "bound",
                             {{"exact", GradientBound::exact},
                              {"block", GradientBound::block},
                              {"cheap", GradientBound::cheap}});
}

}  // namespace gpsieve
