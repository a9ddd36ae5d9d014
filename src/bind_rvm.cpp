#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "models/rvm/rvm.h"

using namespace gpsieve;

namespace {

RvmOptions rvm_options(const Rcpp::List& list) {
  using A = RvmAlgorithm;
  using E = RvmEntry;
  using I = RvmInference;
  RvmOptions options;
  options.algorithm =
      choice<A>(list, "algorithm", {{"ssem", A::ssem}, {"em", A::em}, {"fast", A::fast}});
  options.update =
      choice<RvmUpdate>(list, "update", {{"mackay", RvmUpdate::mackay}, {"em", RvmUpdate::em}});
  options.entry = choice<E>(list, "entry",
                            {{"optimal", E::optimal},
                             {"guarded", E::guarded},
                             {"fixed", E::fixed},
                             {"literal", E::literal}});
  options.inference =
      choice<I>(list, "inference", {{"tap", I::tap}, {"laplace", I::laplace}, {"naive", I::naive}});
  options.intercept = Rcpp::as<bool>(list["intercept"]);
  options.prune = Rcpp::as<double>(list["prune"]);
  options.alpha_min = Rcpp::as<double>(list["alpha_min"]);
  options.alpha_start = vector(list["alpha_start"]);
  options.noise_start = Rcpp::as<double>(list["noise_start"]);
  options.learn_noise = Rcpp::as<bool>(list["learn_noise"]);
  options.noise_grow = Rcpp::as<bool>(list["noise_grow"]);
  options.augmented = Rcpp::as<bool>(list["augmented"]);
  options.max_iter = static_cast<Index>(Rcpp::as<double>(list["max_iter"]));
  options.tol = Rcpp::as<double>(list["tol"]);
  options.random_order = Rcpp::as<bool>(list["random_order"]);
  options.sweeps = static_cast<Index>(Rcpp::as<double>(list["sweeps"]));
  return options;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_rvm(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                        Rcpp::NumericMatrix centres, Rcpp::List options, double seed,
                        Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  return wrap_fit(
      fit_rvm(p, p.kernel.points(centres), rvm_options(options), static_cast<std::uint64_t>(seed),
              context(settings), first_machine(settings)),
      p.kernel);
}
