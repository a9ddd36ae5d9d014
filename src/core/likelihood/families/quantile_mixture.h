// The distribution of a response under f ~ N(mu, var) where the quantiles given f are known
// (theory.md).
#ifndef GPSIEVE_LIKELIHOOD_FAMILIES_QUANTILE_MIXTURE_H
#define GPSIEVE_LIKELIHOOD_FAMILIES_QUANTILE_MIXTURE_H

#include "likelihood/likelihood.h"

namespace gpsieve {

class QuantileMixture {
 public:
  // `quantile` must outlive the mixture.
  QuantileMixture(const HostFunction& quantile, double mu, double var);

  Predicted moments() const;  // the variance is infinite where improbable responses decide it
  double cdf(double y) const;
  double quantile(double probability) const;

 private:
  Vector given_f(double z, const Vector& f) const;  // quantiles at the probability Phi(z)
  Vector given(const Vector& p, const Vector& f) const;

  const HostFunction& quantile_;
  Vector f_, weights_;  // the trapezoidal rule over f
};

}  // namespace gpsieve

#endif
