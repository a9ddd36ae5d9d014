// What a computation gets from the host: a number of threads, an interrupt check, progress reports.
#ifndef GPSIEVE_BASE_CONTEXT_H
#define GPSIEVE_BASE_CONTEXT_H

#include <functional>

#include "types.h"

namespace gpsieve {

// Throws if the host wants the computation to stop. An empty function never does.
using Poll = std::function<void()>;

struct Progress {
  double done;  // fraction of the whole work, in [0, 1]
  Index size;   // active points, basis functions or rows seen so far
};

// Passed by const reference, never global. Both functions are called on the main thread
// only, between parallel regions; `poll` may throw to interrupt. Empty functions are not called.
struct Context {
  int threads = 1;
  Poll poll;
  std::function<void(const Progress&)> progress;

  void check() const {
    if (poll) poll();
  }
  void report(double done, Index size) const {
    check();
    if (progress) progress({done, size});
  }
};

}  // namespace gpsieve

#endif
