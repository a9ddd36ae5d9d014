#include "sparse_ep/likelihood_factors.h"

#include <cmath>
#include <optional>
#include <utility>

#include "base/error.h"
#include "kernel/point_blocks.h"
#include "likelihood/powered.h"
#include "sparse_ep/site.h"
#include "sparse_ep/weighted_factors.h"

namespace gpsieve {
namespace {

class LikelihoodFactors final : public Factors {
 public:
  LikelihoodFactors(const Likelihood& likelihood, Index rows, VectorIn prior_mean)
      : likelihood_(&likelihood), power_(1.0), rows_(rows), prior_mean_(prior_mean) {}
  LikelihoodFactors(const LikelihoodMaker& likelihood, double power, Index rows,
                    VectorIn prior_mean)
      : owned_(powered(likelihood, power)),
        likelihood_(owned_.get()),
        power_(power),
        rows_(rows),
        prior_mean_(prior_mean) {}

  void hold(Index first, MatrixIn y, Vector offset) override {
    if (y.cols() != latents() * likelihood_->columns())
      throw InvalidSpec("the response has not as many columns as the likelihood");
    if (offset.size() > 0 && offset.size() != y.rows())
      throw InvalidSpec("the offsets do not fit the rows");
    first_ = first;
    y_.emplace(y);
    offset_ = std::move(offset);
  }
  Index rows() const override { return rows_; }
  Index latents() const override { return prior_mean_.size(); }
  Index sites_per_row() const override { return latents(); }
  double n_factors(Index) const override { return static_cast<double>(rows_) / power_; }
  double row_factors(Index, Index) const override { return 1.0 / power_; }
  double prior_mean(Index latent) const override { return prior_mean_[latent]; }
  bool log_concave() const override { return likelihood_->log_concave(); }
  bool gaussian() const override { return likelihood_->gaussian(); }

  void sites_from_cavity(const RowSet& rows, const Projections& cavity, VectorIn residual,
                         int threads, RowMoments& out) const override {
    start(rows, out);
    over_blocks(rows, threads, out, [&](Index begin, Index end, Index k, Tilt& tilt) {
      for (Index i = begin; i < end; ++i)
        tilt.cavity(i - begin) = {cavity.mean(i, k), cavity.variance(i, k), true};
      evaluate(rows, begin, end, k, residual, tilt, out);
      for (Index i = begin; i < end; ++i) {
        const Moments at = tilt.at(i - begin);
        out.log_z(i) += at.tilted.log_z / power_;
        if (at.proper) {
          out.precision(i, k) = at.site.precision / power_;
          out.shift(i, k) = at.site.shift / power_;
        }
      }
    });
  }

  void update_sites(const RowSet& rows, const Projections& q, const SiteProjections& site,
                    VectorIn residual, int threads, Sites& sites, RowMoments& out) const override {
    start(rows, out);
    over_blocks(rows, threads, out, [&](Index begin, Index end, Index k, Tilt& tilt) {
      for (Index i = begin; i < end; ++i)
        tilt.cavity(i - begin) =
            cavity_without(power_ * sites.precision(k, i), power_ * sites.shift(k, i), q.mean(i, k),
                           q.variance(i, k), site.marginals.mean(i, k),
                           site.marginals.variance(i, k), site.covariance(i, k));
      evaluate(rows, begin, end, k, residual, tilt, out);
      for (Index i = begin; i < end; ++i) {
        const Moments at = tilt.at(i - begin);
        const double tau = power_ * sites.precision(k, i), nu = power_ * sites.shift(k, i);
        const double mean = site.marginals.mean(i, k), variance = site.marginals.variance(i, k);
        if (tilt.cavity(i - begin).proper) {
          const double room = 1.0 - tau * variance;
          out.log_z(i) +=
              (at.tilted.log_z -
               log_expected_site(tau, nu, (mean - variance * nu) / room, variance / room)) /
              power_;
          out.weight(i, k) = (out.slope(i, k) * (tau * q.mean(i, k) - nu) + 2.0 * out.gamma(i, k)) /
                             (1.0 - tau * q.variance(i, k));
        } else if (gaussian()) {
          out.log_z(i) += (expected_log_factor(rows[i], i, k, q, residual, at, out) -
                           (nu * mean - 0.5 * tau * (mean * mean + variance))) /
                          power_;
        } else {
          // The site has stayed and the tilted moments are those of q.
          out.log_z(i) += (at.tilted.log_z - log_expected_site(tau, nu, mean, variance)) / power_;
          out.weight(i, k) = 2.0 * out.gamma(i, k);
        }
        if (at.proper) {
          sites.precision(k, i) = at.site.precision / power_;
          sites.shift(k, i) = at.site.shift / power_;
        }
        out.precision(i, k) = sites.precision(k, i);
        out.shift(i, k) = sites.shift(k, i);
      }
    });
  }

