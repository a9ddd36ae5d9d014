#include "sparse_ep/sparse_ep.h"

#include <algorithm>
#include <cmath>

#include "kernel/point_blocks.h"
#include "linalg/products.h"

namespace gpsieve {
namespace {

std::vector<NaturalFactor> uniform(Index latents, Index m) {
  return std::vector<NaturalFactor>(static_cast<std::size_t>(latents), NaturalFactor::uniform(m));
}

double largest_entry(const NaturalFactor& factor) {
  const Matrix lower = factor.t.triangularView<Eigen::Lower>();
  return std::max(lower.cwiseAbs().maxCoeff(), factor.r.cwiseAbs().maxCoeff());
}

}  // namespace

SparseEp::SparseEp(Schedule schedule, const Factors& factors, Index m, bool keep_directions)
    : schedule_(schedule),
      factors_(&factors),
      natural_(uniform(factors.latents(), m)),
      q_(static_cast<std::size_t>(factors.latents()), WhitenedPosterior::prior(m)) {
  if (schedule != Schedule::ep) return;
  sites_ = Sites::uniform(factors.sites_per_row(), factors.rows());
  if (keep_directions) directions_.setZero(m, factors.rows());
}

WhitenedPosterior SparseEp::cavity(Index latent, int threads) const {
  if (schedule_ != Schedule::sep) return q_[latent];
  return WhitenedPosterior::from_natural(natural_[latent], 1.0 - 1.0 / factors_->n_factors(latent),
                                         threads);
}

void SparseEp::project(const WhitenedRows::Chunk& chunk, Projections& out) const {
  project_all(q_, chunk.v, out);
}

Matrix SparseEp::directions_of(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk) const {
  Matrix old(directions_.rows(), chunk.size);
  for (Index i = 0; i < chunk.size; ++i) old.col(i) = directions_.col(rows.rows()[chunk.begin + i]);
  trmm(Side::left, Triangle::lower, Op::transposed, rows.inducing().factor(), old);
  return old;
}

void SparseEp::project_sites(const WhitenedRows& rows, const WhitenedRows::Chunk& chunk,
                             const Projections& q, SiteProjections& out) const {
  if (directions_.size() == 0) {
    out.marginals = q;
    out.covariance = q.variance;
    return;
  }
  const Matrix old = directions_of(rows, chunk);
  out.marginals.resize(chunk.size, factors_->latents());
  out.covariance.resize(chunk.size, factors_->latents());
  for (Index k = 0; k < factors_->latents(); ++k) {
    Matrix solved_old, solved_new = chunk.v;
    q_[k].project(old, solved_old, out.marginals.mean.col(k), out.marginals.variance.col(k));
    trsm(Side::left, Triangle::lower, Op::plain, q_[k].factor, solved_new);
    out.covariance.col(k) = solved_new.cwiseProduct(solved_old).colwise().sum().transpose();
  }
}

Sites SparseEp::sites_of(const RowSet& rows, const WhitenedRows::Chunk& chunk) const {
  Sites some = Sites::uniform(factors_->sites_per_row(), chunk.size);
  for (Index i = 0; i < chunk.size; ++i) {
    some.precision.col(i) = sites_.precision.col(rows[chunk.begin + i]);
    some.shift.col(i) = sites_.shift.col(rows[chunk.begin + i]);
  }
  return some;
}

void SparseEp::set_natural(std::vector<NaturalFactor> natural, int threads) {
  std::vector<WhitenedPosterior> q;
  for (const NaturalFactor& factor : natural)
    q.push_back(WhitenedPosterior::from_natural(factor, 1.0, threads));
  natural_ = std::move(natural);
  q_ = std::move(q);
}

SparseEp::Change SparseEp::update(WhitenedRows& rows, const EpUpdate& options, const Context& ctx) {
  return schedule_ == Schedule::ep ? update_sites(rows, options, ctx)
                                   : update_shared_factor(rows, options, ctx);
}

// theory.md (11) and (13) for SEP, theory.md (12) for ADF.
SparseEp::Change SparseEp::update_shared_factor(WhitenedRows& rows, const EpUpdate& options,
                                                const Context& ctx) {
  const Index latents = factors_->latents(), m = natural_[0].r.size();
  std::vector<WhitenedPosterior> cavities;
  for (Index k = 0; k < latents; ++k) cavities.push_back(cavity(k, ctx.threads));
  std::vector<NaturalFactor> sum = uniform(latents, m);
  Projections projections;
  RowMoments moments;
  Change change;
  double sum_log_z = 0.0;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    project_all(cavities, chunk.v, projections);
    factors_->sites_from_cavity(rows.rows().part(chunk.begin, chunk.size), projections, chunk.s,
                                ctx.threads, moments);
    for (Index k = 0; k < latents; ++k)
      sum[k].add_sites(chunk.v, moments.precision.col(k), moments.shift.col(k), ctx.threads);
    change.skipped += moments.skipped;
    sum_log_z += moments.log_z.sum();
    ctx.check();
  }
  const double n = static_cast<double>(factors_->rows()), s = static_cast<double>(rows.rows().size);
  change.log_z = log_normalisers(ctx.threads) + n / s * sum_log_z;
  const double running = options.warm_start ? 1.0 / static_cast<double>(updates_ + 1) : 0.0;
  const double kappa = options.damping * std::max(s / n, running);
  const bool sep = schedule_ == Schedule::sep;
  for (Index k = 0; k < latents; ++k) {
    const double before = largest_entry(natural_[k]);
    NaturalFactor next = natural_[k];
    next.combine(sep ? 1.0 - kappa : 1.0, sep ? kappa * n / s : options.damping, sum[k]);
    sum[k] = std::move(next);
    NaturalFactor difference = sum[k];
    difference.combine(1.0, -1.0, natural_[k]);
    change.largest = std::max(change.largest, largest_entry(difference) / (1.0 + before));
  }
  set_natural(std::move(sum), ctx.threads);
  ++updates_;
  return change;
}

