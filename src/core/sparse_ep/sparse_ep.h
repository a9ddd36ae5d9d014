// Expectation propagation and its relatives on inducing inputs (math: EP, sections 3 to 5).
//
// The schedules differ in whose site leaves q to make a row's cavity:
//   own          EP: the row's own. Two numbers per row and factor are kept.
//   tied         stochastic EP: an average one, the n-th root of one factor for all rows.
//   accumulated  assumed density filtering: none. Every pass counts the data once more.
#ifndef GPSIEVE_SPARSE_EP_SPARSE_EP_H
#define GPSIEVE_SPARSE_EP_SPARSE_EP_H

#include <vector>

#include "base/context.h"
#include "sparse_ep/factors.h"

namespace gpsieve {

enum class Schedule { own, tied, accumulated };

struct EpUpdate {
  double damping = 1.0;
  bool warm = false;  // tied: the first epoch is a running mean (math: EP, section 10)
};

class SparseEp {
 public:
  // `own_directions`: sites keep the direction they were made in (m numbers per row), so that
  // hyper-parameters may change between minibatches of the own schedule.
  SparseEp(Schedule schedule, const Factors& factors, Index m, bool own_directions);

  Schedule schedule() const { return schedule_; }
  const Factors& factors() const { return *factors_; }
  const WhitenedPosterior& q(Index latent) const { return q_[latent]; }
  const NaturalFactor& natural(Index latent) const { return natural_[latent]; }
  // What q becomes without one tied site; q itself for the other schedules.
  WhitenedPosterior cavity(Index latent, int threads) const;
  // Own schedule: the sites of all rows, slots x rows.
  const Sites& sites() const { return sites_; }
  void set_sites(Sites sites) { sites_ = std::move(sites); }

  struct Change {
    double largest = 0.0;  // of a site (own) or of the common factor, relative to its scale
    Index skipped = 0;     // factors left as they were
    double log_z = 0.0;    // before the update, the rows counted n / s times
  };
  // New sites for the rows from the present q, then q anew. If q's factor breaks down
  // (NotPositiveDefinite) nothing has changed.
  Change update(WhitenedRows& rows, const EpUpdate& options, const Context& ctx);

  // The part of log Z that does not depend on rows: log-normalisers of q and of tied cavities.
  double log_normalisers(int threads) const;

  // After the inducing inputs or the kernel changed. Tied and accumulated factors, and own sites
  // with directions, stay what they are as functions of f_u.
  void move(const Inducing& from, const Inducing& to, int threads);
  // Own schedule without directions: q anew from the sites of all rows in their present directions.
  void rebuild(WhitenedRows& rows, const Context& ctx);

  // Marginals of a chunk's rows under q, and along the directions of their sites.
  void project(const WhitenedRows::Chunk& chunk, Projections& out) const;
  void project_sites(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk,
                     const Projections& q, SiteProjections& out) const;
  Sites sites_of(const RowSet& rows, const WhitenedRows::Chunk& chunk) const;

 private:
  Change update_own(WhitenedRows& rows, const EpUpdate& options, const Context& ctx);
  Change update_shared(WhitenedRows& rows, const EpUpdate& options, const Context& ctx);
  void commit(std::vector<NaturalFactor> natural, int threads);
  Matrix directions_of(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk) const;

  Schedule schedule_;
  const Factors* factors_;
  std::vector<NaturalFactor> natural_;
  std::vector<WhitenedPosterior> q_;
  Sites sites_;
  Matrix directions_;  // u_i = L^-T v_i at the time of the site, m x rows
  Index updates_ = 0;
};

// Own schedule: latent marginals of all rows without their own sites, prior mean and residual
// variance included.
Projections cavities(const SparseEp& ep, WhitenedRows& rows, const Context& ctx);

}  // namespace gpsieve

#endif
