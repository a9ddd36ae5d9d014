// The schedules of training, the same for regression and classification.
#ifndef GPSIEVE_MODELS_RVM_SCHEDULE_H
#define GPSIEVE_MODELS_RVM_SCHEDULE_H

#include "base/rng.h"
#include "models/rvm/machine.h"
#include "models/trace.h"

namespace gpsieve {

// One more row, numbered from 0.
void record(const RvmMachine& machine, Trace& trace);

// Trains the machine; false if max_iter was not enough.
bool train_em(RvmMachine& machine, const RvmCandidates& candidates, const RvmOptions& options,
              Trace& trace, const Context& ctx);
bool train_ssem(RvmMachine& machine, const RvmCandidates& candidates, const RvmOptions& options,
                Rng& rng, Trace& trace, const Context& ctx);
// Regression starts from its single best function, classification from the empty model.
bool train_fast_regression(RvmMachine& machine, const RvmCandidates& candidates,
                           const RvmOptions& options, Trace& trace, const Context& ctx);
bool train_fast_classification(RvmMachine& machine, const RvmCandidates& candidates,
                               const RvmOptions& options, Trace& trace, const Context& ctx);

}  // namespace gpsieve

#endif
