#include "models/ep/parameters.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace gpsieve {
namespace {

// Bounds on the change of a log parameter in one step and in all:
// theory.md#objective-and-parameters.
constexpr double kLongestStep = 1.0;
constexpr double kRange = 10.0;

Vector all_params(const Kernel& kernel, const Factors& factors) {
  Vector all(kernel.n_params() + factors.n_params());
  all << kernel.params(), factors.params();
  return all;
}

}  // namespace

EpParameters::EpParameters(Kernel& kernel, Factors& factors, const Matrix& inducing,
                           const EpLearning& learning)
    : kernel_(kernel),
      factors_(factors),
      inducing_(inducing),
      prior_(learning.prior),
      n_inputs_(learning.inducing ? inducing.size() : 0) {
  for (std::size_t i = 0; i < learning.free.size(); ++i)
    if (learning.free[i]) free_.push_back(static_cast<Index>(i));
  const Vector all = all_params(kernel, factors);
  if (prior_.center.size() > 0 &&
      (prior_.center.size() != all.size() || prior_.precision.rows() != all.size() ||
       prior_.precision.cols() != all.size()))
    throw InvalidSpec("the prior does not fit the hyper-parameters");
  values_.resize(size());
  for (std::size_t i = 0; i < free_.size(); ++i) values_[static_cast<Index>(i)] = all[free_[i]];
  values_.tail(n_inputs_) = Eigen::Map<const Vector>(inducing.data(), n_inputs_);
  start_ = values_.head(size() - n_inputs_);
}

Indices EpParameters::groups(const Indices& group) const {
  Indices out;
  Index last = -1;
  for (const Index i : free_) {
    out.push_back(group[static_cast<std::size_t>(i)]);
    last = std::max(last, out.back());
  }
  for (Index i = 0; i < n_inputs_; ++i) out.push_back(++last);
  return out;
}

Vector EpParameters::gradient(const EpEvidence& evidence) const {
  Vector all(evidence.kernel.size() + evidence.likelihood.size());
  all << evidence.kernel, evidence.likelihood;
  if (prior_.center.size() > 0)
    all -= prior_.precision * (all_params(kernel_, factors_) - prior_.center);
  Vector out(size());
  for (std::size_t i = 0; i < free_.size(); ++i) out[static_cast<Index>(i)] = all[free_[i]];
  if (n_inputs_ > 0)
    out.tail(n_inputs_) = Eigen::Map<const Vector>(evidence.inputs.data(), n_inputs_);
  return out;
}

void EpParameters::move(const Vector& from, const Vector& step) {
  const Index logs = static_cast<Index>(free_.size());
  Vector near(logs);
  for (Index i = 0; i < logs; ++i)
    near[i] = std::clamp(from[i] + std::clamp(step[i], -kLongestStep, kLongestStep),
                         start_[i] - kRange, start_[i] + kRange);
  values_ = from + step;  // `from` may be values_ itself
  values_.head(logs) = near;
  apply();
}

void EpParameters::set(Vector values) {
  if (values.size() != size())
    throw InvalidSpec("the state does not fit the parameters that are learned");
  values_ = std::move(values);
  apply();
}

void EpParameters::apply() {
  Vector all = all_params(kernel_, factors_);
  for (std::size_t i = 0; i < free_.size(); ++i) all[free_[i]] = values_[static_cast<Index>(i)];
  kernel_.set_params(all.head(kernel_.n_params()));
  factors_.set_params(all.tail(factors_.n_params()));
}

Matrix EpParameters::inducing() const {
  if (n_inputs_ == 0) return inducing_;
  return Eigen::Map<const Matrix>(values_.data() + (size() - n_inputs_), inducing_.rows(),
                                  inducing_.cols());
}

}  // namespace gpsieve
