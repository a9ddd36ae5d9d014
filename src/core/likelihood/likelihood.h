// Observation models p(y | f) and the one-dimensional integrals that inference needs of them.
#ifndef GPSIEVE_LIKELIHOOD_LIKELIHOOD_H
#define GPSIEVE_LIKELIHOOD_LIKELIHOOD_H

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/types.h"

namespace gpsieve {

// log Z(mu, var) = log of the integral of p(y | f) N(f | mu, var) df, and its derivatives in mu.
// The derivative in var follows from them: (d1^2 + d2) / 2.
struct Tilted {
  double log_z, d1, d2;
};

// Moments of a numeric response under f ~ N(mu, var).
struct Predicted {
  double mean, variance;
};

enum class Response { real, count, binary };  // binary responses are -1 and +1

class Likelihood {
 public:
  virtual ~Likelihood() = default;

  virtual Response response() const = 0;
  // True if log_density is concave in f for every y: then every site precision is positive.
  virtual bool log_concave() const = 0;

  // The only obligation of a new likelihood; everything below has a numerical default.
  virtual double log_density(double y, double f) const = 0;

  // Default: quadrature in the log domain about the mode of the integrand.
  virtual Tilted tilted(double y, double mu, double var) const;
  // log p(y | f), first and second derivative in f. Default: central differences.
  virtual Tilted derivatives(double y, double f) const;

  virtual Predicted predict(double mu, double var) const;
  // Distribution function and quantile of the predictive p(y) = integral p(y | f) N(f | mu, var) df.
  // Binary responses have neither and throw InvalidSpec.
  virtual double cdf(double y, double mu, double var) const;
  virtual double quantile(double probability, double mu, double var) const;

  virtual Index n_params() const = 0;
  virtual Vector params() const = 0;  // log scale
  virtual void set_params(VectorIn log_params) = 0;
};

struct LikelihoodSpec {
  std::string type;
  std::map<std::string, std::vector<double>> values;
};

std::unique_ptr<Likelihood> make_likelihood(const LikelihoodSpec& spec);
Names registered_likelihoods();

}  // namespace gpsieve

#endif
