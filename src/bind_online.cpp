#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_online.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "models/online/online.h"

using namespace gpsieve;

namespace {

OnlineOptions online_options(const Rcpp::List& list) {
  OnlineOptions options;
  const double budget = Rcpp::as<double>(list["budget"]);
  if (std::isfinite(budget)) options.budget = static_cast<Index>(budget);
  options.novelty = Rcpp::as<double>(list["novelty"]);
  options.deletion = choice<Deletion>(list, "deletion",
                                      {{"reverse_kl", Deletion::reverse_kl},
                                       {"forward_kl", Deletion::forward_kl},
                                       {"cheap", Deletion::cheap}});
  options.sweeps = Rcpp::as<int>(list["sweeps"]);
  options.sweep_type =
      choice<SweepType>(list, "sweep_type", {{"ep", SweepType::ep}, {"adf", SweepType::adf}});
  options.shuffle = Rcpp::as<bool>(list["shuffle"]);
  options.tolerance = Rcpp::as<double>(list["tolerance"]);
  options.persistence = Rcpp::as<double>(list["persistence"]);
  return options;
}

}  // namespace

// `options$next_kernel`: the kernel of the states that are returned, or NULL. `noise`: the variance
// of the noise of each row beyond that of the likelihood, or numeric().
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_online(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                           Rcpp::NumericVector noise, Rcpp::List states, Rcpp::List options,
                           double seed, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  NextKernel next{nullptr, Rcpp::as<double>(options["noise_ratio"])};
  const Rcpp::RObject next_spec = options["next_kernel"];
  std::unique_ptr<InputKernel> following;
  if (!next_spec.isNULL()) {
    following = std::make_unique<InputKernel>(Rcpp::List(next_spec), p.x.rows());
    next.kernel = &**following;
  }
  const OnlineFit found =
      fit_online(p, online_states(states), online_options(options),
                 static_cast<std::uint64_t>(seed), context(settings), vector(noise), next);
  return Rcpp::List::create(Rcpp::_["fit"] = wrap_fit(found.fit, p.kernel),
                            Rcpp::_["states"] = wrap_online_states(found.states));
}
