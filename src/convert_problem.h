// What a model is fitted to, from R's lists: kernels, likelihoods, inputs and responses.
#ifndef GPSIEVE_CONVERT_PROBLEM_H
#define GPSIEVE_CONVERT_PROBLEM_H

#include <Rcpp.h>

#include <memory>

#include "base/types.h"
#include "kernel/kernel.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"
#include "models/fit_problem.h"

namespace gpsieve {

// The core's p x n matrix of inputs, one in each column, from R's n x p matrix. Throws InvalidSpec
// for row numbers in the place of inputs.
Matrix points(const Rcpp::NumericMatrix& x);
// The same of standardised columns, (x - center) / scale.
Matrix points(const Rcpp::NumericMatrix& x, const Rcpp::NumericVector& center,
              const Rcpp::NumericVector& scale);

// A kernel and what its points are: inputs, or row numbers of the sparse rows that came with the
// kernel, which R marks by a class (R/base-sparse.R). Either is refused in the place of the other.
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

}  // namespace gpsieve

#endif
