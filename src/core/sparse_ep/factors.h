// The exact factors of rows, each a function of one or two latent functions, and what expectation
// propagation needs of them. Marginals are those of the projections v_i'w of a row, one per latent
// function; a row's residual variance s_i (independent of w, the same for all) is added here.
#ifndef GPSIEVE_SPARSE_EP_FACTORS_H
#define GPSIEVE_SPARSE_EP_FACTORS_H

#include <memory>
#include <vector>

#include "base/types.h"
#include "sparse_ep/whitened_rows.h"

namespace gpsieve {

// Marginals of projections under a Gaussian, rows x latents.
struct Projections {
  void resize(Index rows, Index latents) {
    mean.resize(rows, latents);
    variance.resize(rows, latents);
  }
  Matrix mean, variance;
};

// The marginals of the columns of v under one Gaussian per latent function.
void project_all(const std::vector<WhitenedPosterior>& gaussians, const Matrix& v,
                 Projections& out);

// Marginals under q along the directions of the rows' stored sites, and their covariance with the
// rows' present directions. The two differ once hyper-parameters have changed between minibatches.
struct SiteProjections {
  Projections along;
  Matrix covariance;
};

// Gaussian sites of rows, slots x rows: every factor has one slot per latent function it touches.
struct Sites {
  static Sites none(Index slots, Index rows) {
    return {Matrix::Zero(slots, rows), Matrix::Zero(slots, rows)};
  }
  Matrix precision, shift;
};

// Sums over a row's factors, rows x latents. Everything already carries the 1 / power of power EP.
struct RowMoments {
  void reset(Index rows, Index latents) {
    for (Matrix* each : {&precision, &shift, &slope, &gamma, &weight}) each->setZero(rows, latents);
    energy.setZero(rows);
    skipped = 0;
  }
  Matrix precision, shift;  // of the sites that match moments
  Matrix slope;             // h = d log Z / d cavity mean
  Matrix gamma;             // d log Z / d cavity variance = (h^2 + d2) / 2
  Matrix weight;            // with own sites: [h (tau p - nu) + 2 gamma] / (1 - tau v)
  Vector energy;  // log Z_i, with own sites minus the log cavity expectations of the sites
  Index skipped;  // factors whose cavity or site was improper: their sites stay
  bool want_parameters = false;
  Matrix parameters;  // d log Z_i / d log likelihood parameters, parameters x rows; where wanted
};

class Factors {
 public:
  virtual ~Factors() = default;

  virtual Index rows() const = 0;
  virtual Index latents() const = 0;
  virtual Index slots() const = 0;
  // Cavities that share a tied factor: factors of all rows that touch the latent function, over
  // the power. A cavity is q over the tied factor's (1 / share)-th power.
  virtual double shares(Index latent) const = 0;
  virtual double prior_mean(Index latent) const = 0;
  // False if sites may have negative precision.
  virtual bool log_concave() const = 0;
  // True if one pass over the rows is exact.
  virtual bool gaussian() const { return false; }

  // Tied sites (SEP, ADF): `cavity` is the same distribution for all rows.
  virtual void tied(const RowSet& rows, const Projections& cavity, VectorIn residual, int threads,
                    RowMoments& out) const = 0;
  // Own sites (EP): `q` along the rows' present directions, `site` along those of their sites. The
  // new sites belong to the present directions.
  virtual void own(const RowSet& rows, const Projections& q, const SiteProjections& site,
                   VectorIn residual, int threads, Sites& sites, RowMoments& out) const = 0;
  // Latent marginals of the rows without the rows' own sites, prior mean and residual included.
  virtual void cavities(const RowSet& rows, const Projections& q, VectorIn residual,
                        const Sites& sites, Projections& out) const = 0;
  // Sums of the rows' sites over their factors, rows x latents.
  virtual void sum_sites(const RowSet& rows, const Sites& sites, Matrix& precision,
                         Matrix& shift) const = 0;

  // log predictive probability (density) of the rows' responses under latent marginals that
  // include the prior mean and the residual.
  virtual double log_predictive(const RowSet& rows, const Projections& latent) const = 0;

  virtual Index n_params() const { return 0; }
  virtual Vector params() const { return Vector(); }
  virtual void set_params(VectorIn) {}
};

// What one site's removal leaves along a row's present direction, from the marginals of q there
// (mean, variance), along the site's direction (site_mean, site_variance) and their covariance:
// with C = tau / (1 - tau site_variance)
//   variance_c = variance + covariance^2 C
//   mean_c     = mean + (covariance + site_variance covariance C) (tau site_mean - nu)
struct Cavity {
  double mean, variance;
  bool proper;
};
Cavity cavity_without(double precision, double shift, double mean, double variance,
                      double site_mean, double site_variance, double covariance);

// Throws NumericalFailure that names the first row whose marginals are not finite.
void require_finite(MatrixIn mean, MatrixIn variance, const RowSet& rows);

// log of the expectation of the site exp(-tau g^2 / 2 + nu g) under N(mean, variance).
double log_expected_site(double precision, double shift, double mean, double variance);

}  // namespace gpsieve

#endif
