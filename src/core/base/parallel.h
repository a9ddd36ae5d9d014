// Two ways to use several threads. Results do not depend on the number of threads.
//
// parallel_blocks: short data-parallel loops. Bodies write disjoint outputs; the caller polls
//   before and after, so one call should stay well under 0.1 s.
// parallel_tasks: long independent tasks (one class of a one-vs-rest fit) on their own threads.
//   The main thread does nothing but poll and report, so an interrupt is noticed at once.
#ifndef GPSIEVE_BASE_PARALLEL_H
#define GPSIEVE_BASE_PARALLEL_H

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "context.h"
#include "error.h"

namespace gpsieve {

// body(i) for i = 0..n-1 on `threads` > 1 threads, each of which takes a run of neighbours. Without
// OpenMP the threads are started for this loop and end with it: a pool that outlived the loop would
// not survive a fork of the process, or the unloading of the package.
#ifdef _OPENMP
constexpr const char* kThreading = "OpenMP";

template <class Body>
void on_threads(int threads, Index n, const Body& body) {
#pragma omp parallel for schedule(static) num_threads(threads)
  for (Index i = 0; i < n; ++i) body(i);
}
#else
constexpr const char* kThreading = "std::thread";

template <class Body>
void on_threads(int threads, Index n, const Body& body) {
  const Index shares = std::min<Index>(threads, n);
  const auto work = [&](Index share) {
    for (Index i = n * share / shares; i < n * (share + 1) / shares; ++i) body(i);
  };
  std::vector<std::thread> others;
  others.reserve(shares);
  Index started = 1;
  try {
    for (; started < shares; ++started) others.emplace_back(work, started);
  } catch (const std::system_error&) {  // no more threads to be had: this one does their shares
  }
  work(0);
  for (Index share = started; share < shares; ++share) work(share);
  for (auto& thread : others) thread.join();
}
#endif

// body(begin, end) for consecutive blocks of `block` items that cover 0..n-1.
template <class Body>
void parallel_blocks(int threads, Index n, Index block, const Body& body) {
  const Index blocks = (n + block - 1) / block;
  if (threads <= 1 || blocks <= 1) {
    for (Index b = 0; b < blocks; ++b) body(b * block, std::min(n, (b + 1) * block));
    return;
  }
  std::exception_ptr failure;
  std::mutex mutex;
  on_threads(threads, blocks, [&](Index b) {
    try {
      body(b * block, std::min(n, (b + 1) * block));
    } catch (...) {
      std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
    }
  });
  if (failure) std::rethrow_exception(failure);
}

// task(i, context) for i = 0..n-1, at most ctx.threads at a time; each task sees a single-threaded
// context. The first failure (lowest i among those that ran) is rethrown after all have stopped.
template <class Task>
void parallel_tasks(const Context& ctx, Index n, const Task& task) {
  const int workers = static_cast<int>(std::min<Index>(ctx.threads, n));
  if (workers <= 1) {
    for (Index i = 0; i < n; ++i) {
      Context mine = ctx;
      if (ctx.progress)
        mine.progress = [&ctx, i, n](const Progress& p) {
          ctx.progress({(static_cast<double>(i) + p.done) / static_cast<double>(n), p.size});
        };
      task(i, mine);
    }
    return;
  }

  std::atomic<bool> cancel{false};
  std::atomic<Index> next{0};
  std::vector<std::atomic<double>> done(n);
  for (auto& d : done) d = 0.0;
  std::vector<std::exception_ptr> failures(n);
  std::mutex mutex;
  std::condition_variable finished;
  int running = workers;

  auto work = [&] {
    for (Index i = next++; i < n && !cancel; i = next++) {
      Context mine;
      mine.poll = [&cancel] {
        if (cancel) throw Cancelled();
      };
      mine.progress = [&done, i](const Progress& p) { done[i] = p.done; };
      try {
        task(i, mine);
        done[i] = 1.0;
      } catch (const Cancelled&) {
      } catch (...) {
        failures[i] = std::current_exception();
        cancel = true;
      }
    }
    std::lock_guard<std::mutex> lock(mutex);
    if (--running == 0) finished.notify_one();
  };

  std::vector<std::thread> threads;
  std::exception_ptr interrupted;
  try {
    for (int w = 0; w < workers; ++w) threads.emplace_back(work);
  } catch (...) {  // the system starts no more threads: those that run share the work
    std::lock_guard<std::mutex> lock(mutex);
    running -= workers - static_cast<int>(threads.size());
    if (threads.empty()) interrupted = std::current_exception();
  }
  while (!threads.empty()) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      if (finished.wait_for(lock, std::chrono::milliseconds(40), [&] { return running == 0; }))
        break;
    }
    if (interrupted) continue;
    try {
      double total = 0.0;
      for (const auto& d : done) total += d;
      ctx.report(total / static_cast<double>(n), 0);
    } catch (...) {
      interrupted = std::current_exception();
      cancel = true;
    }
  }
  for (auto& thread : threads) thread.join();
  if (interrupted) std::rethrow_exception(interrupted);
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  ctx.report(1.0, 0);
}

}  // namespace gpsieve

#endif
