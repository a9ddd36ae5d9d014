// Random numbers are the same on every computer, and the number of threads does not change results.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include "base/large_pages.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "check.h"

using namespace gpsieve;

constexpr std::uint64_t kStreamStep = 0x632be59bd9b4e019ULL;  // what one stream adds to the seed

static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

// xoshiro256++ as its authors publish it.
static std::uint64_t reference_next(std::uint64_t* s) {
  const std::uint64_t result = rotate(s[0] + s[3], 23) + s[0];
  const std::uint64_t t = s[1] << 17;
  s[2] ^= s[0];
  s[3] ^= s[1];
  s[1] ^= s[2];
  s[0] ^= s[3];
  s[2] ^= t;
  s[3] = rotate(s[3], 45);
  return result;
}

// Works in small steps until it is told to stop; gives up after some ten seconds, and counts that.
static void work_until_stopped(const Context& ctx, std::atomic<int>& never_stopped) {
  for (int step = 0; step < 10000; ++step) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ctx.check();
  }
  ++never_stopped;
}

TEST(rng_is_xoshiro256_plus_plus_seeded_by_split_mix) {
  // Published vectors of xoshiro256++ from the state 1, 2, 3, 4.
  std::uint64_t state[4] = {1, 2, 3, 4};
  for (const std::uint64_t expected :
       {41943041ULL, 58720359ULL, 3588806011781223ULL, 3591011842654386ULL, 9228616714210784205ULL})
    CHECK(reference_next(state) == expected);

  // Published vectors of SplitMix64 from 1234567 fill the state.
  std::uint64_t seeded[4] = {6457827717110365317ULL, 3203168211198807973ULL, 9817491932198370423ULL,
                             4593380528125082431ULL};
  Rng rng(1234567 - kStreamStep), second(1234567 - 2 * kStreamStep, 1);
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t expected = reference_next(seeded);
    CHECK(rng.next() == expected);
    CHECK(second.next() == expected);
  }
}

TEST(rng_streams_repeat_and_differ) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0ULL, 1ULL, 42ULL, ~0ULL})
    for (std::uint64_t stream = 0; stream < 20; ++stream) {
      Rng a(seed, stream), b(seed, stream);
      for (int i = 0; i < 50; ++i) {
        const std::uint64_t draw = a.next();
        CHECK(draw == b.next());
        CHECK(seen.insert(draw).second);  // 4000 draws of 64 bits: a repetition is no accident
      }
    }
}

TEST(rng_uniform_lies_in_the_half_open_interval) {
  Rng rng(3);
  double sum = 0.0, squares = 0.0;
  const int n = 100000;
  for (int i = 0; i < n; ++i) {
    const double u = rng.uniform();
    CHECK(u >= 0.0 && u < 1.0);
    sum += u;
    squares += u * u;
  }
  CHECK_NEAR(sum / n, 0.5, 5.0 * std::sqrt(1.0 / 12.0 / n));
  CHECK_NEAR(squares / n, 1.0 / 3.0, 5.0 * std::sqrt(4.0 / 45.0 / n));
}

TEST(rng_below_is_unbiased) {
  for (const Index n : {2, 3, 7, 10, 64, 100}) {
    Rng rng(11, static_cast<std::uint64_t>(n));
    std::vector<double> count(n, 0.0);
    const double draws = 20000.0;
    for (int i = 0; i < 20000; ++i) {
      const Index draw = rng.below(n);
      CHECK(draw >= 0 && draw < n);
      count[draw] += 1.0;
    }
    const double expected = draws / static_cast<double>(n), freedom = static_cast<double>(n - 1);
    double chi_square = 0.0;
    for (const double c : count) chi_square += (c - expected) * (c - expected) / expected;
    CHECK(std::abs(chi_square - freedom) < 4.5 * std::sqrt(2.0 * freedom) + 3.0);
  }
  // Where the modulus would show: 2^64 is 2 2/3 times this bound, so without rejection the lower
  // two thirds would come up half as often again as the rest.
  const Index large = std::numeric_limits<Index>::max() / 4 * 3;
  Rng rng(12);
  int low = 0;
  for (int i = 0; i < 30000; ++i) low += rng.below(large) < large / 3;
  CHECK_NEAR(low / 30000.0, 1.0 / 3.0, 0.015);
  CHECK(rng.below(1) == 0);
}

TEST(rng_shuffle_front_permutes_uniformly) {
  for (const Index count : {0, 1, 5, 19, 20, 50}) {
    Rng rng(5);
    Indices items(20);
    std::iota(items.begin(), items.end(), Index{100});
    rng.shuffle_front(items, count);
    Indices sorted = items;
    std::sort(sorted.begin(), sorted.end());
    for (Index i = 0; i < 20; ++i) CHECK(sorted[i] == 100 + i);
    if (count == 0) CHECK(items == sorted);
  }
  Rng rng(6);
  Matrix count = Matrix::Zero(6, 3);  // item by place
  for (int i = 0; i < 12000; ++i) {
    Indices items = {0, 1, 2, 3, 4, 5};
    rng.shuffle_front(items, 3);
    for (Index place = 0; place < 3; ++place) count(items[place], place) += 1.0;
  }
  CHECK(((count.array() - 2000.0).abs() < 5.0 * std::sqrt(2000.0)).all());
  Indices none;
  rng.shuffle_front(none, 3);
  CHECK(none.empty());
}

TEST(parallel_blocks_cover_every_index_once) {
  for (const int threads : {0, 1, 2, 4})
    for (const Index n : {0, 1, 9, 10, 11, 1000})
      for (const Index block : {1, 10, 2000}) {
        std::vector<int> visits(n, 0);
        parallel_blocks(threads, n, block, [&](Index begin, Index end) {
          if (begin % block != 0 || end <= begin || end - begin > block)
            throw std::logic_error("not a block");
          for (Index i = begin; i < end; ++i) ++visits[i];
        });
        CHECK(std::count(visits.begin(), visits.end(), 1) == n);
      }
}

