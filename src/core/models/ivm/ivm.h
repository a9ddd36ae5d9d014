// The informative vector machine (Lawrence, Seeger and Herbrich 2002): sites by assumed density
// filtering on an active set that is selected greedily, optionally refined by EP with the active
// points as inducing inputs.
#ifndef GPSIEVE_MODELS_IVM_IVM_H
#define GPSIEVE_MODELS_IVM_IVM_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/context.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

enum class Criterion { entropy, infogain, random };  // theory.md#scores

struct IvmOptions {
  Index n_active = 500;
  Criterion criterion = Criterion::entropy;
  Index n_random = 2;   // first inclusions, drawn at random
  Index n_full = 198;   // next inclusions, by scores of all rows; later ones by a selection index
  Index pool = 500;     // size of the selection index
  double retain = 0.5;  // share of the selection index that is kept after an inclusion
  int refine = 3;       // passes of EP over all rows: theory.md#refinement
  int settle = 200;     // and at most so many more until the sites have settled
  double settle_log_z = 0.0;  // or until passes change log Z by no more than this; 0: not then
  // Are the cavities of all rows wanted with Gaussian noise too? Refinement has those of classes.
  bool cavities = false;
};

// No count may exceed that of the rows.
inline IvmOptions for_rows(IvmOptions options, Index rows) {
  for (Index* count : {&options.n_active, &options.n_random, &options.n_full, &options.pool})
    *count = std::min(*count, rows);
  return options;
}

// One machine per latent function, each with its own stream of random numbers, of which the first
// has number `first_machine`: theory.md#several-classes.
FitResult fit_ivm(const FitProblem& problem, const IvmOptions& options, std::uint64_t seed,
                  const Context& ctx, Index first_machine = 0);

// Machines for parts of the rows, which may overlap: those of part t are fit_ivm() on its rows,
// with at most so many active points as it has rows, and have the numbers first_machine + t K and
// following for K latent functions. The parts are the tasks of the threads. Row numbers are those
// of x.
std::vector<FitResult> fit_ivm_parts(const FitProblem& problem, const IvmOptions& options,
                                     const std::vector<Indices>& parts, std::uint64_t seed,
                                     const Context& ctx, Index first_machine = 0);

// theory.md (13) for given sites and, in the vectors that are not empty, its gradient by the log
// parameters of the kernel and by the log precision of every site.
double active_evidence(const Kernel& kernel, Points active, VectorIn site_precision,
                       VectorIn site_mean, VectorOut grad, VectorOut grad_log_precision);

// What the machine was after each inclusion, from its sites in order of inclusion: element or
// column k - 1 is that of the first k sites. theory.md (10), (13) and (15).
struct InclusionPath {
  Vector information, log_evidence;  // nats of the inclusion itself; evidence of the sites so far
  Matrix mean, variance;             // of the latent function at each column of x
};

InclusionPath inclusion_path(const Kernel& kernel, Points active, VectorIn site_precision,
                             VectorIn site_mean, double prior_mean, Points x, const Context& ctx);

}  // namespace gpsieve

#endif
