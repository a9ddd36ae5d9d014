#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "models/greedy/greedy.h"

using namespace gpsieve;

namespace {

GreedyOptions greedy_options(const Rcpp::List& list, Index rows) {
  const auto number = [&](const char* name) { return Rcpp::as<double>(list[name]); };
  const auto count = [&](const char* name) { return static_cast<Index>(number(name)); };
  using Rule = GreedyRule;
  using Variance = GreedyVariance;
  using Bound = GradientBound;
  GreedyOptions options;
  options.n_basis = count("n_basis");
  options.max_basis = count("max_basis");
  options.tol = number("tol");
  options.candidates = count("candidates");
  options.candidate_lists = row_lists(list["candidate_lists"], rows);
  options.rule = choice<Rule>(
      list, "rule", {{"gain", Rule::gain}, {"pivot", Rule::pivot}, {"random", Rule::random}});
  options.certify = Rcpp::as<bool>(list["certify"]);
  options.stop = choice<GreedyStop>(
      list, "stop",
      {{"posterior", GreedyStop::posterior}, {"duality_gap", GreedyStop::duality_gap}});
  options.variance = choice<Variance>(
      list, "variance",
      {{"dtc", Variance::dtc}, {"sor", Variance::sor}, {"upper", Variance::upper}});
  options.bound = choice<Bound>(
      list, "bound", {{"exact", Bound::exact}, {"block", Bound::block}, {"cheap", Bound::cheap}});
  options.dual_candidates = count("dual_candidates");
  options.dual_rows = count("dual_rows");
  options.certify_rows = count("certify_rows");
  options.block_size = count("block_size");
  options.stored_bytes = number("stored_bytes");
  options.grow = number("grow");
  options.trace_term = Rcpp::as<bool>(list["trace_term"]);
  return options;
}

// As certificate() names it.
const char* name(BoundSource source) {
  switch (source) {
    case BoundSource::none:
      break;
    case BoundSource::dense_dual:
      return "dense dual";
    case BoundSource::sparse_dual:
      return "sparse dual";
    case BoundSource::gradient_exact:
      return "gradient, exact";
    case BoundSource::gradient_block:
      return "gradient, blocks";
    case BoundSource::gradient_cheap:
      return "gradient, cheap";
  }
  return "none";
}

Rcpp::List wrap_certificate(const GreedyCertificate& bound) {
  return Rcpp::List::create(
      Rcpp::_["objective"] = bound.objective, Rcpp::_["lower"] = bound.lower,
      Rcpp::_["gap"] = bound.gap(), Rcpp::_["posterior_gap"] = bound.posterior_gap(),
      Rcpp::_["duality_gap"] = bound.duality_gap(), Rcpp::_["rule"] = name(bound.source));
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_greedy(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                           Rcpp::List options, double seed, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  const GreedyResult fit =
      fit_greedy(p, greedy_options(options, p.x.cols()), static_cast<std::uint64_t>(seed),
                 context(settings), first_machine(settings));
  Rcpp::List out = wrap_fit(fit, p.kernel);
  out["certificates"] = wrap_each(fit.certificates, wrap_certificate);
  return out;
}
