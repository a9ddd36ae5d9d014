// Gaussian processes on inducing inputs by expectation propagation, stochastic expectation
// propagation or assumed density filtering, over all rows or minibatches, with hyper-parameters and
// inducing inputs learned along the way (Hernandez-Lobato et al. 2015; math: EP).
#ifndef GPSIEVE_MODELS_EP_EP_H
#define GPSIEVE_MODELS_EP_EP_H

#include <cstdint>

#include "models/fit_result.h"
#include "sparse_ep/evidence.h"

namespace gpsieve {

// What is learned, and how. Nothing by default.
struct EpLearning {
  std::vector<bool> free;  // of the kernel's and then the likelihood's log parameters
  Indices group;           // of the same parameters: equal numbers share a step size ("authors")
  bool inducing = false;   // the inducing inputs too
  std::string optimiser = "adadelta";
  double rate = 1.0;
  GradientForm form = GradientForm::paper;
};

struct EpFitOptions {
  Schedule schedule = Schedule::tied;
  double damping = 1.0;
  bool warm = true;
  Index batch_size = 0;    // 0: all rows in each pass
  Index iterations = 250;  // updates: passes, or minibatches
  bool shuffle = true;     // rows anew in each epoch; otherwise blocks in the order of the rows
  double jitter = 1e-6;
  double tolerance = 1e-6;     // at fixed hyper-parameters: stop when nothing moved by more
  Index patience = 10;         // updates since the least held-out loss before stopping
  bool input_gradient = true;  // of the final evidence; not every kernel has one
  EpLearning learning;
};

// Rows that take no part in learning; `factors` may be null.
struct HeldOut {
  Factors* factors;
  Points x;
};

struct EpFit {
  FitResult result;
  Vector kernel_params, likelihood_params;  // log scale
  Matrix inducing;
  EpEvidence evidence;  // gradients only where they are cheap beside the fit
  double jitter;        // absolute
};

// The kernel's and the factors' parameters are changed to the learned ones.
EpFit fit_ep(Kernel& kernel, Factors& factors, Points x, const Matrix& inducing,
             const HeldOut& held_out, const EpFitOptions& options, std::uint64_t seed,
             const Context& ctx);

}  // namespace gpsieve

#endif
