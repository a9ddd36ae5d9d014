// The exact factors of the rows (theory.md#model) and the sites that replace them. A factor is a
// function of one or two latent functions. Cavities are those of the projections v_i'w; the factors
// add the prior mean and the residual variance s_i, which is the same for all latent functions.
#ifndef GPSIEVE_SPARSE_EP_FACTORS_H
#define GPSIEVE_SPARSE_EP_FACTORS_H

#include <memory>
#include <vector>

#include "base/parallel.h"
#include "base/types.h"
#include "sparse_ep/whitened_rows.h"

namespace gpsieve {

// body(k, threads) for every latent function: for the only one with all threads, for several at a
// time with one thread each. Bodies write disjoint outputs.
template <class Body>
void for_each_latent(Index latents, int threads, const Body& body) {
  const bool together = latents > 1 && threads > 1;
  parallel_blocks(together ? threads : 1, latents, 1,
                  [&](Index k, Index) { body(k, together ? 1 : threads); });
}

// Marginals of the projections of rows under a Gaussian, rows x latent functions: theory.md (7).
struct Projections {
  void resize(Index rows, Index latents) {
    mean.resize(rows, latents);
    variance.resize(rows, latents);
  }
  Matrix mean, variance;
};

// The marginals of the projections along the columns of v, under one Gaussian per latent function.
void project_all(const std::vector<WhitenedPosterior>& gaussians, const Matrix& v, int threads,
                 Projections& out);

// Under q: the marginals of the projections along the directions in which the rows' sites were
// made, and their covariance with the projections along v_i. The directions differ from v_i once
// the hyper-parameters have changed between minibatches (theory.md#changing-the-hyper-parameters).
struct SiteProjections {
  Projections marginals;
  Matrix covariance;  // rows x latent functions
};

// Gaussian sites, sites per row x rows: a factor has one site for each of its latent functions.
struct Sites {
  static Sites uniform(Index sites_per_row, Index rows) {
    return {Matrix::Zero(sites_per_row, rows), Matrix::Zero(sites_per_row, rows)};
  }
  Matrix precision, shift;
};

// Sums over the factors of a row, rows x latent functions, divided by the power of power EP.
struct RowMoments {
  void reset(Index rows, Index latents) {
    for (Matrix* each : {&precision, &shift, &slope, &gamma, &weight}) each->setZero(rows, latents);
    log_z.setZero(rows);
    skipped = 0;
  }
  Matrix precision, shift;  // of the new sites
  Matrix slope, gamma;      // h and gamma: theory.md (21)
  Matrix weight;            // omega, from update_sites() only: theory.md (22)
  Vector log_z;   // the row's term of theory.md (18), or of theory.md (20) for a shared factor
  Index skipped;  // factors whose cavity or site was improper, so that their sites stayed
  bool want_parameters = false;
  Matrix parameters;  // d log Z_i / d log likelihood parameters, parameters x rows, if wanted
};

class Factors {
 public:
  virtual ~Factors() = default;

  virtual Index rows() const = 0;
  // From now on the factors of consecutive rows can be evaluated, of which `first` is the first,
  // `y` the responses, with the likelihood's columns for each latent function, and `offset` what is
  // added to the latent functions, empty where that is 0. `y` must outlive its use.
  virtual void hold(Index first, MatrixIn y, Vector offset) = 0;
  virtual Index latents() const = 0;
  virtual Index sites_per_row() const = 0;
  // N of theory.md (9): how many factors depend on the latent function, divided by the power.
  virtual double n_factors(Index latent) const = 0;
  // The part of N that belongs to one row.
  virtual double row_factors(Index row, Index latent) const = 0;
  virtual double prior_mean(Index latent) const = 0;
  // False if sites may have a negative precision.
  virtual bool log_concave() const = 0;
  // True if one pass over the rows is exact.
  virtual bool gaussian() const { return false; }

  // SEP and ADF: the new sites of rows whose cavities are marginals of one distribution.
  virtual void sites_from_cavity(const RowSet& rows, const Projections& cavity, VectorIn residual,
                                 int threads, RowMoments& out) const = 0;
  // EP: removes the sites of the rows from q and replaces them by new ones. `q` holds the
  // projections along v_i, `site` those along the directions of the present sites; new sites belong
  // to v_i.
  virtual void update_sites(const RowSet& rows, const Projections& q, const SiteProjections& site,
                            VectorIn residual, int threads, Sites& sites,
                            RowMoments& out) const = 0;
  // Cavities of f_i, all sites of the row removed, prior mean and residual variance included.
  virtual void cavities(const RowSet& rows, const Projections& q, VectorIn residual,
                        const Sites& sites, Projections& out) const = 0;
  // The sites of each row summed by latent function, rows x latent functions.
  virtual void sum_sites(const RowSet& rows, const Sites& sites, Matrix& precision,
                         Matrix& shift) const = 0;

  // Sum over rows of the log predictive probability (density) of the response, under marginals of f
  // that include the prior mean and the residual variance.
  virtual double log_predictive(const RowSet& rows, const Projections& latent) const = 0;

  virtual Index n_params() const { return 0; }
  virtual Vector params() const { return Vector(); }
  virtual void set_params(VectorIn) {}
};

// The cavity of a projection: theory.md (16) and (17). (mean, variance) are those of the projection
// along v_i under q, (site_mean, site_variance) those along the direction of the site. Not proper,
// with the marginal of q as mean and variance, if the site takes nearly all of q's precision.
struct Cavity {
  double mean, variance;
  bool proper;
};
Cavity cavity_without(double precision, double shift, double mean, double variance,
                      double site_mean, double site_variance, double covariance);

// Throws NumericalFailure, naming the first row whose mean or variance is not finite.
void require_finite(MatrixIn mean, MatrixIn variance, const RowSet& rows);

// The log of the expectation of a site under N(mean, variance): theory.md (19).
double log_expected_site(double precision, double shift, double mean, double variance);

}  // namespace gpsieve

#endif
