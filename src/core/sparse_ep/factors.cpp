#include "sparse_ep/factors.h"

#include <cmath>

#include "base/error.h"

namespace gpsieve {
namespace {

// A cavity that keeps no more than this share of the precision of q is improper.
constexpr double kImproperCavity = 1e-10;

}  // namespace

void project_all(const std::vector<WhitenedPosterior>& gaussians, const Matrix& v, int threads,
                 Projections& out) {
  const Index latents = static_cast<Index>(gaussians.size());
  out.resize(v.cols(), latents);
  for_each_latent(latents, threads, [&](Index k, int own) {
    Matrix solved;
    gaussians[k].project(v, solved, out.mean.col(k), out.variance.col(k), own);
  });
}

Cavity cavity_without(double precision, double shift, double mean, double variance,
                      double site_mean, double site_variance, double covariance) {
  const double room = 1.0 - precision * site_variance;
  if (!(room > kImproperCavity)) return {mean, variance, false};
  const double gain = precision / room;
  const double reduced = variance + covariance * covariance * gain;
  return {mean + (covariance + site_variance * covariance * gain) * (precision * site_mean - shift),
          reduced, reduced >= 0.0};
}

double log_expected_site(double precision, double shift, double mean, double variance) {
  const double spread = 1.0 + precision * variance;
  return (shift * mean + 0.5 * shift * shift * variance - 0.5 * precision * mean * mean) / spread -
         0.5 * std::log(spread);
}

void require_finite(MatrixIn mean, MatrixIn variance, const RowSet& rows) {
  if (mean.allFinite() && variance.allFinite()) return;
  for (Index i = 0; i < mean.rows(); ++i)
    if (!mean.row(i).allFinite() || !variance.row(i).allFinite())
      throw NumericalFailure("the kernel or its variance is not finite at row " +
                             std::to_string(rows[i] + 1));
}

}  // namespace gpsieve
