#include <Rcpp.h>

#include "approx/likelihood_factors.h"
#include "approx/pairwise_factors.h"
#include "base/error.h"
#include "context_r.h"
#include "convert.h"
#include "models/ep.h"

using namespace gpsieve;

namespace {

Schedule schedule(const std::string& method) {
  if (method == "ep") return Schedule::own;
  if (method == "sep") return Schedule::tied;
  if (method == "adf") return Schedule::accumulated;
  throw InvalidSpec("unknown method '" + method + "'");
}

EpLearning learning(const Rcpp::List& list) {
  EpLearning out;
  const Rcpp::LogicalVector free = list["free"];
  out.free.assign(free.begin(), free.end());
  for (const int group : Rcpp::IntegerVector(list["group"])) out.group.push_back(group - 1);
  out.inducing = Rcpp::as<bool>(list["inducing"]);
  out.optimiser = Rcpp::as<std::string>(list["optimiser"]);
  out.rate = Rcpp::as<double>(list["rate"]);
  out.form = Rcpp::as<bool>(list["exact"]) ? GradientForm::exact : GradientForm::paper;
  return out;
}

EpFitOptions fit_options(const Rcpp::List& list) {
  EpFitOptions options;
  options.schedule = schedule(Rcpp::as<std::string>(list["method"]));
  options.damping = Rcpp::as<double>(list["damping"]);
  options.warm = Rcpp::as<bool>(list["warm"]);
  options.batch_size = static_cast<Index>(Rcpp::as<double>(list["batch_size"]));
  options.iterations = static_cast<Index>(Rcpp::as<double>(list["iterations"]));
  options.shuffle = Rcpp::as<bool>(list["shuffle"]);
  options.jitter = Rcpp::as<double>(list["jitter"]);
  options.tolerance = Rcpp::as<double>(list["tol"]);
  options.patience = static_cast<Index>(Rcpp::as<double>(list["patience"]));
  options.input_gradient = Rcpp::as<bool>(list["input_gradient"]);
  options.learning = learning(list["learning"]);
  return options;
}

// One latent function per column of y, or one per class with a label per row.
std::unique_ptr<Factors> factors(const Rcpp::List& likelihood_spec, const Rcpp::List& options,
                                 const Matrix& y, const Rcpp::NumericVector& prior_mean) {
  if (!Rcpp::as<bool>(options["joint"]))
    return likelihood_factors([&] { return likelihood(likelihood_spec); },
                              Rcpp::as<double>(options["power"]), y, vector(prior_mean));
  Indices label(static_cast<std::size_t>(y.rows()));
  for (Index i = 0; i < y.rows(); ++i) y.row(i).maxCoeff(&label[i]);
  const double noise = std::exp(likelihood(likelihood_spec)->params()[0]);
  return pairwise_factors(label, y.cols(), noise, vector(prior_mean));
}

Rcpp::List wrap_evidence(const EpEvidence& evidence) {
  return Rcpp::List::create(Rcpp::_["value"] = evidence.log_z,
                            Rcpp::_["kernel"] = wrap_vector(evidence.kernel),
                            Rcpp::_["likelihood"] = wrap_vector(evidence.likelihood),
                            Rcpp::_["inducing"] = wrap_matrix(evidence.inputs.transpose()));
}

}  // namespace

// x as it came and the scales to apply to it. `held_out`: list(raw, y), or NULL.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_ep(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::NumericMatrix x,
                       Rcpp::List scales, Rcpp::NumericMatrix y, Rcpp::NumericMatrix inducing, Rcpp::RObject held_out,
                       Rcpp::NumericVector prior_mean, Rcpp::List options, double seed,
                       Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const Matrix responses = matrix(y);
  const auto f = factors(likelihood_spec, options, responses, prior_mean);
  Matrix other_points(x.ncol(), 0), other_responses(0, y.ncol());
  std::unique_ptr<Factors> others;
  if (!held_out.isNULL()) {
    const Rcpp::List part(held_out);
    other_points = points(part["raw"], scales["center"], scales["scale"]);
    other_responses = matrix(part["y"]);
    others = factors(likelihood_spec, options, other_responses, prior_mean);
  }
  const EpFit fit = fit_ep(*k, *f, points(x, scales["center"], scales["scale"]), points(inducing), {others.get(), other_points},
                           fit_options(options), static_cast<std::uint64_t>(seed),
                           context(settings));
  Rcpp::List out = wrap_fit(fit.result);
  out["evidence"] = wrap_evidence(fit.evidence);
  out["kernel_theta"] = wrap_vector(fit.kernel_params);
  out["likelihood_theta"] = wrap_vector(fit.likelihood_params);
  out["jitter"] = fit.jitter;
  return out;
}

// EP's log evidence of one response, from the given sites (length 0: from none).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_ep_evidence(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                            Rcpp::NumericMatrix inducing, Rcpp::NumericMatrix x,
                            Rcpp::NumericMatrix y, Rcpp::NumericVector prior_mean,
                            Rcpp::List options, Rcpp::NumericMatrix precision,
                            Rcpp::NumericMatrix shift, bool by_inputs, Rcpp::List settings) {
  const auto k = kernel(kernel_spec, x.ncol());
  const Matrix responses = matrix(y);
  const auto f = factors(likelihood_spec, options, responses, prior_mean);
  const ConvergedEvidence found =
      converged_evidence(*k, *f, points(x), points(inducing), Rcpp::as<double>(options["jitter"]),
                         Rcpp::as<int>(options["max_passes"]),
                         Rcpp::as<double>(options["tolerance"]),
                         {matrix(precision), matrix(shift)}, true, by_inputs, context(settings));
  Rcpp::List out = wrap_evidence(found.evidence);
  out["converged"] = found.converged;
  out["precision"] = wrap_matrix(found.sites.precision);
  out["shift"] = wrap_matrix(found.sites.shift);
  return out;
}
