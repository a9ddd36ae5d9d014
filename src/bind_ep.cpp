#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_ep.h"
#include "convert_problem.h"
#include "models/ep/ep.h"

using namespace gpsieve;

// data: list(rows, scales, prior_mean, held_out), as EpRows takes it, with the rows on the user's
// scale and the scales that standardise them; held_out is list(raw, y, cases), or NULL.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_ep(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List data,
                       Rcpp::NumericMatrix inducing, Rcpp::List options, Rcpp::List checkpoints,
                       double seed, Rcpp::List settings) {
  const InputKernel k(kernel_spec, inducing.ncol());
  EpRows rows(data, k, likelihood_spec, options);
  const Rcpp::List scales = data["scales"];
  const Rcpp::NumericVector prior_mean = data["prior_mean"];
  const Rcpp::RObject held_out = data["held_out"];
  Matrix other_points(inducing.ncol(), 0), other_responses(0, prior_mean.size());
  std::unique_ptr<Factors> others;
  double other_weight = 0.0;
  if (!held_out.isNULL()) {
    const Rcpp::List part(held_out);
    other_points = k.points(part["raw"], scales["center"], scales["scale"]);
    other_responses = matrix(part["y"]);
    const CaseTerms other_cases = case_terms(part["cases"]);
    others = ep_factors(likelihood_spec, options, other_responses, prior_mean, other_cases);
    other_weight = other_cases.weight.sum();
  }
  const EpFit fit =
      fit_ep({*k,
              *rows.factors,
              *rows.passes,
              k.points(inducing),
              {others.get(), other_points, other_weight},
              static_cast<std::uint64_t>(seed)},
             ep_fit_options(options), ep_checkpoints(checkpoints, k), context(settings));
  return wrap_ep_fit(fit, k);
}

namespace {

// A shard with all that it refers to.
struct HeldShard {
  HeldShard(const Rcpp::List& kernel_spec, const Rcpp::List& likelihood_spec,
            const Rcpp::List& rows, const Rcpp::List& scales, const Rcpp::NumericVector& class_rows,
            const Rcpp::NumericVector& prior_mean, const Rcpp::List& options, Index m)
      : k(kernel_spec, Rcpp::NumericVector(scales["center"]).size()),
        x(k.points(rows["raw"], scales["center"], scales["scale"])),
        y(matrix(rows["y"])),
        factors(ep_factors(likelihood_spec, options, vector(class_rows), prior_mean)),
        shard(*k, *factors, x, ep_fit_options(options).schedule, m,
              ep_fit_options(options).jitter) {
    factors->hold(0, y, vector(rows["offset"]));
  }
  HeldShard(const HeldShard&) = delete;

  InputKernel k;
  Matrix x, y;
  std::unique_ptr<Factors> factors;
  EpShard shard;
};

}  // namespace

// A shard for core_ep_shard_answer(); `class_rows` is that of all rows, `m` the number of inducing
// inputs.
// [[Rcpp::export(rng = false)]]
SEXP core_ep_shard(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                   Rcpp::List scales, Rcpp::NumericVector class_rows,
                   Rcpp::NumericVector prior_mean, Rcpp::List options, double m) {
  return Rcpp::XPtr<HeldShard>(new HeldShard(kernel_spec, likelihood_spec, rows, scales, class_rows,
                                             prior_mean, options, static_cast<Index>(m)));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericVector core_ep_shard_answer(SEXP shard, Rcpp::NumericVector question,
                                         Rcpp::List settings) {
  return Rcpp::wrap(
      Rcpp::XPtr<HeldShard>(shard)->shard.answer(Rcpp::as<Numbers>(question), context(settings)));
}
