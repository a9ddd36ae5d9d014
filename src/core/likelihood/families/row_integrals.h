// The integrals of likelihood.h for many rows together, from values of log p(y | f) alone, for
// likelihoods whose density the host computes (theory.md).
#ifndef GPSIEVE_LIKELIHOOD_FAMILIES_ROW_INTEGRALS_H
#define GPSIEVE_LIKELIHOOD_FAMILIES_ROW_INTEGRALS_H

#include <functional>
#include <vector>

#include "likelihood/likelihood.h"
#include "math/line_integrals.h"

namespace gpsieve {

// log p(y | f) for pairs of y and f.
using RowDensity = std::function<Vector(const Vector& y, const Vector& f)>;

// log Z and its derivatives of every row, all variances positive; `real` responses may have peaks
// near f = y. Not finite where p vanishes for every f that is looked at.
void tilted_rows(const RowDensity& density, bool real, VectorIn y, VectorIn mu, VectorIn var,
                 VectorOut log_z, VectorOut d1, VectorOut d2);

// Mean and variance of a real response: moments given f, whose expectation is a Gauss-Hermite sum.
std::vector<Predicted> moments_of_rows(const RowDensity& density, VectorIn mu, VectorIn var);

// The expectation of the entropy of the response given f, in every row; of a count the second.
Vector conditional_entropies(const RowDensity& density, VectorIn mu, VectorIn var);
Vector conditional_count_entropies(const RowDensity& density, VectorIn mu, VectorIn var);

// The predictive distribution of a real response in every row.
class RowDistributions {
 public:
  RowDistributions(const RowDensity& density, VectorIn mu, VectorIn var);

  double cdf(Index row, double y) const;
  double quantile(Index row, double probability) const;
  double entropy(Index row) const;

 private:
  std::vector<Line> lines_;                 // of the predictive densities
  std::vector<std::vector<double>> below_;  // of each panel, the mass below its end
};

// The predictive distribution of a count in every row.
class RowCounts {
 public:
  RowCounts(const RowDensity& density, VectorIn mu, VectorIn var);

  Predicted moments(Index row) const;
  double cdf(Index row, double y) const;
  double quantile(Index row, double probability) const;
  double entropy(Index row) const;

 private:
  std::vector<std::vector<double>> p_;  // of the counts 0, 1, 2, ...
};

}  // namespace gpsieve

#endif
