#include "sparse_ep/sparse_ep.h"

#include <algorithm>
#include <cmath>

#include "kernel/point_blocks.h"
#include "linalg/blocked.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

std::vector<NaturalFactor> uniform(Index latents, Index m) {
  return std::vector<NaturalFactor>(static_cast<std::size_t>(latents), NaturalFactor::uniform(m));
}

}  // namespace

SparseEp::SparseEp(Schedule schedule, const Factors& factors, Index m, bool keep_directions,
                   Index site_rows)
    : schedule_(schedule),
      factors_(&factors),
      natural_(uniform(factors.latents(), m)),
      q_(static_cast<std::size_t>(factors.latents()), WhitenedPosterior::prior(m)),
      cavities_(schedule == Schedule::sep ? q_ : std::vector<WhitenedPosterior>()) {
  if (schedule != Schedule::ep) return;
  sites_ = Sites::uniform(factors.sites_per_row(), site_rows);
  if (keep_directions) directions_.setZero(m, site_rows);
}

void SparseEp::project(const WhitenedRows::Chunk& chunk, int threads, Projections& out) const {
  project_all(q_, chunk.v, threads, out);
}

Matrix SparseEp::directions_of(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk) const {
  Matrix old(directions_.rows(), chunk.size);
  for (Index i = 0; i < chunk.size; ++i) old.col(i) = directions_.col(rows.rows()[chunk.begin + i]);
  trmm(Side::left, Triangle::lower, Op::transposed, rows.inducing().factor(), old);
  return old;
}

void SparseEp::project_sites(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk,
                             const Projections& q, int threads, SiteProjections& out) const {
  if (directions_.size() == 0) {
    out.marginals = q;
    out.covariance = q.variance;
    return;
  }
  const Matrix old = directions_of(rows, chunk);
  out.marginals.resize(chunk.size, factors_->latents());
  out.covariance.resize(chunk.size, factors_->latents());
  for_each_latent(factors_->latents(), threads, [&](Index k, int own) {
    Matrix solved_old, solved_new = chunk.v;
    q_[k].project(old, solved_old, out.marginals.mean.col(k), out.marginals.variance.col(k), own);
    trsm(Side::left, Triangle::lower, Op::plain, q_[k].factor, solved_new, own);
    out.covariance.col(k) = solved_new.cwiseProduct(solved_old).colwise().sum().transpose();
  });
}

Sites SparseEp::sites_of(const RowSet& rows, const WhitenedRows::Chunk& chunk) const {
  Sites some = Sites::uniform(factors_->sites_per_row(), chunk.size);
  for (Index i = 0; i < chunk.size; ++i) {
    some.precision.col(i) = sites_.precision.col(rows[chunk.begin + i]);
    some.shift.col(i) = sites_.shift.col(rows[chunk.begin + i]);
  }
  return some;
}

// The factors of q and of its cavity are found at the same time where they are small: each of them
// alone occupies few threads.
void SparseEp::set_natural(std::vector<NaturalFactor> natural, int threads) {
  constexpr Index kSmallFactor = 512;
  const Index latents = factors_->latents(), m = natural[0].r.size();
  const Index each = schedule_ == Schedule::sep ? 2 : 1;
  std::vector<WhitenedPosterior> q(natural.size()), cavities(each == 2 ? natural.size() : 0);
  const auto find = [&](Index k, Index which, int own) {
    if (which == 0)
      q[k] = WhitenedPosterior::from_natural(natural[k], 1.0, own);
    else
      cavities[k] =
          WhitenedPosterior::from_natural(natural[k], 1.0 - 1.0 / factors_->n_factors(k), own);
  };
  // A small Cholesky factor takes the time of m^3 / 2 multiply-adds.
  const bool together = latents > 1 || (each == 2 && m <= kSmallFactor &&
                                        useful_threads(threads, volume(m, m, m)) > 1);
  if (together)
    for_each_latent(each * latents, threads,
                    [&](Index i, int own) { find(i / each, i % each, own); });
  else
    for (Index which = 0; which < each; ++which) find(0, which, threads);
  natural_ = std::move(natural);
  q_ = std::move(q);
  cavities_ = std::move(cavities);
}

SiteSums SparseEp::new_sites(WhitenedRows& rows, const EpUpdate& options, const Context& ctx) {
  return schedule_ == Schedule::ep ? row_sites(rows, options, ctx) : shared_sites(rows, ctx);
}

SparseEp::Change SparseEp::finish_update(SiteSums sums, Index rows, const EpUpdate& options,
                                         const Context& ctx) {
  const double all = static_cast<double>(factors_->rows()), some = static_cast<double>(rows);
  const double log_z = log_normalisers() + all / some * sums.log_z;
  std::vector<NaturalFactor> next = schedule_ == Schedule::ep
                                        ? std::move(sums.natural)
                                        : next_shared_factor(sums, rows, options, ctx.threads);
  set_natural(std::move(next), ctx.threads);
  keep_new_sites();
  ++updates_;
  return {sums.largest, sums.skipped, log_z};
}

