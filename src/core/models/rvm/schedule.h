// The schedules of training, the same for regression and classification.
#ifndef GPSIEVE_MODELS_RVM_SCHEDULE_H
#define GPSIEVE_MODELS_RVM_SCHEDULE_H

#include <chrono>

#include "base/rng.h"
#include "models/rvm/machine.h"

namespace gpsieve {

class RvmTrace {
 public:
  void note(const RvmMachine& machine);
  // At most a few hundred rows: the first ones, and the others evenly thinned.
  std::vector<TraceRow> rows() const;

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<TraceRow> rows_;
};

// Trains the machine; false if max_iter was not enough.
bool train_em(RvmMachine& machine, const RvmCandidates& candidates, const RvmOptions& options,
              RvmTrace& trace, const Context& ctx);
bool train_ssem(RvmMachine& machine, const RvmCandidates& candidates, const RvmOptions& options,
                Rng& rng, RvmTrace& trace, const Context& ctx);
// Regression starts from its single best function, classification from the empty model.
bool train_fast_regression(RvmMachine& machine, const RvmCandidates& candidates,
                           const RvmOptions& options, RvmTrace& trace, const Context& ctx);
bool train_fast_classification(RvmMachine& machine, const RvmCandidates& candidates,
                               const RvmOptions& options, RvmTrace& trace, const Context& ctx);

}  // namespace gpsieve

#endif
