#include "sparse_ep/weighted_factors.h"

#include <utility>

namespace gpsieve {
namespace {

// The copies of a row have one site in common. It is stored once, as the site of one copy, and so
// are the cavity and the tilted distribution, which leave out one copy; sums over the factors of a
// row count every copy.
class WeightedFactors final : public Factors {
 public:
  WeightedFactors(std::unique_ptr<Factors> factors, Vector weight)
      : single_(std::move(factors)), weight_(std::move(weight)) {
    n_factors_ = Vector::Zero(latents());
    for (Index k = 0; k < latents(); ++k)
      for (Index i = 0; i < rows(); ++i) n_factors_[k] += weight_[i] * single_->row_factors(i, k);
  }

  Index rows() const override { return single_->rows(); }
  void hold(Index first, MatrixIn y, Vector offset) override {
    single_->hold(first, y, std::move(offset));
  }
  Index latents() const override { return single_->latents(); }
  Index sites_per_row() const override { return single_->sites_per_row(); }
  double n_factors(Index latent) const override { return n_factors_[latent]; }
  double row_factors(Index row, Index latent) const override {
    return weight_[row] * single_->row_factors(row, latent);
  }
  double prior_mean(Index latent) const override { return single_->prior_mean(latent); }
  bool log_concave() const override { return single_->log_concave(); }
  bool gaussian() const override { return single_->gaussian(); }

  void sites_from_cavity(const RowSet& rows, const Projections& cavity, VectorIn residual,
                         int threads, RowMoments& out) const override {
    single_->sites_from_cavity(rows, cavity, residual, threads, out);
    count_copies(rows, out);
  }

  void update_sites(const RowSet& rows, const Projections& q, const SiteProjections& site,
                    VectorIn residual, int threads, Sites& sites, RowMoments& out) const override {
    single_->update_sites(rows, q, site, residual, threads, sites, out);
    count_copies(rows, out);
  }

  void cavities(const RowSet& rows, const Projections& q, VectorIn residual, const Sites& sites,
                Projections& out) const override {
    single_->cavities(rows, q, residual, sites, out);
  }

  void sum_sites(const RowSet& rows, const Sites& sites, Matrix& precision,
                 Matrix& shift) const override {
    single_->sum_sites(rows, sites, precision, shift);
    const Vector w = weights_of(rows);
    precision.array().colwise() *= w.array();
    shift.array().colwise() *= w.array();
  }

  double log_predictive(const RowSet& rows, const Projections& latent) const override {
    double sum = 0.0;
    Projections own;
    for (Index i = 0; i < rows.size; ++i) {
      own.mean = latent.mean.row(i);
      own.variance = latent.variance.row(i);
      sum += weight_[rows[i]] * single_->log_predictive(rows.part(i, 1), own);
    }
    return sum;
  }

  Index n_params() const override { return single_->n_params(); }
  Vector params() const override { return single_->params(); }
  void set_params(VectorIn log_params) override { single_->set_params(log_params); }

 private:
  Vector weights_of(const RowSet& rows) const {
    Vector w(rows.size);
    for (Index i = 0; i < rows.size; ++i) w[i] = weight_[rows[i]];
    return w;
  }

  void count_copies(const RowSet& rows, RowMoments& out) const {
    const Vector w = weights_of(rows);
    for (Matrix* each : {&out.precision, &out.shift, &out.slope, &out.gamma, &out.weight})
      each->array().colwise() *= w.array();
    out.log_z = out.log_z.cwiseProduct(w);
    if (out.parameters.size() > 0) out.parameters.array().rowwise() *= w.transpose().array();
  }

  std::unique_ptr<Factors> single_;
  Vector weight_, n_factors_;
};

}  // namespace

std::unique_ptr<Factors> weighted_factors(std::unique_ptr<Factors> factors, Vector weight) {
  if (weight.size() == 0) return factors;
  return std::make_unique<WeightedFactors>(std::move(factors), std::move(weight));
}

}  // namespace gpsieve