SiteSums SparseEp::shared_sites(WhitenedRows& rows, const Context& ctx) const {
  const Index latents = factors_->latents(), m = natural_[0].r.size();
  if (latents == 1 && rows.minibatch()) return minibatch_sites(rows, ctx);
  SiteSums sums;
  sums.natural = uniform(latents, m);
  Projections projections;
  RowMoments moments;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    project_all(cavities(), chunk.v, ctx.threads, projections);
    factors_->sites_from_cavity(rows.rows().part(chunk.begin, chunk.size), projections, chunk.s,
                                ctx.threads, moments);
    for_each_latent(latents, ctx.threads, [&](Index k, int own) {
      sums.natural[k].add_sites(chunk.v, moments.precision.col(k), moments.shift.col(k), own);
    });
    sums.skipped += moments.skipped;
    sums.log_z += moments.log_z.sum();
    ctx.check();
  }
  return sums;
}

// Sites and their sums for the few rows of a minibatch: a thread does everything with a block of
// them, because any one step is too short to wake another thread for. The blocks' sums are added in
// order.
SiteSums SparseEp::minibatch_sites(WhitenedRows& rows, const Context& ctx) const {
  const double m = static_cast<double>(natural_[0].r.size());
  std::vector<SiteSums> parts(static_cast<std::size_t>(rows.blocks()));
  const auto add_block = [&](const WhitenedRows::Chunk& chunk, Index begin, Index count) {
    const auto v = chunk.v.middleCols(begin, count);
    Projections projections;
    projections.resize(count, 1);
    Matrix solved;
    cavity(0).project(v, solved, projections.mean.col(0), projections.variance.col(0));
    RowMoments moments;
    factors_->sites_from_cavity(rows.rows().part(begin, count), projections,
                                chunk.s.segment(begin, count), 1, moments);
    SiteSums& sums = parts[begin / chunk.block];
    sums.natural = uniform(1, chunk.v.rows());
    sums.natural[0].add_sites(v, moments.precision.col(0), moments.shift.col(0), 1);
    sums.skipped = moments.skipped;
    sums.log_z = moments.log_z.sum();
  };
  rows.chunk(0, ctx, {add_block, m * m});
  for (std::size_t b = 1; b < parts.size(); ++b) parts[0].add(parts[b]);
  return std::move(parts[0]);
}

// theory.md (11) and (13) for SEP, theory.md (12) for ADF.
std::vector<NaturalFactor> SparseEp::next_shared_factor(SiteSums& sums, Index rows,
                                                        const EpUpdate& options,
                                                        int threads) const {
  const double n = static_cast<double>(factors_->rows()), s = static_cast<double>(rows);
  const double running = options.warm_start ? 1.0 / static_cast<double>(updates_ + 1) : 0.0;
  const double kappa = options.damping * std::max(s / n, running);
  const bool sep = schedule_ == Schedule::sep;
  std::vector<NaturalFactor> all = natural_;
  Vector change(factors_->latents());
  for_each_latent(change.size(), threads, [&](Index k, int) {
    const double before = all[k].largest();
    change(k) = all[k].combine(sep ? 1.0 - kappa : 1.0, sep ? kappa * n / s : options.damping,
                               sums.natural[k]) /
                (1.0 + before);
  });
  for (Index k = 0; k < change.size(); ++k) sums.largest = std::max(sums.largest, change(k));
  return all;
}

