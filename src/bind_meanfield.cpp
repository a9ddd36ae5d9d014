#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_meanfield.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "models/meanfield/meanfield.h"

using namespace gpsieve;

// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_meanfield(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                              Rcpp::List options, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  const MeanfieldFit found = fit_meanfield(p, meanfield_options(options), context(settings));
  Rcpp::List out = wrap_fit(found.fit, p.kernel);
  out["corrected"] = wrap_vector(found.corrected);
  return out;
}

// A fit for each of the parts, lists of row numbers. `judged`: the rows whose cavities are wanted.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_fit_meanfield_parts(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                                    Rcpp::List rows, Rcpp::List options, Rcpp::List parts,
                                    Rcpp::LogicalVector judged, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  return wrap_each(fit_meanfield_parts(p, meanfield_options(options), row_lists(parts, p.x.cols()),
                                       Rcpp::as<std::vector<bool>>(judged), context(settings)),
                   [&](const FitResult& fit) { return wrap_fit(fit, p.kernel); });
}

// The log evidence and its gradient, started from the means and cavity variances of an earlier
// call, start: list(means, cavity), or from zero weights if these matrices have no columns.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_meanfield_evidence(Rcpp::List kernel_spec, Rcpp::List likelihood_spec,
                                   Rcpp::List rows, Rcpp::List options, Rcpp::List start,
                                   Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  const MeanfieldEvidence found =
      meanfield_evidence(p, meanfield_options(options),
                         {matrix(start["means"]), matrix(start["cavity"])}, context(settings));
  return Rcpp::List::create(
      Rcpp::_["value"] = found.value, Rcpp::_["gradient"] = wrap_vector(found.gradient),
      Rcpp::_["converged"] = found.converged, Rcpp::_["means"] = wrap_matrix(found.next.means),
      Rcpp::_["cavity"] = wrap_matrix(found.next.cavity));
}
