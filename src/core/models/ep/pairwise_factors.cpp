#include "models/ep/pairwise_factors.h"

#include <cmath>

#include "kernel/point_blocks.h"
#include "math/argmax_probability.h"
#include "math/normal.h"
#include "sparse_ep/site.h"

namespace gpsieve {
namespace {

// The factor Theta(f_y - f_k) under independent cavities: log Z = log Phi(z) with
// z = (mean_y - mean_k) / sqrt(c), and derivatives in mean_y (in mean_k: the slope's negative).
struct PairTilt {
  double log_z, slope, curvature;  // curvature = d^2 log Z / d mean^2, the same for both
};
PairTilt tilt(double difference, double c) {
  const normal::Site site = normal::site(difference / std::sqrt(c));
  return {site.log_cdf, site.r / std::sqrt(c), -site.q / c};
}

class PairwiseFactors final : public Factors {
 public:
  PairwiseFactors(const Indices& label, Index classes, double noise, VectorIn prior_mean)
      : label_(label), noise_(noise), prior_mean_(prior_mean), shares_(Vector::Zero(classes)) {
    for (const Index y : label)
      for (Index k = 0; k < classes; ++k)
        shares_[k] += k == y ? static_cast<double>(classes - 1) : 1.0;
  }

  Index rows() const override { return static_cast<Index>(label_.size()); }
  Index latents() const override { return shares_.size(); }
  Index slots() const override { return 2 * (latents() - 1); }
  double shares(Index latent) const override { return shares_[latent]; }
  double prior_mean(Index latent) const override { return prior_mean_[latent]; }
  bool log_concave() const override { return true; }

  void tied(const RowSet& rows, const Projections& cavity, VectorIn residual, int threads,
            RowMoments& out) const override {
    out.reset(rows.size, latents());
    require_finite(cavity.mean, cavity.variance, rows);
    parallel_blocks(threads, rows.size, kPointsPerBlock, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        each_pair(label_[rows[i]], [&](Index, Index y, Index k) {
          const Cavity of_y{cavity.mean(i, y), cavity.variance(i, y), true};
          const Cavity of_k{cavity.mean(i, k), cavity.variance(i, k), true};
          const PairTilt pair = tilt_pair(y, k, of_y, of_k, residual(i));
          out.energy(i) += pair.log_z;
          add_tied(i, y, of_y, {pair.log_z, pair.slope, pair.curvature}, out);
          add_tied(i, k, of_k, {pair.log_z, -pair.slope, pair.curvature}, out);
        });
    });
  }

  void own(const RowSet& rows, const Projections& q, const SiteProjections& site, VectorIn residual,
           int threads, Sites& sites, RowMoments& out) const override {
    out.reset(rows.size, latents());
    require_finite(q.mean, q.variance, rows);
    std::vector<Index> skipped(static_cast<std::size_t>(rows.size), 0);
    parallel_blocks(threads, rows.size, kPointsPerBlock, [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i)
        each_pair(label_[rows[i]], [&](Index slot, Index y, Index k) {
          const Cavity of_y = without(i, y, slot, q, site, sites);
          const Cavity of_k = without(i, k, slot + 1, q, site, sites);
          const PairTilt pair = tilt_pair(y, k, of_y, of_k, residual(i));
          out.energy(i) += pair.log_z;
          const bool proper = of_y.proper && of_k.proper;
          add_own(i, y, slot, of_y, {pair.log_z, pair.slope, pair.curvature}, proper, q, site,
                  sites, out);
          add_own(i, k, slot + 1, of_k, {pair.log_z, -pair.slope, pair.curvature}, proper, q, site,
                  sites, out);
          if (!proper) ++skipped[i];
        });
    });
    for (const Index each : skipped) out.skipped += each;
  }

  // All factors of a row that touch a latent function leave together.
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
      each_pair(label_[rows[i]], [&](Index slot, Index y, Index k) {
        precision(i, y) += sites.precision(slot, i);
        shift(i, y) += sites.shift(slot, i);
        precision(i, k) += sites.precision(slot + 1, i);
        shift(i, k) += sites.shift(slot + 1, i);
      });
  }

  double log_predictive(const RowSet& rows, const Projections& latent) const override {
    double sum = 0.0;
    for (Index i = 0; i < rows.size; ++i)
      sum += log_argmax_probability(label_[rows[i]], latent.mean.row(i).transpose(),
                                    latent.variance.row(i).transpose().array() + 0.5 * noise_);
    return sum;
  }

 private:
  // visit(first of the pair's two slots, y, k) for every other class k.
  template <class Visit>
  void each_pair(Index y, const Visit& visit) const {
    Index slot = 0;
    for (Index k = 0; k < latents(); ++k) {
      if (k == y) continue;
      visit(slot, y, k);
      slot += 2;
    }
  }

  PairTilt tilt_pair(Index y, Index k, const Cavity& of_y, const Cavity& of_k,
                     double residual) const {
    const double c = noise_ + 2.0 * residual + of_y.variance + of_k.variance;
    return tilt(of_y.mean + prior_mean_[y] - of_k.mean - prior_mean_[k], c);
  }

  static Cavity without(Index i, Index latent, Index slot, const Projections& q,
                        const SiteProjections& site, const Sites& sites) {
    return cavity_without(sites.precision(slot, i), sites.shift(slot, i), q.mean(i, latent),
                          q.variance(i, latent), site.along.mean(i, latent),
                          site.along.variance(i, latent), site.covariance(i, latent));
  }

  static void add_derivatives(Index i, Index latent, const Tilted& tilted, RowMoments& out) {
    out.slope(i, latent) += tilted.d1;
    out.gamma(i, latent) += 0.5 * (tilted.d1 * tilted.d1 + tilted.d2);
  }

  static void add_tied(Index i, Index latent, const Cavity& cavity, const Tilted& tilted,
                       RowMoments& out) {
    add_derivatives(i, latent, tilted, out);
    const Site site = match_moments(tilted, cavity.mean, cavity.variance);
    out.precision(i, latent) += site.precision;
    out.shift(i, latent) += site.shift;
  }

  static void add_own(Index i, Index latent, Index slot, const Cavity& cavity, const Tilted& tilted,
                      bool proper, const Projections& q, const SiteProjections& along, Sites& sites,
                      RowMoments& out) {
    add_derivatives(i, latent, tilted, out);
    const double tau = sites.precision(slot, i), nu = sites.shift(slot, i);
    const double variance = along.along.variance(i, latent), room = 1.0 - tau * variance;
    out.energy(i) -= log_expected_site(
        tau, nu, (along.along.mean(i, latent) - variance * nu) / room, variance / room);
    out.weight(i, latent) +=
        (tilted.d1 * (tau * q.mean(i, latent) - nu) + tilted.d1 * tilted.d1 + tilted.d2) /
        (1.0 - tau * q.variance(i, latent));
    if (proper) {
      const Site site = match_moments(tilted, cavity.mean, cavity.variance);
      sites.precision(slot, i) = site.precision;
      sites.shift(slot, i) = site.shift;
    }
    out.precision(i, latent) += sites.precision(slot, i);
    out.shift(i, latent) += sites.shift(slot, i);
  }

  Indices label_;
  double noise_;
  Vector prior_mean_, shares_;
};

}  // namespace

std::unique_ptr<Factors> pairwise_factors(const Indices& label, Index classes, double noise,
                                          VectorIn prior_mean) {
  return std::make_unique<PairwiseFactors>(label, classes, noise, prior_mean);
}

}  // namespace gpsieve