// theory.md (10); then T and r of the new sites.
SiteSums SparseEp::row_sites(WhitenedRows& rows, const EpUpdate& options, const Context& ctx) {
  const Index latents = factors_->latents(), m = natural_[0].r.size(), size = rows.rows().size;
  const bool turns = directions_.size() > 0;
  const bool all_rows = size == sites_.precision.cols() && !turns;
  // The old and the new site have different directions, so that a mean of the two would be two
  // sites.
  const double damping = turns ? 1.0 : options.damping;
  SiteSums sums;
  sums.natural = all_rows ? uniform(latents, m) : natural_;
  new_.rows.resize(static_cast<std::size_t>(size));
  new_.sites = Sites::uniform(factors_->sites_per_row(), size);
  if (turns) new_.directions.resize(m, size);
  Projections projections;
  SiteProjections of_sites;
  RowMoments moments;
  Matrix old_precision, old_shift, precision, shift;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    const RowSet part = rows.rows().part(chunk.begin, chunk.size);
    project(chunk, ctx.threads, projections);
    project_sites(rows, chunk, projections, ctx.threads, of_sites);
    const Sites old = sites_of(rows.rows(), chunk);
    Sites now = old;
    factors_->update_sites(part, projections, of_sites, chunk.s, ctx.threads, now, moments);
    sums.skipped += moments.skipped;
    sums.log_z += moments.log_z.sum();
    now.precision = old.precision + damping * (now.precision - old.precision);
    now.shift = old.shift + damping * (now.shift - old.shift);
    factors_->sum_sites(part, now, precision, shift);
    factors_->sum_sites(part, old, old_precision, old_shift);
    // Changes of sites in units of the projection's standard deviation.
    const auto v = projections.variance.array();
    sums.largest =
        std::max({sums.largest, ((precision - old_precision).array().abs() * v).maxCoeff(),
                  ((shift - old_shift).array().abs() * v.sqrt()).maxCoeff()});
    const Matrix old_directions = turns ? directions_of(rows, chunk) : Matrix();
    for_each_latent(latents, ctx.threads, [&](Index k, int own) {
      if (turns)
        sums.natural[k].add_sites(old_directions, -old_precision.col(k), -old_shift.col(k), own);
      if (all_rows || turns)
        sums.natural[k].add_sites(chunk.v, precision.col(k), shift.col(k), own);
      else
        sums.natural[k].add_sites(chunk.v, precision.col(k) - old_precision.col(k),
                                  shift.col(k) - old_shift.col(k), own);
    });
    for (Index i = 0; i < chunk.size; ++i) new_.rows[chunk.begin + i] = part[i];
    new_.sites.precision.middleCols(chunk.begin, chunk.size) = now.precision;
    new_.sites.shift.middleCols(chunk.begin, chunk.size) = now.shift;
    if (turns) {
      auto directions = new_.directions.middleCols(chunk.begin, chunk.size);
      directions = chunk.v;
      trsm(Side::left, Triangle::lower, Op::transposed, rows.inducing().factor(), directions);
    }
    ctx.check();
  }
  return sums;
}

void SparseEp::keep_new_sites() {
  for (Index i = 0; i < static_cast<Index>(new_.rows.size()); ++i) {
    const Index row = new_.rows[i];
    sites_.precision.col(row) = new_.sites.precision.col(i);
    sites_.shift.col(row) = new_.sites.shift.col(i);
    if (new_.directions.size() > 0) directions_.col(row) = new_.directions.col(i);
  }
  new_ = NewSites();
}

double SparseEp::log_normalisers() const {
  double sum = 0.0;
  for (Index k = 0; k < factors_->latents(); ++k) {
    const double of_q = q_[k].log_normaliser;
    sum += of_q;
    if (schedule_ == Schedule::sep)
      sum += factors_->n_factors(k) * (cavities_[k].log_normaliser - of_q);
  }
  return sum;
}

void SparseEp::change_coordinates(const Inducing& from, const Inducing& to, int threads) {
  std::vector<NaturalFactor> natural = natural_;
  for_each_latent(factors_->latents(), threads, [&](Index k, int own) {
    natural[k].change_coordinates(from.factor(), to.factor(), own);
  });
  set_natural(std::move(natural), threads);
}

SiteSums SparseEp::product_of_sites(WhitenedRows& rows, const Context& ctx) const {
  SiteSums sums;
  sums.natural = uniform(factors_->latents(), natural_[0].r.size());
  Matrix precision, shift;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    factors_->sum_sites(rows.rows().part(chunk.begin, chunk.size), sites_of(rows.rows(), chunk),
                        precision, shift);
    for_each_latent(factors_->latents(), ctx.threads, [&](Index k, int own) {
      sums.natural[k].add_sites(chunk.v, precision.col(k), shift.col(k), own);
    });
    ctx.check();
  }
  return sums;
}

void SparseEp::visit(Archive& archive, int threads) {
  std::vector<NaturalFactor> natural = natural_;
  archive.visit(natural);
  archive.visit(sites_.precision);
  archive.visit(sites_.shift);
  archive.visit(directions_);
  archive.visit(updates_);
  if (archive.reading()) set_natural(std::move(natural), threads);
}

SiteTable site_table(const SparseEp& ep, WhitenedRows& rows, const Context& ctx) {
  SiteTable all, some;
  for (Matrix* each : {&all.cavity.mean, &all.cavity.variance, &all.precision, &all.shift})
    each->resize(rows.rows().size, ep.factors().latents());
  Projections q;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    const RowSet part = rows.rows().part(chunk.begin, chunk.size);
    const Sites sites = ep.sites_of(rows.rows(), chunk);
    ep.project(chunk, ctx.threads, q);
    ep.factors().cavities(part, q, chunk.s, sites, some.cavity);
    ep.factors().sum_sites(part, sites, some.precision, some.shift);
    all.cavity.mean.middleRows(chunk.begin, chunk.size) = some.cavity.mean;
    all.cavity.variance.middleRows(chunk.begin, chunk.size) = some.cavity.variance;
    all.precision.middleRows(chunk.begin, chunk.size) = some.precision;
    all.shift.middleRows(chunk.begin, chunk.size) = some.shift;
    ctx.check();
  }
  return all;
}

}  // namespace gpsieve
