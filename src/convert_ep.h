// Conversion of the settings and the results of expectation propagation between R's lists and the
// core's types.
#ifndef GPSIEVE_CONVERT_EP_H
#define GPSIEVE_CONVERT_EP_H

#include <Rcpp.h>

#include <memory>

#include "convert_problem.h"
#include "likelihood/case_terms.h"
#include "models/ep/ep.h"
#include "models/ep/shards.h"

namespace gpsieve {

EpFitOptions ep_fit_options(const Rcpp::List& list);
// class_rows: how many rows each class has, or one number, that of all rows. The factors hold no
// responses yet.
std::unique_ptr<Factors> ep_factors(const Rcpp::List& likelihood_spec, const Rcpp::List& options,
                                    const Vector& class_rows,
                                    const Rcpp::NumericVector& prior_mean);
// y: the likelihood's columns for each latent function; with options$joint they are indicators of
// the classes, and there are no offsets. The factors hold it.
std::unique_ptr<Factors> ep_factors(const Rcpp::List& likelihood_spec, const Rcpp::List& options,
                                    const Matrix& y, const Rcpp::NumericVector& prior_mean,
                                    const CaseTerms& cases);

// The rows of a fit with their factors, and the passes over them, from list(rows, scales,
// prior_mean), of which `rows` is one of
//   list(raw, y, cases)                rows in memory;
//   list(read, window, class_rows)     rows of which read(number) returns list(raw, y,
//                                      offset), a window of them;
//   list(ask, sizes, class_rows)       shards, to which ask(questions) sends questions.
struct EpRows {
  EpRows(const Rcpp::List& data, const InputKernel& kernel, const Rcpp::List& likelihood_spec,
         const Rcpp::List& options);
  EpRows(const EpRows&) = delete;

  Matrix x, y;  // of rows in memory
  std::unique_ptr<Factors> factors;
  std::unique_ptr<RowSource> source;
  std::unique_ptr<ShardLink> link;
  std::unique_ptr<EpPasses> passes;
};

// checkpoints: list(save, seconds, from), where save(result, state) is a function or NULL.
EpCheckpoints ep_checkpoints(const Rcpp::List& checkpoints, const InputKernel& kernel);
Rcpp::List wrap_ep_fit(const EpFit& fit, const InputKernel& kernel);
Rcpp::List wrap_ep_evidence(const EpEvidence& evidence);

}  // namespace gpsieve

#endif
