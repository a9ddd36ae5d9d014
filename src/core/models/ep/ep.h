// Gaussian processes on inducing inputs by expectation propagation, stochastic expectation
// propagation or assumed density filtering, from all rows or minibatches. Hyper-parameters and
// inducing inputs are learned during the iterations (theory.md#iteration).
#ifndef GPSIEVE_MODELS_EP_EP_H
#define GPSIEVE_MODELS_EP_EP_H

#include <cstdint>
#include <functional>

#include "learning/step_rules.h"
#include "models/ep/held_out.h"
#include "models/ep/passes.h"
#include "models/fit_result.h"
#include "sparse_ep/evidence.h"

namespace gpsieve {

// A Gaussian prior of the kernel's and then the likelihood's log parameters; empty: none.
struct HyperPrior {
  Vector center;
  Matrix precision;
};

// What is learned, and by which rule. By default nothing is learned.
struct EpLearning {
  std::vector<bool> free;  // which log parameters are learned: the kernel's, then the likelihood's
  Indices group;          // of the same parameters; StepRule::sign_adaptive: learning/theory.md (3)
  bool inducing = false;  // whether the inducing inputs are learned
  StepRule optimiser = StepRule::adadelta;
  double rate = 1.0;
  HyperPrior prior;  // its log density is added to the evidence that is maximised
};

struct EpFitOptions {
  Schedule schedule = Schedule::sep;
  double damping = 1.0;
  bool warm_start = true;
  Index batch_size = 0;        // 0: all rows
  Index window = 0;            // rows from which minibatches are drawn; 0: all rows
  Index iterations = 250;      // updates, each of all rows or of a minibatch
  bool shuffle = true;         // minibatches from a new random order in every epoch
  double jitter = 1e-6;        // relative: notation.md#factors
  double tolerance = 1e-6;     // of the convergence at fixed hyper-parameters
  Index patience = 50;         // updates without a lower held-out loss before the fit stops
  bool input_gradient = true;  // whether the kernel has a gradient by its inputs
  GradientForm gradient = GradientForm::fixed_point;
  EpLearning learning;
};

struct EpFit {
  FitResult result;
  Vector kernel_params, likelihood_params;  // log scale
  Matrix inducing;
  EpEvidence evidence;  // its gradients are empty where they cost too much: theory.md#result
  double jitter;        // added to the diagonal of K_uu, absolute
};

// States between two iterations, from which a fit ends with the same bits as without a break.
struct EpCheckpoints {
  // Receives the fit as it is, without its evidence, sites and cavities, and the state; not called
  // if empty.
  std::function<void(const EpFit&, Numbers)> save;
  double seconds = 0.0;  // between two calls
  Numbers from;          // the state to begin with; empty: from the start
};

// What is fitted: a kernel, the factors of a likelihood, their rows, and the inducing inputs to
// start from.
struct EpProblem {
  Kernel& kernel;
  Factors& factors;
  EpPasses& passes;
  const Matrix& inducing;
  HeldOut held_out;
  std::uint64_t seed;
};

// Sets the parameters of the kernel and of the factors to the learned values.
EpFit fit_ep(const EpProblem& problem, const EpFitOptions& options,
             const EpCheckpoints& checkpoints, const Context& ctx);

}  // namespace gpsieve

#endif
