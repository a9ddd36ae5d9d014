#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_problem.h"
#include "models/greedy/error_bars.h"
#include "models/greedy/evidence.h"
#include "models/greedy/greedy.h"

using namespace gpsieve;

// The evidence of the model projected on the rows `basis` (1-based), for one latent function. For
// other than Gaussian noise the mode is sought from options$start (length 0: from 0).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_greedy_evidence(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                                Rcpp::IntegerVector basis, Rcpp::List options,
                                Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  const GreedyEvidence found =
      projected_evidence(p, row_numbers(basis, p.x.cols()), vector(options["start"]),
                         Rcpp::as<bool>(options["trace_term"]), Rcpp::as<bool>(options["gradient"]),
                         context(settings));
  return Rcpp::List::create(Rcpp::_["value"] = found.value,
                            Rcpp::_["kernel"] = wrap_vector(found.kernel_gradient),
                            Rcpp::_["likelihood"] = wrap_vector(found.likelihood_gradient),
                            Rcpp::_["mode"] = wrap_vector(found.mode));
}

// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector core_pivoted_rows(Rcpp::List kernel_spec, Rcpp::NumericMatrix x, double n,
                                      Rcpp::List settings) {
  const InputKernel k(kernel_spec, x.ncol());
  return wrap_rows(pivoted_rows(*k, k.points(x), static_cast<Index>(n), context(settings)));
}

// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_error_bars(Rcpp::List kernel_spec, Rcpp::NumericMatrix x, double noise,
                                    Rcpp::NumericMatrix x_new, Rcpp::List options,
                                    Rcpp::List settings) {
  const InputKernel k(kernel_spec, x.ncol());
  return wrap_matrix(greedy_error_bars(
      *k, k.points(x), noise, k.points(x_new),
      {Rcpp::as<double>(options["tol"]), static_cast<Index>(Rcpp::as<double>(options["max_basis"])),
       Rcpp::as<bool>(options["explained"]), Rcpp::as<double>(options["stored_bytes"])},
      context(settings)));
}
