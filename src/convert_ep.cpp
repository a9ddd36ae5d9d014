#include "convert_ep.h"

#include <algorithm>
#include <utility>

#include "convert.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "models/ep/pairwise_factors.h"
#include "sparse_ep/likelihood_factors.h"
#include "sparse_ep/windowed_rows.h"

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

WindowedRows::Read window_reader(const Rcpp::Function& read, const Rcpp::NumericVector& center,
                                 const Rcpp::NumericVector& scale) {
  return [=](Index number) -> WindowedRows::Window {
    const Rcpp::List window = read(static_cast<double>(number + 1));
    return {points(window["raw"], center, scale), matrix(window["y"]), vector(window["offset"])};
  };
}

class HostLink final : public ShardLink {
 public:
  explicit HostLink(const Rcpp::Function& ask) : ask_(ask) {}
  std::vector<Numbers> ask(const std::vector<Numbers>& questions) override {
    return Rcpp::as<std::vector<Numbers>>(ask_(Rcpp::wrap(questions)));
  }

 private:
  Rcpp::Function ask_;
};

}  // namespace

EpFitOptions ep_fit_options(const Rcpp::List& list) {
  EpFitOptions options;
  options.schedule = choice<Schedule>(
      list, "method", {{"ep", Schedule::ep}, {"sep", Schedule::sep}, {"adf", Schedule::adf}});
  options.damping = Rcpp::as<double>(list["damping"]);
  options.warm_start = Rcpp::as<bool>(list["warm_start"]);
  options.batch_size = static_cast<Index>(Rcpp::as<double>(list["batch_size"]));
  options.window = static_cast<Index>(Rcpp::as<double>(list["window"]));
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
                                    const Vector& class_rows,
                                    const Rcpp::NumericVector& prior_mean) {
  if (!Rcpp::as<bool>(options["joint"]))
    return likelihood_factors([&] { return likelihood(likelihood_spec); },
                              Rcpp::as<double>(options["power"]),
                              static_cast<Index>(class_rows.sum()), vector(prior_mean));
  const double noise = likelihood(likelihood_spec)->step_noise();
  return pairwise_factors(class_rows, noise, vector(prior_mean));
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
  const double noise = likelihood(likelihood_spec)->step_noise();
  return pairwise_factors(label, y.cols(), noise, vector(prior_mean), cases.weight);
}

EpRows::EpRows(const Rcpp::List& data, const InputKernel& kernel, const Rcpp::List& likelihood_spec,
               const Rcpp::List& options) {
  const Rcpp::List rows = data["rows"], scales = data["scales"];
  const Rcpp::NumericVector prior_mean = data["prior_mean"];
  if (rows.containsElementNamed("raw")) {
    x = kernel.points(rows["raw"], scales["center"], scales["scale"]);
    y = matrix(rows["y"]);
    factors = ep_factors(likelihood_spec, options, y, prior_mean, case_terms(rows["cases"]));
    source = std::make_unique<MemoryRows>(x);
    passes = std::make_unique<LocalPasses>(*source);
    return;
  }
  factors = ep_factors(likelihood_spec, options, vector(rows["class_rows"]), prior_mean);
  if (rows.containsElementNamed("read")) {
    source = std::make_unique<WindowedRows>(
        window_reader(rows["read"], scales["center"], scales["scale"]),
        static_cast<Index>(Rcpp::as<double>(rows["window"])), *factors);
    passes = std::make_unique<LocalPasses>(*source);
  } else {
    Indices sizes;
    for (const double size : Rcpp::NumericVector(rows["sizes"]))
      sizes.push_back(static_cast<Index>(size));
    link = std::make_unique<HostLink>(rows["ask"]);
    passes = std::make_unique<ShardedPasses>(*link, std::move(sizes), *factors);
  }
}

EpCheckpoints ep_checkpoints(const Rcpp::List& list, const InputKernel& kernel) {
  EpCheckpoints checkpoints;
  checkpoints.from = Rcpp::as<Numbers>(list["from"]);
  checkpoints.seconds = Rcpp::as<double>(list["seconds"]);
  if (Rf_isNull(list["save"])) return checkpoints;
  const Rcpp::Function save = list["save"];
  checkpoints.save = [save, &kernel](const EpFit& fit, const Numbers& state) {
    const Rcpp::List so_far = wrap_ep_fit(fit, kernel);
    const Rcpp::NumericVector numbers = Rcpp::wrap(state);
    save(so_far, numbers);
  };
  return checkpoints;
}

Rcpp::List wrap_ep_fit(const EpFit& fit, const InputKernel& kernel) {
  Rcpp::List out = wrap_fit(fit.result, kernel);
  out["evidence"] = wrap_ep_evidence(fit.evidence);
  out["kernel_theta"] = wrap_vector(fit.kernel_params);
  out["likelihood_theta"] = wrap_vector(fit.likelihood_params);
  out["jitter"] = fit.jitter;
  return out;
}

Rcpp::List wrap_ep_evidence(const EpEvidence& evidence) {
  return Rcpp::List::create(Rcpp::_["value"] = evidence.log_z,
                            Rcpp::_["kernel"] = wrap_vector(evidence.kernel),
                            Rcpp::_["likelihood"] = wrap_vector(evidence.likelihood),
                            Rcpp::_["inducing"] = wrap_matrix(evidence.inputs.transpose()));
}

}  // namespace gpsieve
