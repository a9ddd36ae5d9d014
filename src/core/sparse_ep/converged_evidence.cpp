#include "sparse_ep/converged_evidence.h"

#include <utility>

namespace gpsieve {

ConvergedEvidence converged_evidence(const Kernel& kernel, const Factors& factors, Points x,
                                     const Matrix& inducing, double jitter,
                                     const ConvergenceOptions& convergence, Sites initial,
                                     bool gradient, bool by_inputs, const Context& ctx) {
  const Inducing prior(kernel, inducing, jitter, ctx.threads);
  WhitenedRows rows(prior, x, RowSet::range(0, x.cols()));
  SparseEp ep(Schedule::ep, factors, prior.size(), false);
  if (initial.precision.size() > 0) {
    ep.set_sites(std::move(initial));
    ep.rebuild(rows, ctx);
  }
  ConvergedEvidence out;
  out.converged = run_to_convergence(ep, rows, convergence, ctx);
  out.evidence = sparse_ep_evidence(
      ep, rows, 1.0, gradient ? GradientForm::fixed_point : GradientForm::none, by_inputs, ctx);
  out.sites = ep.sites();
  return out;
}

}  // namespace gpsieve