TEST(parallel_blocks_rethrow_what_a_body_throws) {
  for (const int threads : {1, 2, 4}) {
    auto body = [](Index begin, Index) {
      if (begin == 70) throw NumericalFailure("block 70");
    };
    CHECK_THROWS(parallel_blocks(threads, 100, 10, body), NumericalFailure);
    auto always = [](Index, Index) { throw 1; };
    CHECK_THROWS(parallel_blocks(threads, 100, 10, always), int);
  }
}

TEST(parallel_blocks_give_the_same_bits_whatever_the_threads) {
  Vector results[3];
  const int threads[3] = {1, 2, 4};
  for (int t = 0; t < 3; ++t) {
    results[t].resize(1000);
    parallel_blocks(threads[t], 1000, 7, [&](Index begin, Index end) {
      double sum = 0.0;
      for (Index i = begin; i < end; ++i) results[t](i) = sum += std::sin(static_cast<double>(i));
    });
    CHECK(results[t] == results[0]);
  }
}

TEST(parallel_tasks_run_every_task) {
  for (const int threads : {1, 2, 4})
    for (const Index n : {0, 1, 3, 50}) {
      Context ctx;
      ctx.threads = threads;
      std::vector<double> result(n, 0.0);
      parallel_tasks(ctx, n, [&](Index i, const Context& task) {
        task.report(0.5, i);
        result[i] += static_cast<double>(Rng(9, static_cast<std::uint64_t>(i)).below(1000));
      });
      for (Index i = 0; i < n; ++i)
        CHECK(result[i] == static_cast<double>(Rng(9, static_cast<std::uint64_t>(i)).below(1000)));
    }
}

TEST(parallel_tasks_rethrow_the_lowest_failure) {
  for (const int threads : {1, 2, 4}) {
    Context ctx;
    ctx.threads = threads;
    std::atomic<int> arrived{0};
    std::string message;
    try {
      parallel_tasks(ctx, 8, [&](Index i, const Context&) {
        // Tasks that run at the same time wait for each other here, so that all of them fail.
        ++arrived;
        while (arrived < threads) std::this_thread::yield();
        throw NumericalFailure("task " + std::to_string(i));
      });
    } catch (const NumericalFailure& failure) {
      message = failure.what();
    }
    CHECK(message == "task 0");
  }
}

TEST(a_failing_task_cancels_the_others) {
  Context ctx;
  ctx.threads = 4;
  std::atomic<int> started{0}, never_stopped{0};
  CHECK_THROWS(parallel_tasks(ctx, 100,
                              [&](Index i, const Context& task) {
                                ++started;
                                if (i == 3) throw InvalidSpec("task 3");
                                work_until_stopped(task, never_stopped);
                              }),
               InvalidSpec);
  CHECK(never_stopped == 0);
  CHECK(started <= 5);
}

TEST(an_interrupt_cancels_the_workers_and_is_rethrown) {
  struct Interrupt {};
  for (const int threads : {1, 2, 4}) {
    Context ctx;
    ctx.threads = threads;
    const auto main_thread = std::this_thread::get_id();
    std::atomic<int> polls{0}, elsewhere{0}, never_stopped{0};
    ctx.poll = [&] {
      if (std::this_thread::get_id() != main_thread) ++elsewhere;
      if (++polls < 3) return;
      throw Interrupt();
    };
    const auto work = [&](Index, const Context& task) { work_until_stopped(task, never_stopped); };
    CHECK_THROWS(parallel_tasks(ctx, 6, work), Interrupt);
    CHECK(never_stopped == 0);
    CHECK(elsewhere == 0);
    CHECK(polls == 3);  // once it has thrown it is left alone
  }
}

TEST(progress_of_tasks_is_monotone_and_on_the_main_thread) {
  for (const int threads : {1, 2, 4}) {
    Context ctx;
    ctx.threads = threads;
    const auto main_thread = std::this_thread::get_id();
    std::vector<double> seen;
    bool elsewhere = false;
    ctx.progress = [&](const Progress& p) {
      elsewhere = elsewhere || std::this_thread::get_id() != main_thread;
      seen.push_back(p.done);
    };
    parallel_tasks(ctx, 5, [](Index, const Context& task) {
      for (int step = 1; step <= 10; ++step) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        task.report(0.1 * step, step);
      }
    });
    CHECK(!elsewhere);
    CHECK(!seen.empty());
    CHECK(std::is_sorted(seen.begin(), seen.end()));
    CHECK(seen.front() >= 0.0 && seen.back() <= 1.0 + 1e-12);
  }
}

TEST(large_pages_hold_what_is_written) {
  for (const Index rows : {Index{0}, Index{1}, Index{511}, Index{900}}) {
    const Matrix zero = large_zero_matrix(rows, rows + 3);
    CHECK(zero.rows() == rows && zero.cols() == rows + 3);
    CHECK(zero.isZero(0.0));
    // A second request, for a part that begins and ends between two pages.
    Matrix numbers = large_matrix(rows, rows);
    for (Index i = 0; i < numbers.size(); ++i) numbers.data()[i] = static_cast<double>(i);
    if (rows > 1)
      request_large_pages(numbers.data() + 1,
                          sizeof(double) * static_cast<std::size_t>(numbers.size() - 2));
    bool kept = true;
    for (Index i = 0; i < numbers.size(); ++i)
      kept = kept && numbers.data()[i] == static_cast<double>(i);
    CHECK(kept);
  }
}
