// What a model is fitted to.
#ifndef GPSIEVE_MODELS_FIT_PROBLEM_H
#define GPSIEVE_MODELS_FIT_PROBLEM_H

#include "kernel/kernel.h"
#include "likelihood/case_terms.h"
#include "likelihood/likelihood.h"

namespace gpsieve {

// A kernel, a likelihood and the rows of the data. Nothing is copied but the case terms.
struct FitProblem {
  const Kernel& kernel;
  const Likelihood& likelihood;
  Eigen::Ref<const Matrix> x;           // inputs, a column for each row of the data
  Eigen::Ref<const Matrix> y;           // responses as the likelihood expects them, a column for
                                        // each latent function
  Eigen::Ref<const Vector> prior_mean;  // of each latent function
  CaseTerms cases = {};
};

}  // namespace gpsieve

#endif
