#include <Rcpp.h>

#include "base/error.h"
#include "context_r.h"
#include "convert.h"
#include "models/greedy.h"

using namespace gpsieve;

namespace {

template <class Choice>
Choice chosen(const Rcpp::List& list, const char* name, const std::map<std::string, Choice>& all) {
  const auto found = all.find(Rcpp::as<std::string>(list[name]));
  if (found == all.end()) throw InvalidSpec(std::string("unknown value of '") + name + "'");
  return found->second;
}

GreedyOptions greedy_options(const Rcpp::List& list, Index rows) {
  const auto count = [&](const char* name) {
    return static_cast<Index>(Rcpp::as<double>(list[name]));
  };
  GreedyOptions o;
  o.n_basis = count("n_basis");
  o.max_basis = count("max_basis");
  o.tol = Rcpp::as<double>(list["tol"]);
  o.candidates = count("candidates");
  o.candidate_lists = row_lists(list["candidate_lists"], rows);
  o.rule = chosen<GreedyRule>(
      list, "rule",
      {{"gain", GreedyRule::gain}, {"pivot", GreedyRule::pivot}, {"random", GreedyRule::random}});
  o.certify = Rcpp::as<bool>(list["certify"]);
  o.stop = chosen<GreedyStop>(
      list, "stop", {{"posterior", GreedyStop::posterior}, {"slides", GreedyStop::slides}});
  o.variance = chosen<GreedyVariance>(list, "variance",
                                      {{"dtc", GreedyVariance::dtc},
                                       {"sor", GreedyVariance::sor},
                                       {"upper", GreedyVariance::upper}});
  o.bound = chosen<GradientBound>(list, "bound",
                                  {{"exact", GradientBound::exact},
                                   {"block", GradientBound::block},
                                   {"cheap", GradientBound::cheap}});
  o.dual_candidates = count("dual_candidates");
  o.dual_rows = count("dual_rows");
  o.certify_rows = count("certify_rows");
  o.block_size = count("block_size");
  o.stored_bytes = Rcpp::as<double>(list["stored_bytes"]);
  o.grow = Rcpp::as<double>(list["grow"]);
  o.trace_term = Rcpp::as<bool>(list["trace_term"]);
  return o;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_greedy(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                           Rcpp::NumericMatrix x, Rcpp::NumericMatrix y,
                           Rcpp::NumericVector prior_mean, Rcpp::List options, double seed,
                           Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const auto lik = likelihood(likelihood_spec);
  const GreedyResult fit = fit_greedy(*k, *lik, points(x), matrix(y), vector(prior_mean),
                                      greedy_options(options, x.nrow()),
                                      static_cast<std::uint64_t>(seed), context(settings));
  Rcpp::List out = wrap_fit(fit);
  out["certificates"] = wrap_each(fit.certificates, [](const GreedyCertificate& c) {
    return Rcpp::List::create(Rcpp::_["objective"] = c.objective, Rcpp::_["lower"] = c.lower,
                              Rcpp::_["offset"] = c.offset, Rcpp::_["gap"] = c.gap(),
                              Rcpp::_["posterior_gap"] = c.posterior_gap(),
                              Rcpp::_["slides_gap"] = c.slides_gap(), Rcpp::_["rule"] = c.rule);
  });
  out["lower"] = wrap_each(fit.lower, wrap_vector);
  return out;
}
