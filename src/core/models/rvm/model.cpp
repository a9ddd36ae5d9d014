#include "models/rvm/model.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

// gamma_j = 1 - (B^-1)_jj has an absolute rounding error of about 1e-16. A gamma_j below this
// value has no accurate digits, and its function is pruned (theory.md#m-step).
constexpr double kSmallestGamma = 1e-10;

}  // namespace

double evidence_gain(double alpha, const SparsityQuality& f) {
  return 0.5 * (std::log(alpha) - std::log(alpha + f.s) + f.q * f.q / (alpha + f.s));
}

double optimal_alpha(const SparsityQuality& f, double smallest) {
  const double theta = f.q * f.q - f.s;
  return f.s > 0.0 && theta > 0.0 ? std::max(f.s * f.s / theta, smallest) : kInfinity;
}

// theory.md (8) for EM and (10) for MacKay's rule.
Vector RvmModel::updated_alpha() const {
  const Vector squares = mean_.cwiseAbs2();
  if (options_.update == RvmUpdate::em) return (squares + posterior_.variances()).cwiseInverse();
  Vector alpha(squares.size());
  for (Index j = 0; j < alpha.size(); ++j) {
    const double gamma = posterior_.gamma()(j);
    alpha(j) = gamma < kSmallestGamma || squares(j) == 0.0 ? kInfinity : gamma / squares(j);
  }
  return alpha;
}

bool RvmModel::m_step(bool with_noise) {
  Vector alpha = updated_alpha();
  if (with_noise) update_noise(options_.update);
  Indices kept;
  for (Index j = 0; j < alpha.size(); ++j) {
    if (std::isnan(alpha(j)))
      throw NumericalFailure("a precision of the relevance vector machine is not a number");
    alpha(j) = std::max(alpha(j), smallest_alpha());
    if (alpha(j) <= options_.prune) kept.push_back(j);
  }
  active_.set_alpha(alpha);
  if (static_cast<Index>(kept.size()) == alpha.size()) return false;
  keep_functions(kept);
  return true;
}

void RvmModel::set_alpha(Index position, double alpha) {
  Vector all = active_.alpha();
  all(position) = alpha;
  active_.set_alpha(all);
}

}  // namespace gpsieve
