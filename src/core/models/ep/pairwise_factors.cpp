#include "models/ep/pairwise_factors.h"

#include <cmath>

#include "base/parallel.h"
#include "math/argmax_probability.h"
#include "math/normal.h"
#include "sparse_ep/site.h"
#include "sparse_ep/weighted_factors.h"

namespace gpsieve {
namespace {

// Rows that one thread evaluates together: a row has a factor for every other class.
constexpr Index kRowsPerBlock = 32;

// The factor of row `row` for classes y, its own, and k, whose sites are `site` and `site + 1`:
// their cavities, mean_y - mean_k and the variance c under the root of theory.md (7).
struct Pair {
  Index row, site, y, k;
  Cavity of_y, of_k;
  double difference, c;
};

// What one of a pair's two sites, of the latent function `latent`, is computed from.
struct SiteOfPair {
  Index row, latent, site;
  const Cavity& cavity;
  Tilted tilted;
};

// log Z of theory.md (7) with its derivatives by mean_y and by mean_k.
struct PairTilt {
  double log_z, slope, curvature;

  Tilted by_y() const { return {log_z, slope, curvature}; }
  Tilted by_k() const { return {log_z, -slope, curvature}; }
};

// Factors whose probit sites are computed together.
class PairBlock {
 public:
  bool full() const { return count_ == normal::SiteBlock::kSize; }
  void add(const Pair& pair) {
    pairs_[count_] = pair;
    sites_.z[count_++] = pair.difference / std::sqrt(pair.c);
  }
  // use(pair, its moments) in the order of add(); then the block is empty.
  template <class Use>
  void flush(const Use& use) {
    sites_.evaluate(count_);
    for (Index i = 0; i < count_; ++i) {
      const double c = pairs_[i].c;
      use(pairs_[i], PairTilt{sites_.log_cdf[i], sites_.r[i] / std::sqrt(c), -sites_.q[i] / c});
    }
    count_ = 0;
  }

 private:
  Pair pairs_[normal::SiteBlock::kSize];
  normal::SiteBlock sites_;
  Index count_ = 0;
};

class PairwiseFactors final : public Factors {
 public:
  PairwiseFactors(VectorIn class_rows, double noise, VectorIn prior_mean)
      : noise_(noise), prior_mean_(prior_mean) {
    const double classes = static_cast<double>(class_rows.size());
    rows_ = static_cast<Index>(class_rows.sum());
    n_factors_ = (classes - 2.0) * class_rows.array() + class_rows.sum();
  }

  void hold(Index first, MatrixIn y, Vector offset) override {
    if (offset.size() > 0) throw InvalidSpec("the joint model of several classes has no offsets");
    Indices label(static_cast<std::size_t>(y.rows()));
    for (Index i = 0; i < y.rows(); ++i) y.row(i).maxCoeff(&label[i]);
    hold(first, std::move(label));
  }
  void hold(Index first, Indices label) {
    first_ = first;
    label_ = std::move(label);
  }
  Index rows() const override { return rows_; }
  Index latents() const override { return n_factors_.size(); }
  Index sites_per_row() const override { return 2 * (latents() - 1); }
  double n_factors(Index latent) const override { return n_factors_[latent]; }
  double row_factors(Index row, Index latent) const override {
    return latent == label(row) ? static_cast<double>(latents() - 1) : 1.0;
  }
  double prior_mean(Index latent) const override { return prior_mean_[latent]; }
  bool log_concave() const override { return true; }

  void sites_from_cavity(const RowSet& rows, const Projections& cavity, VectorIn residual,
                         int threads, RowMoments& out) const override {
    out.reset(rows.size, latents());
    require_finite(cavity.mean, cavity.variance, rows);
    const auto given = [&](Index i, Index latent, Index) {
      return Cavity{cavity.mean(i, latent), cavity.variance(i, latent), true};
    };
    for_pairs(rows, residual, threads, given, [&](const Pair& pair, const PairTilt& tilt) {
      out.log_z(pair.row) += tilt.log_z;
      add_site(of_y(pair, tilt), out);
      add_site(of_k(pair, tilt), out);
    });
  }

  void update_sites(const RowSet& rows, const Projections& q, const SiteProjections& site,
                    VectorIn residual, int threads, Sites& sites, RowMoments& out) const override {
    out.reset(rows.size, latents());
    require_finite(q.mean, q.variance, rows);
    std::vector<Index> skipped(static_cast<std::size_t>(rows.size), 0);
    const auto others = [&](Index i, Index latent, Index j) {
      return without(i, latent, j, q, site, sites);
    };
    for_pairs(rows, residual, threads, others, [&](const Pair& pair, const PairTilt& tilt) {
      out.log_z(pair.row) += tilt.log_z;
      const bool proper = pair.of_y.proper && pair.of_k.proper;
      replace_site(of_y(pair, tilt), proper, q, site, sites, out);
      replace_site(of_k(pair, tilt), proper, q, site, sites, out);
      if (!proper) ++skipped[pair.row];
    });
    for (const Index each : skipped) out.skipped += each;
  }

  // All sites of a row that belong to a latent function are removed together.
  void cavities(const RowSet& rows, const Projections& q, VectorIn residual, const Sites& sites,
                Projections& out) const override {
    Matrix tau, nu;
    sum_sites(rows, sites, tau, nu);
    out.resize(rows.size, latents());
    for (Index k = 0; k < latents(); ++k)
      for (Index i = 0; i < rows.size; ++i) {
        const double v = q.variance(i, k);
        const Cavity cavity =
            cavity_without(tau(i, k), nu(i, k), q.mean(i, k), v, q.mean(i, k), v, v);
        out.mean(i, k) = cavity.mean + prior_mean_[k];
        out.variance(i, k) = cavity.variance + residual(i);
      }
  }

