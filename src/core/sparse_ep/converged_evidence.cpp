#include "sparse_ep/converged_evidence.h"

#include <utility>

namespace gpsieve {

ConvergedEvidence converged_evidence(const Kernel& kernel, const Factors& factors, Points x,
                                     const Matrix& inducing, const ConvergedOptions& options,
                                     Sites initial, const Context& ctx) {
  const Inducing prior(kernel, inducing, options.jitter, ctx.threads, options.gradient);
  WhitenedRows rows(prior, x, RowSet::range(0, x.cols()));
  SparseEp ep(Schedule::ep, factors, prior.size(), false);
  if (initial.precision.size() > 0) {
    ep.set_sites(std::move(initial));
    ep.rebuild(rows, ctx);
  }
  ConvergedEvidence out;
  out.converged = run_to_convergence(ep, rows, options.convergence, ctx).reached;
  const GradientForm form = options.gradient ? GradientForm::fixed_point : GradientForm::none;
  out.evidence = sparse_ep_evidence(ep, rows, 1.0, form, options.by_inputs, ctx);
  out.sites = ep.sites();
  return out;
}

}  // namespace gpsieve
