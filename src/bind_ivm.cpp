#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "models/ivm/growth.h"
#include "models/ivm/ivm.h"

using namespace gpsieve;

namespace {

IvmOptions ivm_options(const Rcpp::List& list) {
  IvmOptions options;
  options.n_active = static_cast<Index>(Rcpp::as<double>(list["n_active"]));
  options.criterion = choice<Criterion>(list, "criterion",
                                        {{"entropy", Criterion::entropy},
                                         {"infogain", Criterion::infogain},
                                         {"random", Criterion::random}});
  options.n_random = static_cast<Index>(Rcpp::as<double>(list["n_random"]));
  options.n_full = static_cast<Index>(Rcpp::as<double>(list["n_full"]));
  options.pool = static_cast<Index>(Rcpp::as<double>(list["pool"]));
  options.retain = Rcpp::as<double>(list["retain"]);
  options.refine = Rcpp::as<int>(list["refine"]);
  options.settle = Rcpp::as<int>(list["settle"]);
  options.settle_log_z = Rcpp::as<double>(list["settle_log_z"]);
  options.cavities = Rcpp::as<bool>(list["cavities"]);
  return options;
}

}  // namespace

// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_ivm(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                        Rcpp::List options, double seed, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  return wrap_fit(fit_ivm(p, ivm_options(options), static_cast<std::uint64_t>(seed),
                          context(settings), first_machine(settings)),
                  p.kernel);
}

// A fit for each of the parts, lists of row numbers.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_ivm_parts(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                              Rcpp::List options, Rcpp::List parts, double seed,
                              Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  return wrap_each(
      fit_ivm_parts(p, ivm_options(options), row_lists(parts, p.x.cols()),
                    static_cast<std::uint64_t>(seed), context(settings), first_machine(settings)),
      [&](const FitResult& fit) { return wrap_fit(fit, p.kernel); });
}

// The size at which rows put aside are predicted no better, and the curve that says so.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_grow_ivm(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                         Rcpp::List options, Rcpp::List growth, double seed, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  GrowthOptions how;
  how.aside = row_numbers(growth["aside"], p.x.cols());
  how.first_size = static_cast<Index>(Rcpp::as<double>(growth["first_size"]));
  how.least_errors = Rcpp::as<double>(growth["least_errors"]);
  how.least_gain = Rcpp::as<double>(growth["least_gain"]);
  how.level = Rcpp::as<int>(growth["level"]);
  const Growth found =
      grow_ivm(p, ivm_options(options), how, static_cast<std::uint64_t>(seed), context(settings));
  return Rcpp::List::create(Rcpp::_["size"] = static_cast<double>(found.size),
                            Rcpp::_["curve"] = wrap_trace(found.curve));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List core_active_evidence(Rcpp::List kernel_spec, Rcpp::NumericMatrix active,
                                Rcpp::NumericVector site_precision, Rcpp::NumericVector site_mean,
                                bool gradient) {
  const InputKernel k(kernel_spec, active.ncol());
  Vector by_kernel = Vector::Zero(gradient ? k->n_params() : 0);
  Vector by_precision = Vector::Zero(gradient ? active.nrow() : 0);
  const double value = active_evidence(*k, k.points(active), vector(site_precision),
                                       vector(site_mean), by_kernel, by_precision);
  return Rcpp::List::create(Rcpp::_["value"] = value, Rcpp::_["kernel"] = wrap_vector(by_kernel),
                            Rcpp::_["log_precision"] = wrap_vector(by_precision));
}

// [[Rcpp::export(rng = false)]]
Rcpp::List core_inclusion_path(Rcpp::List kernel_spec, Rcpp::NumericMatrix active,
                               Rcpp::NumericVector site_precision, Rcpp::NumericVector site_mean,
                               double prior_mean, Rcpp::NumericMatrix x, Rcpp::List settings) {
  const InputKernel k(kernel_spec, active.ncol());
  const auto path = inclusion_path(*k, k.points(active), vector(site_precision), vector(site_mean),
                                   prior_mean, k.points(x), context(settings));
  return Rcpp::List::create(Rcpp::_["information"] = wrap_vector(path.information),
                            Rcpp::_["log_evidence"] = wrap_vector(path.log_evidence),
                            Rcpp::_["mean"] = wrap_matrix(path.mean),
                            Rcpp::_["variance"] = wrap_matrix(path.variance));
}