  void sum_sites(const RowSet& rows, const Sites& sites, Matrix& precision,
                 Matrix& shift) const override {
    precision.setZero(rows.size, latents());
    shift.setZero(rows.size, latents());
    for (Index i = 0; i < rows.size; ++i)
      each_pair(label(rows[i]), [&](Index j, Index y, Index k) {
        precision(i, y) += sites.precision(j, i);
        shift(i, y) += sites.shift(j, i);
        precision(i, k) += sites.precision(j + 1, i);
        shift(i, k) += sites.shift(j + 1, i);
      });
  }

  double log_predictive(const RowSet& rows, const Projections& latent) const override {
    double sum = 0.0;
    for (Index i = 0; i < rows.size; ++i)
      sum += log_argmax_probability(label(rows[i]), latent.mean.row(i).transpose(),
                                    latent.variance.row(i).transpose().array() + 0.5 * noise_);
    return sum;
  }

 private:
  // visit(position of the pair's first site, y, k) for every class k other than y.
  template <class Visit>
  void each_pair(Index y, const Visit& visit) const {
    Index j = 0;
    for (Index k = 0; k < latents(); ++k) {
      if (k == y) continue;
      visit(j, y, k);
      j += 2;
    }
  }

  // use(pair, its moments) for every factor of the rows, with the cavities
  // cavity(row, latent function, site); threads work on different rows.
  template <class CavityOf, class Use>
  void for_pairs(const RowSet& rows, VectorIn residual, int threads, const CavityOf& cavity,
                 const Use& use) const {
    parallel_blocks(threads, rows.size, kRowsPerBlock, [&](Index begin, Index end) {
      PairBlock block;
      for (Index i = begin; i < end; ++i)
        each_pair(label(rows[i]), [&](Index j, Index y, Index k) {
          const Cavity of_y = cavity(i, y, j), of_k = cavity(i, k, j + 1);
          block.add({i, j, y, k, of_y, of_k,
                     of_y.mean + prior_mean_[y] - of_k.mean - prior_mean_[k],
                     noise_ + 2.0 * residual(i) + of_y.variance + of_k.variance});
          if (block.full()) block.flush(use);
        });
      block.flush(use);
    });
  }

  static Cavity without(Index i, Index latent, Index j, const Projections& q,
                        const SiteProjections& site, const Sites& sites) {
    return cavity_without(sites.precision(j, i), sites.shift(j, i), q.mean(i, latent),
                          q.variance(i, latent), site.marginals.mean(i, latent),
                          site.marginals.variance(i, latent), site.covariance(i, latent));
  }

  static SiteOfPair of_y(const Pair& pair, const PairTilt& tilt) {
    return {pair.row, pair.y, pair.site, pair.of_y, tilt.by_y()};
  }
  static SiteOfPair of_k(const Pair& pair, const PairTilt& tilt) {
    return {pair.row, pair.k, pair.site + 1, pair.of_k, tilt.by_k()};
  }

  static void add_derivatives(const SiteOfPair& at, RowMoments& out) {
    const Tilted& tilted = at.tilted;
    out.slope(at.row, at.latent) += tilted.d1;
    out.gamma(at.row, at.latent) += 0.5 * (tilted.d1 * tilted.d1 + tilted.d2);
  }

  static void add_site(const SiteOfPair& at, RowMoments& out) {
    add_derivatives(at, out);
    const Site site = match_moments(at.tilted, at.cavity.mean, at.cavity.variance);
    out.precision(at.row, at.latent) += site.precision;
    out.shift(at.row, at.latent) += site.shift;
  }

  static void replace_site(const SiteOfPair& at, bool proper, const Projections& q,
                           const SiteProjections& of_sites, Sites& sites, RowMoments& out) {
    const auto& [i, latent, j, cavity, tilted] = at;
    add_derivatives(at, out);
    const double tau = sites.precision(j, i), nu = sites.shift(j, i);
    const double variance = of_sites.marginals.variance(i, latent), room = 1.0 - tau * variance;
    out.log_z(i) -= log_expected_site(
        tau, nu, (of_sites.marginals.mean(i, latent) - variance * nu) / room, variance / room);
    out.weight(i, latent) +=
        (tilted.d1 * (tau * q.mean(i, latent) - nu) + tilted.d1 * tilted.d1 + tilted.d2) /
        (1.0 - tau * q.variance(i, latent));
    if (proper) {
      const Site site = match_moments(tilted, cavity.mean, cavity.variance);
      sites.precision(j, i) = site.precision;
      sites.shift(j, i) = site.shift;
    }
    out.precision(i, latent) += sites.precision(j, i);
    out.shift(i, latent) += sites.shift(j, i);
  }

  Index label(Index row) const { return label_[static_cast<std::size_t>(row - first_)]; }

  Index rows_, first_ = 0;
  Indices label_;  // of the rows from first_ on
  double noise_;
  Vector prior_mean_, n_factors_;
};

}  // namespace

std::unique_ptr<Factors> pairwise_factors(const Indices& label, Index classes, double noise,
                                          VectorIn prior_mean, Vector weight) {
  Vector class_rows = Vector::Zero(classes);
  for (const Index y : label) class_rows[y] += 1.0;
  auto factors = std::make_unique<PairwiseFactors>(class_rows, noise, prior_mean);
  factors->hold(0, label);
  return weighted_factors(std::move(factors), std::move(weight));
}

std::unique_ptr<Factors> pairwise_factors(VectorIn class_rows, double noise, VectorIn prior_mean) {
  return std::make_unique<PairwiseFactors>(class_rows, noise, prior_mean);
}

}  // namespace gpsieve
