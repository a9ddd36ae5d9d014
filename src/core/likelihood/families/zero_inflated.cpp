#include "likelihood/families/zero_inflated.h"

#include <cmath>
#include <utility>

#include "base/error.h"
#include "likelihood/count_entropy.h"
#include "likelihood/factories.h"

namespace gpsieve {
namespace {

class ZeroInflated final : public Likelihood {
 public:
  ZeroInflated(std::unique_ptr<Likelihood> counts, double share)
      : counts_(std::move(counts)), share_(share) {}

  Response response() const override { return Response::count; }
  Index columns() const override { return counts_->columns(); }
  bool log_concave() const override { return false; }
  double log_density(Observed y, double f) const override { return derivatives(y, f).log_z; }
  Tilted derivatives(Observed y, double f) const override {
    return mixed(y, counts_->derivatives(y, f));
  }
  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    return mixed(y, counts_->tilted(y, mu, var));
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    const Index n = counts_->n_params();
    const Tilted t = counts_->tilted(y, mu, var);
    if (n > 0) {
      counts_->tilted_gradient(y, mu, var, grad.head(n));
      grad.head(n) *= weight(y, t);
    }
    const double z = std::exp(t.log_z);
    grad[n] = y > 0.0 ? -share_ : share_ * (1.0 - share_) * (1.0 - z) / total(z);
  }

  Predicted predict(double mu, double var) const override {
    const Predicted p = counts_->predict(mu, var);
    const double mean = (1.0 - share_) * p.mean;
    return {mean, (1.0 - share_) * p.variance + share_ * p.mean * mean};
  }
  double cdf(double y, double mu, double var) const override {
    return y < 0.0 ? 0.0 : total(counts_->cdf(y, mu, var));
  }

  double entropy(double f) const override {
    return mixed_entropy(counts_->entropy(f), counts_->log_density(0.0, f));
  }
  double predictive_entropy(double mu, double var) const override {
    return mixed_entropy(counts_->predictive_entropy(mu, var), counts_->tilted(0.0, mu, var).log_z);
  }

  Index n_params() const override { return counts_->n_params() + 1; }
  // Those of the counts, and the log odds of the share.
  Vector params() const override {
    Vector out(n_params());
    out.head(n_params() - 1) = counts_->params();
    out[n_params() - 1] = std::log(share_ / (1.0 - share_));
    return out;
  }
  void set_params(VectorIn params) override {
    counts_->set_params(params.head(n_params() - 1));
    share_ = 1.0 / (1.0 + std::exp(-params[n_params() - 1]));
  }

 private:
  double total(double p) const { return share_ + (1.0 - share_) * p; }
  // The probability that the count is not one of the additional zeros.
  double weight(double y, const Tilted& t) const {
    const double z = std::exp(t.log_z);
    return y > 0.0 ? 1.0 : (1.0 - share_) * z / total(z);
  }
  // From the entropy of the counts and the logarithm of their probability of 0: all other
  // probabilities are multiplied by 1 - share.
  double mixed_entropy(double of_counts, double log_zero) const {
    const double zero = std::exp(log_zero), rest = 1.0 - share_;
    return entropy_term(std::log(total(zero))) - rest * (1.0 - zero) * std::log1p(-share_) +
           rest * (of_counts - entropy_term(log_zero));
  }
  // theory.md (22)
  Tilted mixed(double y, const Tilted& t) const {
    if (y > 0.0) return {std::log1p(-share_) + t.log_z, t.d1, t.d2};
    const double w = weight(y, t), d1 = w * t.d1;
    return {std::log(total(std::exp(t.log_z))), d1, w * (t.d2 + t.d1 * t.d1) - d1 * d1};
  }

  std::unique_ptr<Likelihood> counts_;
  double share_;
};

}  // namespace

std::unique_ptr<Likelihood> with_zero_inflation(const LikelihoodSpec& spec,
                                                std::unique_ptr<Likelihood> counts) {
  if (spec.values.count("zero_inflation") == 0) return counts;
  const double share = positive_value(spec, "zero_inflation");
  if (!(share < 1.0))
    throw InvalidSpec("likelihood '" + spec.type + "': 'zero_inflation' must be below 1");
  return std::make_unique<ZeroInflated>(std::move(counts), share);
}

}  // namespace gpsieve
