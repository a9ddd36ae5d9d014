#include "models/meanfield/iterative_sites.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "kernel/point_blocks.h"
#include "models/meanfield/meanfield.h"

namespace gpsieve {
namespace {

// Precisions of sites times the prior variance. A site beyond the least says nothing; observations
// beyond the largest would take conjugate gradients very many steps.
constexpr double kLeastPrecision = 1e-6, kLargestPrecision = 1e6;
constexpr double kLeastRatio = 1e-16;  // r of meanfield/theory.md (6)
// The residual of the weights in a round: the square of the last distance, at most kLooseSolve and
// at least a share of the tolerance of the sites.
constexpr double kLooseSolve = 1e-2, kTightShare = 0.1;
constexpr double kLeastShare = 0.125;  // of the way to the next sites

// Precisions within their range, where a prior variance of 0 counts as a small share of the
// largest.
Vector within_range(VectorIn precision, VectorIn prior) {
  constexpr double kSmallShare = 1e-12;
  const double largest = prior.maxCoeff();
  const double least = largest > 0.0 ? kSmallShare * largest : 1.0;
  const auto unit = prior.array().max(least);
  return precision.array().max(kLeastPrecision / unit).min(kLargestPrecision / unit);
}

// The sites of TAP in every leaf by itself, which knows no other rows.
RowSites sites_of_leaves(const FitProblem& data, const ExactSolver& solver, VectorIn prior,
                         const Context& ctx) {
  MeanfieldOptions options;
  options.tol = kLooseSolve;
  options.gradient = options.keep_factor = false;
  const Index n = data.x.cols();
  RowSites sites{Vector::Zero(n), Vector::Zero(n)};
  for (const FitResult& leaf : fit_meanfield_parts(data, options, solver.leaves(), {}, ctx)) {
    const LatentFit& fit = leaf.latents.front();
    for (std::size_t i = 0; i < fit.site_rows.size(); ++i) {
      const Index row = fit.site_rows[i];
      sites.precision(row) = fit.site_precision(static_cast<Index>(i));
      sites.mean(row) = fit.site_mean(static_cast<Index>(i));
    }
  }
  sites.precision = within_range(sites.precision, prior);
  return sites;
}

// Sites that give the tilted moments at these cavities. A precision that is moved into its range
// keeps the derivative of log Z at the cavity's mean.
RowSites sites_at(const RowCavities& at, const TiltedRows& tilted, VectorIn copies,
                  VectorIn prior) {
  const auto ratio = (1.0 - tilted.curvature.array() * at.variance.array()).max(kLeastRatio);
  RowSites sites;
  sites.precision =
      within_range((copies.array() * tilted.curvature.array() / ratio).matrix(), prior);
  sites.mean = at.mean.array() + (at.variance.array() + copies.array() / sites.precision.array()) *
                                     tilted.slope.array();
  return sites;
}

// A share of the way in natural parameters.
RowSites between(const RowSites& from, const RowSites& to, double share) {
  if (share == 1.0) return to;
  const Vector natural = (1.0 - share) * from.precision.cwiseProduct(from.mean) +
                         share * to.precision.cwiseProduct(to.mean);
  RowSites out;
  out.precision = (1.0 - share) * from.precision + share * to.precision;
  out.mean = natural.cwiseQuotient(out.precision);
  return out;
}

// How far the tilted moments are from those of the sites: the larger of the root mean square of the
// means' differences, in units of the posterior standard deviations, and of the relative
// differences of the variances.
double distance(const RowSites& sites, const RowSites& tilted, const RowCavities& at,
                VectorIn copies) {
  const auto variance = at.variance.array();
  const auto moments = [&](const RowSites& of) {
    const auto precision = of.precision.array() / copies.array();
    RowCavities out;
    out.variance = variance / (1.0 + precision * variance);
    out.mean = out.variance.array() * precision * (of.mean - at.mean).array();
    return out;
  };
  const RowCavities own = moments(sites), wanted = moments(tilted);
  const auto scale = wanted.variance.array().max(std::numeric_limits<double>::min());
  const double n = static_cast<double>(at.mean.size());
  const double means = ((own.mean - wanted.mean).array().square() / scale).sum();
  const double variances = ((own.variance - wanted.variance).array() / scale).square().sum();
  return std::sqrt(std::max(means, variances) / n);
}

}  // namespace

RowCavities cavities_without_copy(const ExactSolution& solution, const RowSites& sites,
                                  VectorIn copies, VectorIn prior) {
  // Rows of weight below 1 have a bound as in cavities.cpp: they lack more than there was.
  constexpr double kLargestRise = 1e6;
  RowCavities out{Vector(copies.size()), Vector(copies.size())};
  for (Index i = 0; i < copies.size(); ++i) {
    const double without = 1.0 / solution.inverse_diagonal(i) - 1.0 / sites.precision(i);
    const double all = std::min(std::max(without, 0.0), prior(i));
    const double one = copies(i) / sites.precision(i);  // the variance of one copy's observation
    const double kept = 1.0 + (copies(i) - 1.0) * all / one;
    out.variance(i) = all / std::max(kept, 1.0 / kLargestRise);
    out.mean(i) = sites.mean(i) - (out.variance(i) + one) * solution.weights(i) / copies(i);
  }
  return out;
}

TiltedRows tilted_rows(const FitProblem& data, const RowCavities& cavities, const Context& ctx) {
  const Index n = data.x.cols();
  const Vector mean = cavities.mean + data.cases.prior_means(n, data.prior_mean(0));
  TiltedRows out{Vector(n), Vector(n), Vector(n)};
  parallel_blocks(ctx.threads, n, kPointsPerBlock, [&](Index begin, Index end) {
    const Index rows = end - begin;
    data.likelihood.tilted(data.y.middleRows(begin, rows), mean.segment(begin, rows),
                           cavities.variance.segment(begin, rows), out.log_z.segment(begin, rows),
                           out.slope.segment(begin, rows), out.curvature.segment(begin, rows));
  });
  ctx.check();
  out.curvature = (-out.curvature).cwiseMax(0.0);
  if (!out.slope.allFinite() || !out.curvature.allFinite())
    throw NumericalFailure("the likelihood of a row has no finite value at its cavity");
  return out;
}

SitesFound find_sites(const FitProblem& data, const ExactSolver& solver, VectorIn prior,
                      int max_rounds, double tol, const Context& ctx) {
  if (!data.likelihood.log_concave() || data.likelihood.step())
    throw InvalidSpec("sites of all rows need a log-concave likelihood with derivatives");
  Context quiet = ctx;
  quiet.progress = nullptr;
  const Vector copies = data.cases.weights(data.x.cols());
  SitesFound found;
  found.sites = sites_of_leaves(data, solver, prior, quiet);
  double last = std::numeric_limits<double>::infinity(), share = 1.0, residual = kLooseSolve;
  while (found.rounds < max_rounds) {
    ++found.rounds;
    const ExactSolution solution =
        solver.solve(found.sites.mean, found.sites.precision.cwiseInverse(), residual, 0, quiet);
    const RowCavities cavities = cavities_without_copy(solution, found.sites, copies, prior);
    const RowSites next = sites_at(cavities, tilted_rows(data, cavities, ctx), copies, prior);
    const double change = distance(found.sites, next, cavities, copies);
    if (!std::isfinite(change)) throw NumericalFailure("a site is not a number");
    if (change > last) share = std::max(0.5 * share, kLeastShare);
    found.sites = between(found.sites, next, share);
    last = change;
    residual = std::clamp(change * change, std::min(kTightShare * tol, kLooseSolve), kLooseSolve);
    ctx.report(change <= tol ? 1.0 : std::clamp(std::log10(change) / std::log10(tol), 0.0, 1.0),
               data.x.cols());
    if (change <= tol) {
      found.converged = true;
      return found;
    }
  }
  found.reason = "the sites were still changing";
  return found;
}

}  // namespace gpsieve
