// The training algorithms (theory.md#training), which regression and classification share.
#ifndef GPSIEVE_MODELS_RVM_SCHEDULE_H
#define GPSIEVE_MODELS_RVM_SCHEDULE_H

#include "base/rng.h"
#include "models/rvm/model.h"
#include "models/trace.h"

namespace gpsieve {

// Appends the present evidence and number of active functions to the trace.
void record(const RvmModel& model, Trace& trace);

// Each function trains the model; false if it stopped at max_iter before it had converged.
// train_em() is batch EM on all candidates, train_ssem() subspace EM.
bool train_em(RvmModel& model, const RvmDesignMatrix& design, const RvmOptions& options,
              Trace& trace, const Context& ctx);
bool train_ssem(RvmModel& model, const RvmDesignMatrix& design, const RvmOptions& options, Rng& rng,
                Trace& trace, const Context& ctx);
// Fast updates: regression starts from its single best function, classification from the empty
// model.
bool train_fast_regression(RvmModel& model, const RvmDesignMatrix& design,
                           const RvmOptions& options, Trace& trace, const Context& ctx);
bool train_fast_classification(RvmModel& model, const RvmDesignMatrix& design,
                               const RvmOptions& options, Trace& trace, const Context& ctx);

}  // namespace gpsieve

#endif
