// What models return, as R's lists, and the posteriors of such lists.
#ifndef GPSIEVE_CONVERT_POSTERIOR_H
#define GPSIEVE_CONVERT_POSTERIOR_H

#include <Rcpp.h>

#include <vector>

#include "base/types.h"
#include "convert_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

Rcpp::DataFrame wrap_trace(const std::vector<TraceRow>& trace);
Rcpp::List wrap_fit(const FitResult& fit, const InputKernel& kernel);
// Checks every size and index, and throws InvalidSpec for a damaged object. `rows` is the number of
// points that will be predicted: for few of them triangular factors stay packed, where R has them.
std::vector<SparsePosterior> posteriors(const Rcpp::List& list, const InputKernel& kernel,
                                        Index basis_size, Index width, Index rows);
// The same without what only variances and covariances need. Of that the diagonals of triangular
// factors are checked and nothing is copied: a mean needs one number for each basis point.
std::vector<SparsePosterior> posterior_means(const Rcpp::List& list, Index basis_size, Index width);

}  // namespace gpsieve

#endif