  void cavities(const RowSet& rows, const Projections& q, VectorIn residual, const Sites& sites,
                Projections& out) const override {
    out.resize(q.mean.rows(), latents());
    for (Index k = 0; k < latents(); ++k)
      for (Index i = 0; i < q.mean.rows(); ++i) {
        const double v = q.variance(i, k);
        const Cavity cavity = cavity_without(sites.precision(k, i), sites.shift(k, i), q.mean(i, k),
                                             v, q.mean(i, k), v, v);
        out.mean(i, k) = cavity.mean + prior_mean_[k] + offset(rows[i]);
        out.variance(i, k) = cavity.variance + residual(i);
      }
  }

  void sum_sites(const RowSet&, const Sites& sites, Matrix& precision,
                 Matrix& shift) const override {
    precision = sites.precision.transpose();
    shift = sites.shift.transpose();
  }

  double log_predictive(const RowSet& rows, const Projections& latent) const override {
    double sum = 0.0;
    for (Index k = 0; k < latents(); ++k)
      for (Index i = 0; i < rows.size; ++i)
        sum += likelihood_
                   ->tilted(response(rows[i], k), latent.mean(i, k) + offset(rows[i]),
                            latent.variance(i, k))
                   .log_z;
    return sum;
  }

  Index n_params() const override { return likelihood_->n_params(); }
  Vector params() const override { return likelihood_->params(); }
  void set_params(VectorIn log_params) override {
    if (owned_) owned_->set_params(log_params);
  }

 private:
  Observed response(Index row, Index k) const {
    const Index columns = likelihood_->columns();
    return observed(y_->middleCols(k * columns, columns), row - first_);
  }

  struct Moments {
    Tilted tilted;
    Site site;
    bool proper;
  };
  // Cavities and tilted moments of one block of rows.
  struct Tilt {
    Tilt(Index size, Index columns)
        : cavities(size),
          y(size, columns),
          mean(size),
          variance(size),
          log_z(size),
          d1(size),
          d2(size),
          proper(size) {}
    Cavity& cavity(Index i) { return cavities[i]; }
    Moments at(Index i) const {
      const Tilted tilted{log_z[i], d1[i], d2[i]};
      return {tilted, match_moments(tilted, cavities[i].mean, cavities[i].variance),
              proper[i] != 0};
    }
    std::vector<Cavity> cavities;
    Matrix y;
    Vector mean, variance, log_z, d1, d2;
    std::vector<char> proper;
  };

  // The expectation under q of the log of a Gaussian factor, of which no cavity is needed, and its
  // derivatives: theory.md (19b). It is the log density of a response whose squared error is the
  // expected one.
  double expected_log_factor(Index row, Index i, Index k, const Projections& q, VectorIn residual,
                             const Moments& at, RowMoments& out) const {
    const double precision = at.site.precision;
    const double error = at.site.shift / precision - q.mean(i, k);
    const double expected = std::sqrt(error * error + q.variance(i, k));
    const double mean = q.mean(i, k) + prior_mean_[k] + offset(row) + error - expected;
    const Tilted factor = likelihood_->tilted(response(row, k), mean, residual(i));
    out.slope(i, k) = precision * error / power_;
    out.gamma(i, k) = 0.5 * (factor.d1 * factor.d1 + factor.d2) / power_;
    out.weight(i, k) = -precision / power_;
    if (out.want_parameters && n_params() > 0) {
      // evaluate() has added the gradient of the tilted density under q, which this one replaces.
      // The log factor is linear in f but for its square, which the parameters of a warped response
      // do not multiply: their gradient is that at the mean of q.
      const double variance = q.variance(i, k) + residual(i);
      const double mean_of_q = q.mean(i, k) + prior_mean_[k] + offset(row);
      const Observed y = response(row, k);
      Vector expected_gradient = parameter_gradient(y, mean_of_q, residual(i));
      expected_gradient[0] = parameter_gradient(y, mean, residual(i))[0];
      out.parameters.col(i) +=
          (expected_gradient - parameter_gradient(y, mean_of_q, variance)) / power_;
    }
    return factor.log_z;
  }

