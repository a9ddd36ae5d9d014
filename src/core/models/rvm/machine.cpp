#include "models/rvm/machine.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"

namespace gpsieve {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// gamma = 1 - (B^-1)_jj carries an absolute error of about 1e-16: a smaller one than this says
// that the data do not see the function (math: relevance vectors, section 1).
constexpr double kSmallestGamma = 1e-10;

}  // namespace

double entry_gain(double alpha, const EntryFactors& f) {
  return 0.5 * (std::log(alpha) - std::log(alpha + f.s) + f.q * f.q / (alpha + f.s));
}

double best_alpha(const EntryFactors& f) {
  const double theta = f.q * f.q - f.s;
  return f.s > 0.0 && theta > 0.0 ? f.s * f.s / theta : kInfinity;
}

// Section 1: EM, or MacKay's fixed point with the same stationary points.
Vector RvmMachine::updated_alpha() const {
  const Vector squares = mean_.cwiseAbs2();
  if (options_.update == RvmUpdate::em) return (squares + posterior_.variances()).cwiseInverse();
  Vector alpha(squares.size());
  for (Index j = 0; j < alpha.size(); ++j) {
    const double gamma = posterior_.gamma()(j);
    alpha(j) = gamma < kSmallestGamma || squares(j) == 0.0 ? kInfinity : gamma / squares(j);
  }
  return alpha;
}

bool RvmMachine::maximise(bool growing) {
  Vector alpha = updated_alpha();
  if (options_.learn_noise && (options_.noise_grow || !growing)) update_noise_with(options_.update);
  Indices staying;
  for (Index j = 0; j < alpha.size(); ++j) {
    if (std::isnan(alpha(j)))
      throw NumericalFailure("a precision of the relevance vector machine is not a number");
    alpha(j) = std::max(alpha(j), smallest_alpha());
    if (alpha(j) <= options_.prune) staying.push_back(j);
  }
  active_.set_alpha(alpha);
  if (static_cast<Index>(staying.size()) == alpha.size()) return false;
  keep(staying);
  return true;
}

void RvmMachine::set_alpha(Index position, double alpha) {
  Vector all = active_.alpha();
  all(position) = alpha;
  active_.set_alpha(all);
}

}  // namespace gpsieve
