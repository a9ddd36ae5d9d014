#include "context_r.h"

#include <R_ext/Utils.h>

#ifndef _WIN32
#include <unistd.h>
#endif

#include <algorithm>
#include <chrono>
#include <memory>

namespace gpsieve {
namespace {

using Clock = std::chrono::steady_clock;

// Limits how often R is called, whatever the number of polls by the core.
class Throttle {
 public:
  explicit Throttle(std::chrono::milliseconds interval) : interval_(interval) {}
  bool due() {
    const auto now = Clock::now();
    if (now - last_ < interval_) return false;
    last_ = now;
    return true;
  }

 private:
  std::chrono::milliseconds interval_;
  Clock::time_point last_ = Clock::now();
};

// A child process created by fork() has none of the threads that OpenMP started before, and would
// wait for them without end. There the core uses one thread, which changes no result.
#ifdef _WIN32
bool in_forked_child() { return false; }
#else
const pid_t loading_process = getpid();
bool in_forked_child() { return getpid() != loading_process; }
#endif

// Runs an R API call that may not return: R reports an interrupt, or a time limit that has run out,
// by a jump. The jump becomes an exception, so that the core's objects are
// destroyed on the way, and Rcpp resumes it at the boundary. What R signalled therefore arrives as
// it was: an interrupt as an interrupt, a time limit as an error.
template <class Call>
void let_r_jump(const Call& call) {
  Rcpp::unwindProtect([&call]() -> SEXP {
    call();
    return R_NilValue;
  });
}

}  // namespace

Context context(const Rcpp::List& settings) {
  Context ctx;
  ctx.threads = in_forked_child() ? 1 : std::max(1, Rcpp::as<int>(settings["threads"]));
  const auto poll = std::make_shared<Throttle>(std::chrono::milliseconds(40));
  ctx.poll = [poll] {
    if (poll->due()) let_r_jump([] { R_CheckUserInterrupt(); });
  };
  if (!Rf_isNull(settings["progress"])) {
    const Rcpp::Function update = settings["progress"];
    const auto report = std::make_shared<Throttle>(std::chrono::milliseconds(100));
    ctx.progress = [report, update](const Progress& progress) {
      if (report->due()) update(progress.done, static_cast<double>(progress.size));
    };
  }
  return ctx;
}

Index first_machine(const Rcpp::List& settings) {
  return static_cast<Index>(Rcpp::as<double>(settings["first_machine"]));
}

}  // namespace gpsieve