  Vector parameter_gradient(const Observed& y, double mean, double variance) const {
    Vector each(n_params());
    likelihood_->tilted_gradient(y, mean, variance, each);
    return each;
  }

  double offset(Index row) const { return offset_.size() > 0 ? offset_[row - first_] : 0.0; }

  void start(const RowSet& rows, RowMoments& out) const {
    out.reset(rows.size, latents());
    if (out.want_parameters) out.parameters.setZero(n_params(), rows.size);
  }

  // body(begin, end, latent, work space) on blocks of rows; threads work on different blocks.
  template <class Body>
  void over_blocks(const RowSet& rows, int threads, RowMoments& out, const Body& body) const {
    const Index blocks = (rows.size + kPointsPerBlock - 1) / kPointsPerBlock;
    std::vector<Index> skipped(static_cast<std::size_t>(blocks), 0);
    parallel_blocks(threads, rows.size, kPointsPerBlock, [&](Index begin, Index end) {
      Tilt tilt(end - begin, likelihood_->columns());
      for (Index k = 0; k < latents(); ++k) {
        body(begin, end, k, tilt);
        for (const char proper : tilt.proper) skipped[begin / kPointsPerBlock] += proper ? 0 : 1;
      }
    });
    for (const Index each : skipped) out.skipped += each;
  }

  // Tilted moments of f_i from the cavities of the projections, which it shifts by the prior mean
  // and widens by the residual variance.
  void evaluate(const RowSet& rows, Index begin, Index end, Index k, VectorIn residual, Tilt& tilt,
                RowMoments& out) const {
    for (Index c = 0; c < tilt.y.cols(); ++c)
      for (Index i = begin; i < end; ++i)
        tilt.y(i - begin, c) = (*y_)(rows[i] - first_, k * tilt.y.cols() + c);
    for (Index i = begin; i < end; ++i) {
      const Index j = i - begin;
      tilt.mean(j) = tilt.cavities[j].mean + prior_mean_[k] + offset(rows[i]);
      tilt.variance(j) = tilt.cavities[j].variance + residual(i);
    }
    require_finite(tilt.mean, tilt.variance, rows.part(begin, end - begin));
    likelihood_->tilted(tilt.y, tilt.mean, tilt.variance, tilt.log_z, tilt.d1, tilt.d2);
    for (Index i = begin; i < end; ++i) {
      const Index j = i - begin;
      out.slope(i, k) = tilt.d1(j) / power_;
      out.gamma(i, k) = 0.5 * (tilt.d1(j) * tilt.d1(j) + tilt.d2(j)) / power_;
      const Site site = tilt.at(j).site;
      tilt.proper[j] = (tilt.cavities[j].proper || gaussian()) &&
                       -tilt.d2(j) * tilt.cavities[j].variance < 1.0 &&
                       std::isfinite(site.precision) && std::isfinite(site.shift);
      if (out.want_parameters && n_params() > 0) {
        out.parameters.col(i) +=
            parameter_gradient(observed(tilt.y, j), tilt.mean(j), tilt.variance(j)) / power_;
      }
    }
  }

  std::unique_ptr<Likelihood> owned_;
  const Likelihood* likelihood_;
  double power_;
  Index rows_, first_ = 0;
  Vector prior_mean_;                          // of each latent function
  std::optional<Eigen::Ref<const Matrix>> y_;  // of the rows from first_ on, as the next one
  Vector offset_;
};

}  // namespace

std::unique_ptr<Factors> likelihood_factors(const Likelihood& likelihood, MatrixIn y,
                                            VectorIn prior_mean, const CaseTerms& cases) {
  require_cases(cases, y.rows());
  auto factors = std::make_unique<LikelihoodFactors>(likelihood, y.rows(), prior_mean);
  factors->hold(0, y, cases.offset);
  return weighted_factors(std::move(factors), cases.weight);
}

std::unique_ptr<Factors> likelihood_factors(const LikelihoodMaker& likelihood, double power,
                                            MatrixIn y, VectorIn prior_mean,
                                            const CaseTerms& cases) {
  require_cases(cases, y.rows());
  auto factors = std::make_unique<LikelihoodFactors>(likelihood, power, y.rows(), prior_mean);
  factors->hold(0, y, cases.offset);
  return weighted_factors(std::move(factors), cases.weight);
}

std::unique_ptr<Factors> likelihood_factors(const LikelihoodMaker& likelihood, double power,
                                            Index rows, VectorIn prior_mean) {
  return std::make_unique<LikelihoodFactors>(likelihood, power, rows, prior_mean);
}

}  // namespace gpsieve
