#include "sparse_ep/converged_evidence.h"

#include <utility>

#include "sparse_ep/settle_ep.h"

namespace gpsieve {

ConvergedEvidence converged_evidence(const Kernel& kernel, const Factors& factors, Points x,
                                     const Matrix& inducing, double jitter, int max_passes,
                                     double tolerance, Sites start, bool gradient, bool by_inputs,
                                     const Context& ctx) {
  const Inducing prior(kernel, inducing, jitter, ctx.threads);
  WhitenedRows rows(prior, x, RowSet::range(0, x.cols()));
  SparseEp ep(Schedule::own, factors, prior.size(), false);
  if (start.precision.size() > 0) {
    ep.set_sites(std::move(start));
    ep.rebuild(rows, ctx);
  }
  ConvergedEvidence out;
  out.converged = settle(ep, rows, {max_passes, tolerance}, ctx);
  out.evidence = sparse_ep_evidence(
      ep, rows, 1.0, gradient ? GradientForm::paper : GradientForm::none, by_inputs, ctx);
  out.sites = ep.sites();
  return out;
}

}  // namespace gpsieve
