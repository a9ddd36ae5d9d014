// The size of the active set at which rows that were put aside are predicted no better:
// theory.md#how-many-rows.
#ifndef GPSIEVE_MODELS_IVM_GROWTH_H
#define GPSIEVE_MODELS_IVM_GROWTH_H

#include <cstdint>
#include <vector>

#include "base/context.h"
#include "models/fit_problem.h"
#include "models/ivm/ivm.h"
#include "models/trace.h"

namespace gpsieve {

struct GrowthOptions {
  Indices aside;              // rows that take no part and are predicted
  Index first_size = 25;      // the next sizes are twice as large as the one before
  double least_errors = 1.0;  // what a doubling must gain, in standard errors of its mean
  double least_gain = 0.0;    // and in log density
  int level = 1;              // doublings in a row that must gain less before the growth stops
};

struct Growth {
  Index size = 0;               // at which the gains ended
  std::vector<TraceRow> curve;  // objective: mean log density of the rows put aside
};

// One selection for each column of y grows to at most options.n_active rows. All of them are judged
// together at each size, refined by options.refine passes.
Growth grow_ivm(const FitProblem& problem, const IvmOptions& options, const GrowthOptions& growth,
                std::uint64_t seed, const Context& ctx);

}  // namespace gpsieve

#endif
