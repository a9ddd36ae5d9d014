// Conversion between R's objects and the core's types.
#ifndef GPSIEVE_CONVERT_H
#define GPSIEVE_CONVERT_H

#include <Rcpp.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/types.h"
#include "kernel/kernel.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"
#include "models/online/online.h"

namespace gpsieve {

// The core's p x n matrix of inputs, one in each column, from R's n x p matrix. Throws InvalidSpec
// for row numbers in the place of inputs.
Matrix points(const Rcpp::NumericMatrix& x);
// The same of standardised columns, (x - center) / scale.
Matrix points(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
              const Rcpp::NumericVector& scale);
Matrix matrix(const Rcpp::NumericMatrix& x);
Vector vector(const Rcpp::NumericVector& x);
Rcpp::NumericMatrix wrap_matrix(const Matrix& x);
Rcpp::NumericVector wrap_vector(const Vector& x);
Rcpp::IntegerVector wrap_rows(const Indices& rows);  // 1-based
// 1-based row numbers of n rows, checked, and a list of such vectors.
Indices row_numbers(const Rcpp::IntegerVector& rows, Index n);
std::vector<Indices> row_lists(const Rcpp::List& lists, Index n);
// A list with wrap(item) for each item.
template <class Item, class Wrap>
Rcpp::List wrap_each(const std::vector<Item>& items, const Wrap& wrap) {
  Rcpp::List out(static_cast<R_xlen_t>(items.size()));
  for (R_xlen_t i = 0; i < out.size(); ++i) out[i] = wrap(items[i]);
  return out;
}

// The value that the name in a field of a list stands for; InvalidSpec for names that are not
// known.
template <class Choice>
Choice choice(const Rcpp::List& list, const char* field,
              const std::vector<std::pair<const char*, Choice>>& known) {
  const std::string name = Rcpp::as<std::string>(list[field]);
  for (const auto& entry : known)
    if (name == entry.first) return entry.second;
  throw InvalidSpec("unknown " + std::string(field) + " '" + name + "'");
}

// A kernel and what its points are: inputs, or row numbers of the sparse rows that came with the
// kernel, which R marks by a class (R/sparse.R). Either is refused in the place of the other.
class InputKernel {
 public:
  // p: the number of columns of inputs.
  InputKernel(const Rcpp::List& spec, Index p);

  Kernel& operator*() const { return *kernel_; }
  Kernel* operator->() const { return kernel_.get(); }

  Matrix points(const Rcpp::NumericMatrix& x) const;
  Matrix points(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
                const Rcpp::NumericVector& scale) const;
  Rcpp::NumericMatrix wrap_points(const Matrix& points) const;

 private:
  void require_kind(const Rcpp::NumericMatrix& x) const;

  bool sparse_;
  std::unique_ptr<Kernel> kernel_;
};

std::unique_ptr<Likelihood> likelihood(const Rcpp::List& spec);
// From list(weight, offset), where numeric() stands for weights of 1 and offsets of 0.
CaseTerms case_terms(const Rcpp::List& list);

// What a model is fitted to: its kernel, its likelihood and its rows, list(x, y, cases,
// prior_mean). y has the likelihood's columns for each latent function, and prior_mean a number.
struct Problem {
  Problem(const Rcpp::List& kernel_spec, const Rcpp::List& likelihood_spec, const Rcpp::List& rows);

  InputKernel kernel;
  std::unique_ptr<Likelihood> likelihood;
  Matrix x, y;
  CaseTerms cases;
  Vector prior_mean;

  operator FitProblem() const { return {*kernel, *likelihood, x, y, prior_mean, cases}; }
};

Rcpp::DataFrame wrap_trace(const std::vector<TraceRow>& trace);
Rcpp::List wrap_fit(const FitResult& fit, const InputKernel& kernel);
// Checks every size and index, and throws InvalidSpec for a damaged object. `rows` is the number of
// points that will be predicted: for few of them triangular factors stay packed, where R has them.
std::vector<SparsePosterior> posteriors(const Rcpp::List& list, const InputKernel& kernel,
                                        Index basis_size, Index width, Index rows);
// The same without what only variances and covariances need. Of that the diagonals of triangular
// factors are checked and nothing is copied: a mean needs one number for each basis point.
std::vector<SparsePosterior> posterior_means(const Rcpp::List& list, Index basis_size, Index width);

// The states from which an online model continues, which the core checks. Basis, weights, form and
// whitening belong to the posterior of the state and are therefore left out when a state is
// wrapped.
std::vector<OnlineState> online_states(const Rcpp::List& list);
Rcpp::List wrap_online_states(const std::vector<OnlineState>& states);

}  // namespace gpsieve

#endif
