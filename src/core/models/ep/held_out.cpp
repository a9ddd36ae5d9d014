#include "models/ep/held_out.h"

namespace gpsieve {
namespace {

constexpr double kLeastImprovement = 1e-4;

}  // namespace

double held_out_loss(const HeldOut& held_out, const Factors& learned, const SparseEp& ep,
                     const Inducing& inducing, const Context& ctx) {
  held_out.factors->set_params(learned.params());
  const Index n = held_out.x.cols();
  WhitenedRows rows(inducing, held_out.x, RowSet::range(0, n));
  double sum = 0.0;
  Projections latent;
  for (Index c = 0; c < rows.chunks(); ++c) {
    const WhitenedRows::Chunk& chunk = rows.chunk(c, ctx);
    ep.project(chunk, ctx.threads, latent);
    for (Index k = 0; k < learned.latents(); ++k) {
      latent.mean.col(k).array() += learned.prior_mean(k);
      latent.variance.col(k) += chunk.s;
    }
    sum += held_out.factors->log_predictive(RowSet::range(chunk.begin, chunk.size), latent);
  }
  return -sum / (held_out.weight > 0.0 ? held_out.weight : static_cast<double>(n));
}

bool EarlyStopping::improves(double loss, Index iteration) {
  if (best_iteration_ > 0 && !(loss < least_ - kLeastImprovement)) return false;
  least_ = loss;
  best_iteration_ = iteration;
  return true;
}

}  // namespace gpsieve
