#include "models/ivm/refinement.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/chosen_rows.h"
#include "sparse_ep/likelihood_factors.h"
#include "sparse_ep/run_to_convergence.h"

namespace gpsieve {
namespace {

// Active points differ from each other, so that K_uu is well conditioned and needs little jitter.
// With a larger one the refined machine with all rows active would not be dense EP.
constexpr double kRefinementJitter = 1e-10;
// theory.md#refinement
constexpr int kFullPasses = 2, kFullPassesFromUniform = 3;
constexpr double kTurnedDamping = 0.5;
// The sites have settled where no change is greater.
constexpr double kSettled = 0.002;

// The sites of the selection: those of the active rows, for one of the copies that a case weight
// stands for, and uniform ones elsewhere.
Sites sites_of_selection(const LatentFit& fit, const CaseTerms& cases, Index rows) {
  Sites sites = Sites::uniform(1, rows);
  const Vector weight = cases.weights(rows);
  for (Index k = 0; k < fit.site_precision.size(); ++k) {
    const Index row = fit.posterior.basis[k];
    const double precision = fit.site_precision(k) / weight(row);
    sites.precision(0, row) = precision;
    sites.shift(0, row) = precision * fit.site_mean(k);
  }
  return sites;
}

// theory.md#refinement: rows without a proper site become inducing points too, drawn at random,
// until there are so many of them; the sites remain those of the selection.
void fill_basis(LatentFit& fit, Index size, Index rows, Rng rng) {
  Indices& basis = fit.posterior.basis;
  const Index active = static_cast<Index>(basis.size());
  if (active >= size) return;
  std::vector<char> chosen(rows, 0);
  for (const Index row : basis) chosen[row] = 1;
  Indices others;
  for (Index row = 0; row < rows; ++row)
    if (!chosen[row]) others.push_back(row);
  rng.shuffle_front(others, size - active);
  fit.site_rows = basis;
  basis.insert(basis.end(), others.begin(), others.begin() + (size - active));
}

}  // namespace

bool refine(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y,
            const CaseTerms& cases, const IvmOptions& options, Rng rng, LatentFit& fit,
            const Context& ctx) {
  if (options.refine > 0 && !likelihood.log_concave())
    fill_basis(fit, options.n_active, y.rows(), rng);
  ConvergenceOptions passes;
  passes.max_passes = likelihood.gaussian() ? std::min(options.refine, 1) : options.refine;
  const bool from_selection = likelihood.log_concave() && !likelihood.gaussian();
  passes.full_passes = from_selection ? kFullPasses : kFullPassesFromUniform;
  passes.turned_damping = kTurnedDamping;
  const Index active = static_cast<Index>(fit.posterior.basis.size());
  const bool exact = likelihood.gaussian() && active == kernel.size();
  if (passes.max_passes < 1 || active == 0 || (exact && !options.cavities)) return true;
  const double prior_mean = fit.posterior.prior_mean;
  const Inducing inducing(kernel.kernel(), chosen_columns(kernel.points(), fit.posterior.basis),
                          kRefinementJitter, ctx.threads);
  WhitenedRows rows(inducing, kernel.points(), RowSet::range(0, y.rows()));
  const auto factors = likelihood_factors(likelihood, y, Vector::Constant(1, prior_mean), cases);
  const auto begin = [&] {
    SparseEp ep(Schedule::ep, *factors, inducing.size(), false);
    if (from_selection) {
      WhitenedRows chosen(inducing, kernel.points(), RowSet::listed(fit.posterior.basis));
      ep.set_sites(sites_of_selection(fit, cases, y.rows()));
      ep.rebuild(chosen, ctx);
    }
    return ep;
  };
  SparseEp ep = begin();
  const double change = run_to_convergence(ep, rows, passes, ctx).change;
  const bool done = likelihood.gaussian() || change <= kSettled;
  if (!done && !(change <= kRunsAway)) ep = begin();
  const bool settled =
      done || settle(ep, rows, {options.settle, kSettled, options.settle_log_z}, ctx);
  Indices basis = std::move(fit.posterior.basis);
  fit.posterior = inducing.posterior(ep.q(0), prior_mean);
  fit.posterior.basis = std::move(basis);
  if (likelihood.response() == Response::binary || options.cavities) {
    const Projections cavity = site_table(ep, rows, ctx).cavity;
    fit.cavity_mean = cavity.mean.col(0);
    fit.cavity_variance = cavity.variance.col(0);
  }
  return settled;
}

}  // namespace gpsieve
