// Observation models p(y | f) and the one-dimensional integrals that inference needs of them
// (theory.md).
#ifndef GPSIEVE_LIKELIHOOD_LIKELIHOOD_H
#define GPSIEVE_LIKELIHOOD_LIKELIHOOD_H

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/types.h"
#include "likelihood/observed.h"

namespace gpsieve {

// log Z(mu, var) = log of the integral of p(y | f) N(f | mu, var) df, and its derivatives by mu.
// The derivative by var is (d1^2 + d2) / 2.
struct Tilted {
  double log_z, d1, d2;
};

// Moments of the response under f ~ N(mu, var).
struct Predicted {
  double mean, variance;
};

enum class Response { real, count, binary };  // binary responses are -1 and +1

class Likelihood {
 public:
  virtual ~Likelihood() = default;

  virtual Response response() const = 0;
  // How many numbers an observation has: the columns of a latent function's responses.
  virtual Index columns() const { return 1; }
  // True if log_density is concave in f for every y; then no site precision is negative.
  virtual bool log_concave() const = 0;
  // True if a Gaussian site is the likelihood itself, so that inference is exact:
  // p(y | f) = z'(y) N(z(y) | f, s2), where z(y) is y itself (Gaussian noise) or increases with it.
  virtual bool gaussian() const { return false; }
  // The variance s2 of that noise; throws InvalidSpec for all other likelihoods.
  virtual double noise_variance() const;
  // Of such a likelihood: is z(y) another number than y? z(y) and log z'(y).
  virtual bool warped() const { return false; }
  virtual double latent_response(Observed y) const { return y; }
  virtual double log_jacobian(Observed) const { return 0.0; }

  // log p(y | f). A new likelihood must define it; everything below has a numerical default.
  virtual double log_density(Observed y, double f) const = 0;
  // log p(y | f) at several f, which the default computes one by one.
  virtual void log_densities(Observed y, VectorIn f, VectorOut out) const;

  // Default: quadrature in the log domain about the mode of the integrand. var = 0 gives
  // derivatives(y, mu). If log_density is not concave, modes are searched for near mu and, for a
  // real response, near f = y.
  virtual Tilted tilted(Observed y, double mu, double var) const;
  // Tilted moments of many rows; y has columns(). The default loops over the rows.
  virtual void tilted(MatrixIn y, VectorIn mu, VectorIn var, VectorOut log_z, VectorOut d1,
                      VectorOut d2) const;
  // d log Z / d log params into `grad`, which has n_params() elements. A likelihood with parameters
  // must override it: the default throws for them. At var = 0 this is the gradient of log_density.
  virtual void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const;
  // log p(y | f) and its first two derivatives by f. Default: central differences, and derivatives
  // of 0 where the density of a neighbour is 0.
  virtual Tilted derivatives(Observed y, double f) const;
  // The third derivative of log p(y | f) by f. Default: central differences of the second.
  virtual double third_derivative(Observed y, double f) const;
  // The noise variance v if p(y | f) is the probability that y (f + e) > 0 with e ~ N(0, v), as it
  // is for a probit; otherwise 0.
  virtual double step_noise() const { return 0.0; }
  // Is p(y | f) the step, 1 where y f > 0 and 0 where y f < 0? It has no derivatives by f: only
  // tilted() with a positive variance does.
  virtual bool step() const { return false; }

  // log P(y = +1) of a binary response; throws InvalidSpec for others. log P(y = -1) is
  // tilted(-1, mu, var).log_z: never log(1 - P).
  virtual double log_probability(double mu, double var) const;

  // Mean and variance of the response. For a binary response these are p = P(y = +1) and p (1 - p).
  // Infinite where the integral diverges. Default: integrals of the predictive density.
  virtual Predicted predict(double mu, double var) const;
  // Distribution function and quantile of the predictive p(y) = integral p(y | f) N(f | mu, var)
  // df; of a count the quantile is the smallest one whose distribution function reaches
  // `probability`. Binary responses have neither and throw InvalidSpec.
  virtual double cdf(double y, double mu, double var) const;
  virtual double quantile(double probability, double mu, double var) const;
  // Predictive distributions of many rows: mean and variance, n x 2; distribution functions;
  // quantiles, a column for each probability. The defaults loop over the rows.
  virtual Matrix predict_rows(VectorIn mu, VectorIn var) const;
  virtual Vector cdf_rows(VectorIn y, VectorIn mu, VectorIn var) const;
  virtual Matrix quantile_rows(VectorIn probabilities, VectorIn mu, VectorIn var) const;

  // The entropies of theory.md (5) and the mutual information of theory.md (6). Defaults: sums and
  // adaptive quadrature. Throws NumericalFailure for a count spread over more than a million
  // values.
  virtual double entropy(double f) const;
  virtual double predictive_entropy(double mu, double var) const;
  virtual double information(double mu, double var) const;
  // Those of many rows. The defaults loop over the rows.
  virtual Vector predictive_entropy_rows(VectorIn mu, VectorIn var) const;
  virtual Vector information_rows(VectorIn mu, VectorIn var) const;

  virtual Index n_params() const { return 0; }
  virtual Vector params() const { return Vector(); }  // log scale
  virtual void set_params(VectorIn) {}

 protected:
  static void require_probability(double probability);  // in [0, 1], or InvalidSpec
};

// Functions of the host's, of two vectors of one length, with a row for each element.
using HostFunction = std::function<Matrix(VectorIn, VectorIn)>;
struct HostLikelihood {
  HostFunction log_density;  // log p(y | f) of y and f, one column
  HostFunction derivatives;  // its first and second derivatives by f; may be empty
  HostFunction quantile;     // of p and f, one column; may be empty
};

// The host's description of a likelihood: hyper-parameters and constants by name, on the natural
// scale.
struct LikelihoodSpec {
  std::string type;
  std::map<std::string, std::vector<double>> values;
  HostLikelihood host = {};  // of "function"
};

// Throws InvalidSpec for an unknown type and for a missing, repeated or non-positive value.
std::unique_ptr<Likelihood> make_likelihood(const LikelihoodSpec& spec);

// The types make_likelihood() knows, in the order of the registry.
Names registered_likelihoods();

}  // namespace gpsieve

#endif
