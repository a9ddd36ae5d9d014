// What the host lends to a computation: threads, a chance to interrupt, a place to report.
#ifndef GPSIEVE_BASE_CONTEXT_H
#define GPSIEVE_BASE_CONTEXT_H

#include <functional>
#include <string>

#include "types.h"

namespace gpsieve {

// Asks the host whether to go on; throws if not. Empty: nobody to ask.
using Poll = std::function<void()>;

struct Progress {
  double done;  // fraction of the whole work, in [0, 1]
  Index size;   // active points, basis functions or rows seen so far
};

// Passed by const reference, never global. All three functions are called on the main thread
// only, between parallel regions; `poll` may throw to interrupt. Empty functions are silent.
struct Context {
  int threads = 1;
  Poll poll;
  std::function<void(const Progress&)> progress;
  std::function<void(const std::string&)> warn;

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
