#include "convert_ep.h"

#include <cmath>

#include "convert.h"
#include "models/ep/pairwise_factors.h"
#include "sparse_ep/likelihood_factors.h"

namespace gpsieve {
namespace {

EpLearning learning(const Rcpp::List& list) {
  EpLearning out;
  const Rcpp::LogicalVector free = list["free"];
  out.free.assign(free.begin(), free.end());
  for (const int group : Rcpp::IntegerVector(list["group"])) out.group.push_back(group - 1);
  out.inducing = Rcpp::as<bool>(list["inducing"]);
  out.optimiser = choice<StepRule>(list, "optimiser",
                                   {{"adadelta", StepRule::adadelta},
                                    {"adam", StepRule::adam},
                                    {"sign_adaptive", StepRule::sign_adaptive}});
  out.rate = Rcpp::as<double>(list["rate"]);
  const Rcpp::List prior = list["prior"];
  if (prior.size() > 0) out.prior = {vector(prior["center"]), matrix(prior["precision"])};
  return out;
}

}  // namespace

EpFitOptions ep_fit_options(const Rcpp::List& list) {
  EpFitOptions options;
  options.schedule = choice<Schedule>(
      list, "method", {{"ep", Schedule::ep}, {"sep", Schedule::sep}, {"adf", Schedule::adf}});
  options.damping = Rcpp::as<double>(list["damping"]);
  options.warm_start = Rcpp::as<bool>(list["warm_start"]);
  options.batch_size = static_cast<Index>(Rcpp::as<double>(list["batch_size"]));
  options.iterations = static_cast<Index>(Rcpp::as<double>(list["iterations"]));
  options.shuffle = Rcpp::as<bool>(list["shuffle"]);
  options.jitter = Rcpp::as<double>(list["jitter"]);
  options.tolerance = Rcpp::as<double>(list["tol"]);
  options.patience = static_cast<Index>(Rcpp::as<double>(list["patience"]));
  options.input_gradient = Rcpp::as<bool>(list["input_gradient"]);
  options.gradient = choice<GradientForm>(
      list, "gradient",
      {{"fixed_point", GradientForm::fixed_point}, {"exact", GradientForm::exact}});
  if (!Rf_isNull(list["learning"])) options.learning = learning(list["learning"]);
  return options;
}

std::unique_ptr<Factors> ep_factors(const Rcpp::List& likelihood_spec, const Rcpp::List& options,
                                    const Matrix& y, const Rcpp::NumericVector& prior_mean,
                                    const CaseTerms& cases) {
  if (!Rcpp::as<bool>(options["joint"]))
    return likelihood_factors([&] { return likelihood(likelihood_spec); },
                              Rcpp::as<double>(options["power"]), y, vector(prior_mean), cases);
  require_cases(cases, y.rows());
  if (cases.offset.size() > 0)
    throw InvalidSpec("the joint model of several classes has no offsets");
  Indices label(static_cast<std::size_t>(y.rows()));
  for (Index i = 0; i < y.rows(); ++i) y.row(i).maxCoeff(&label[i]);
  const double noise = std::exp(likelihood(likelihood_spec)->params()[0]);
  return pairwise_factors(label, y.cols(), noise, vector(prior_mean), cases.weight);
}

Rcpp::List wrap_ep_evidence(const EpEvidence& evidence) {
  return Rcpp::List::create(Rcpp::_["value"] = evidence.log_z,
                            Rcpp::_["kernel"] = wrap_vector(evidence.kernel),
                            Rcpp::_["likelihood"] = wrap_vector(evidence.likelihood),
                            Rcpp::_["inducing"] = wrap_matrix(evidence.inputs.transpose()));
}

}  // namespace gpsieve
