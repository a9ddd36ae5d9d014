// What a model is fitted to.
#ifndef GPSIEVE_MODELS_FIT_PROBLEM_H
#define GPSIEVE_MODELS_FIT_PROBLEM_H

#include "base/error.h"
#include "kernel/kernel.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

// A kernel, a likelihood and the rows of the data. Nothing is copied but the case terms.
struct FitProblem {
  const Kernel& kernel;
  const Likelihood& likelihood;
  Eigen::Ref<const Matrix> x;           // inputs, a column for each row of the data
  Eigen::Ref<const Matrix> y;           // responses as the likelihood expects them, its columns
                                        // for each latent function
  Eigen::Ref<const Vector> prior_mean;  // of each latent function
  CaseTerms cases = {};

  Index machines() const { return prior_mean.size(); }
  // The responses of a latent function.
  auto responses(Index machine) const {
    return y.middleCols(machine * likelihood.columns(), likelihood.columns());
  }
};

// The likelihood's columns for each latent function, and a row for each of `rows`.
inline void require_responses(const FitProblem& problem, Index rows) {
  const Index machines = problem.machines();
  if (problem.y.rows() != rows || problem.y.cols() != machines * problem.likelihood.columns() ||
      machines < 1 || rows < 1)
    throw InvalidSpec("the response or the prior mean does not fit the rows");
}

}  // namespace gpsieve

#endif
