// Expectation propagation, stochastic expectation propagation and assumed density filtering on
// inducing inputs (theory.md#schedules).
#ifndef GPSIEVE_SPARSE_EP_SPARSE_EP_H
#define GPSIEVE_SPARSE_EP_SPARSE_EP_H

#include <vector>

#include "base/archive.h"
#include "base/context.h"
#include "sparse_ep/factors.h"
#include "sparse_ep/sums.h"

namespace gpsieve {

enum class Schedule {
  ep,   // the cavity is q without the row's own site
  sep,  // q without the N-th part of one factor that all rows share
  adf   // q itself
};

struct EpUpdate {
  double damping = 1.0;
  bool warm_start = false;  // SEP: theory.md (13)
};

class SparseEp {
 public:
  // `keep_directions`: EP stores the direction of every site, so that hyper-parameters may change
  // between minibatches (theory.md#changing-the-hyper-parameters). `site_rows`: the rows, from the
  // first on, whose sites EP keeps here.
  SparseEp(Schedule schedule, const Factors& factors, Index m, bool keep_directions,
           Index site_rows);
  SparseEp(Schedule schedule, const Factors& factors, Index m, bool keep_directions)
      : SparseEp(schedule, factors, m, keep_directions, factors.rows()) {}

  Schedule schedule() const { return schedule_; }
  const Factors& factors() const { return *factors_; }
  const WhitenedPosterior& q(Index latent) const { return q_[latent]; }
  const NaturalFactor& natural(Index latent) const { return natural_[latent]; }
  // The cavity distributions of SEP, theory.md (9); q for the other schedules.
  const WhitenedPosterior& cavity(Index latent) const { return cavities()[latent]; }
  const std::vector<WhitenedPosterior>& cavities() const {
    return schedule_ == Schedule::sep ? cavities_ : q_;
  }
  // EP: the sites of all rows.
  const Sites& sites() const { return sites_; }
  void set_sites(Sites sites) { sites_ = std::move(sites); }

  struct Change {
    double largest = 0.0;  // change of a site or of the shared factor: theory.md#convergence
    Index skipped = 0;     // factors whose sites stayed
    double log_z = 0.0;    // before the update, the sum over rows multiplied by n / s
  };
  // New sites for the rows from the present q, then q from the new sites. Throws
  // NotPositiveDefinite, and changes nothing, if the new q has no Cholesky factor.
  Change update(WhitenedRows& rows, const EpUpdate& options, const Context& ctx) {
    return finish_update(new_sites(rows, options, ctx), rows.rows().size, options, ctx);
  }
  // The two parts of an update: sums over rows, and what follows from them for so many rows. The
  // new sites of EP wait for keep_new_sites(), which finish_update() calls.
  SiteSums new_sites(WhitenedRows& rows, const EpUpdate& options, const Context& ctx);
  Change finish_update(SiteSums sums, Index rows, const EpUpdate& options, const Context& ctx);
  void keep_new_sites();

  // The part of log Z that is no sum over rows: theory.md (18) and (20).
  double log_normalisers() const;

  // After a change of the kernel or the inducing inputs: the shared factor, or the sites with their
  // directions, stay the same functions of f_u. theory.md (14)
  void change_coordinates(const Inducing& from, const Inducing& to, int threads);
  // EP without stored directions: q from the sites of all rows, as sites of the projections v_i'w.
  void rebuild(WhitenedRows& rows, const Context& ctx) {
    set_natural(product_of_sites(rows, ctx).natural, ctx.threads);
  }
  SiteSums product_of_sites(WhitenedRows& rows, const Context& ctx) const;
  // q from its natural parameters, which a set of sites has.
  void set_natural(std::vector<NaturalFactor> natural, int threads);

  // Projections of a chunk's rows under q, along v_i and along the directions of their sites.
  void project(const WhitenedRows::Chunk& chunk, int threads, Projections& out) const;
  void project_sites(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk,
                     const Projections& q, int threads, SiteProjections& out) const;
  Sites sites_of(const RowSet& rows, const WhitenedRows::Chunk& chunk) const;

  // Sites and natural parameters, from which q is computed when they are read.
  void visit(Archive& archive, int threads);

 private:
  SiteSums row_sites(WhitenedRows& rows, const EpUpdate& options, const Context& ctx);
  SiteSums shared_sites(WhitenedRows& rows, const Context& ctx) const;
  SiteSums minibatch_sites(WhitenedRows& rows, const Context& ctx) const;
  std::vector<NaturalFactor> next_shared_factor(SiteSums& sums, Index rows, const EpUpdate& options,
                                                int threads) const;
  Matrix directions_of(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk) const;

  Schedule schedule_;
  const Factors* factors_;
  std::vector<NaturalFactor> natural_;
  std::vector<WhitenedPosterior> q_;
  std::vector<WhitenedPosterior> cavities_;  // of SEP
  Sites sites_;
  Matrix directions_;  // u_i = L^-T v_i when the site was made, m x rows; empty: not kept
  // New sites of the rows of an update, with their directions where those are kept.
  struct NewSites {
    Indices rows;
    Sites sites;
    Matrix directions;
  };
  NewSites new_;
  Index updates_ = 0;
};

// EP, by row and latent function: the cavity of f_i, prior mean and residual variance included, and
// the sum of the row's sites.
struct SiteTable {
  void visit(Archive& archive) {
    for (Matrix* each : {&cavity.mean, &cavity.variance, &precision, &shift}) archive.visit(*each);
  }
  Projections cavity;
  Matrix precision, shift;
};
SiteTable site_table(const SparseEp& ep, WhitenedRows& rows, const Context& ctx);

}  // namespace gpsieve

#endif