// theory.md (10); then T, r and q from the new sites.
SparseEp::Change SparseEp::update_sites(WhitenedRows& rows, const EpUpdate& options,
                                        const Context& ctx) {
  const Index latents = factors_->latents(), m = natural_[0].r.size();
  const bool all_rows = rows.rows().size == factors_->rows() && directions_.size() == 0;
  // The old and the new site have different directions, so that a mean of the two would be two
  // sites.
  const double damping = directions_.size() > 0 ? 1.0 : options.damping;
  std::vector<NaturalFactor> next = all_rows ? uniform(latents, m) : natural_;
  Sites changed = Sites::uniform(factors_->sites_per_row(), rows.rows().size);
  Projections projections;
  SiteProjections of_sites;
  RowMoments moments;
  Matrix old_precision, old_shift, precision, shift;
  Change change;
  double sum_log_z = 0.0;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    const RowSet part = rows.rows().part(chunk.begin, chunk.size);
    project(chunk, projections);
    project_sites(rows, chunk, projections, of_sites);
    const Sites old = sites_of(rows.rows(), chunk);
    Sites now = old;
    factors_->update_sites(part, projections, of_sites, chunk.s, ctx.threads, now, moments);
    change.skipped += moments.skipped;
    sum_log_z += moments.log_z.sum();
    now.precision = old.precision + damping * (now.precision - old.precision);
    now.shift = old.shift + damping * (now.shift - old.shift);
    factors_->sum_sites(part, now, precision, shift);
    factors_->sum_sites(part, old, old_precision, old_shift);
    // Changes of sites in units of the projection's standard deviation.
    const auto v = projections.variance.array();
    change.largest =
        std::max({change.largest, ((precision - old_precision).array().abs() * v).maxCoeff(),
                  ((shift - old_shift).array().abs() * v.sqrt()).maxCoeff()});
    const bool turned = directions_.size() > 0;
    const Matrix old_directions = turned ? directions_of(rows, chunk) : Matrix();
    for (Index k = 0; k < latents; ++k) {
      if (turned)
        next[k].add_sites(old_directions, -old_precision.col(k), -old_shift.col(k), ctx.threads);
      if (all_rows || turned)
        next[k].add_sites(chunk.v, precision.col(k), shift.col(k), ctx.threads);
      else
        next[k].add_sites(chunk.v, precision.col(k) - old_precision.col(k),
                          shift.col(k) - old_shift.col(k), ctx.threads);
    }
    changed.precision.middleCols(chunk.begin, chunk.size) = now.precision;
    changed.shift.middleCols(chunk.begin, chunk.size) = now.shift;
    ctx.check();
  }
  change.log_z = log_normalisers(ctx.threads) + static_cast<double>(factors_->rows()) /
                                                    static_cast<double>(rows.rows().size) *
                                                    sum_log_z;
  set_natural(std::move(next), ctx.threads);
  for (Index i = 0; i < rows.rows().size; ++i) {
    sites_.precision.col(rows.rows()[i]) = changed.precision.col(i);
    sites_.shift.col(rows.rows()[i]) = changed.shift.col(i);
  }
  if (directions_.size() > 0)
    for (Index c = 0; c < rows.chunks(); ++c) {
      const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
      Matrix turned = chunk.v;
      trsm(Side::left, Triangle::lower, Op::transposed, rows.inducing().factor(), turned);
      for (Index i = 0; i < chunk.size; ++i)
        directions_.col(rows.rows()[chunk.begin + i]) = turned.col(i);
    }
  ++updates_;
  return change;
}

double SparseEp::log_normalisers(int threads) const {
  double sum = 0.0;
  for (Index k = 0; k < factors_->latents(); ++k) {
    const double of_q = q_[k].log_normaliser;
    sum += of_q;
    if (schedule_ == Schedule::sep)
      sum += factors_->n_factors(k) * (cavity(k, threads).log_normaliser - of_q);
  }
  return sum;
}

void SparseEp::change_coordinates(const Inducing& from, const Inducing& to, int threads) {
  std::vector<NaturalFactor> natural = natural_;
  for (NaturalFactor& factor : natural)
    factor.change_coordinates(from.factor(), to.factor(), threads);
  set_natural(std::move(natural), threads);
}

void SparseEp::rebuild(WhitenedRows& rows, const Context& ctx) {
  std::vector<NaturalFactor> natural = uniform(factors_->latents(), natural_[0].r.size());
  Matrix precision, shift;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    factors_->sum_sites(rows.rows().part(chunk.begin, chunk.size), sites_of(rows.rows(), chunk),
                        precision, shift);
    for (Index k = 0; k < factors_->latents(); ++k)
      natural[k].add_sites(chunk.v, precision.col(k), shift.col(k), ctx.threads);
    ctx.check();
  }
  set_natural(std::move(natural), ctx.threads);
}

Projections cavities(const SparseEp& ep, WhitenedRows& rows, const Context& ctx) {
  Projections all, q, some;
  all.resize(rows.rows().size, ep.factors().latents());
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    ep.project(chunk, q);
    ep.factors().cavities(rows.rows().part(chunk.begin, chunk.size), q, chunk.s,
                          ep.sites_of(rows.rows(), chunk), some);
    all.mean.middleRows(chunk.begin, chunk.size) = some.mean;
    all.variance.middleRows(chunk.begin, chunk.size) = some.variance;
    ctx.check();
  }
  return all;
}

}  // namespace gpsieve
