// A test runner in one header: TEST(name) { CHECK(...); CHECK_NEAR(a, b, tol); CHECK_THROWS(...); }
// SKIP(reason) ends a test that this computer cannot run; it counts as skipped, not as passed.
#ifndef GPSIEVE_TESTS_CHECK_H
#define GPSIEVE_TESTS_CHECK_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace check {

struct Case {
  const char* name;
  const char* file;
  std::function<void()> run;
};
inline std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}
struct Register {
  Register(const char* name, const char* file, std::function<void()> run) {
    cases().push_back({name, file, run});
  }
};
struct Skipped {
  const char* reason;
};
[[noreturn]] inline void fail(const char* file, int line, const std::string& what) {
  std::ostringstream message;
  message << file << ":" << line << ": " << what;
  throw std::logic_error(message.str());
}
inline void near(double a, double b, double tolerance, const char* file, int line) {
  if (std::isnan(a) && std::isnan(b)) return;
  if (a == b) return;
  if (!(std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b)))) {
    std::ostringstream message;
    message.precision(17);
    message << a << " is not near " << b << " (tolerance " << tolerance << ")";
    fail(file, line, message.str());
  }
}
// Runs the tests whose name or file contains one of `parts`; all of them where there are none. Says
// which file it has come to.
inline int run_all(const std::vector<std::string>& parts) {
  const auto wanted = [&](const Case& test) {
    return parts.empty() || std::any_of(parts.begin(), parts.end(), [&](const std::string& part) {
             return std::strstr(test.name, part.c_str()) || std::strstr(test.file, part.c_str());
           });
  };
  int passed = 0, failed = 0, skipped = 0;
  const char* file = "";
  for (const auto& test : cases()) {
    if (!wanted(test)) continue;
    if (std::strcmp(file, test.file) != 0) {
      file = test.file;
      std::printf("running %s\n", file);
      std::fflush(stdout);
    }
    try {
      test.run();
      ++passed;
    } catch (const Skipped& skip) {
      ++skipped;
      std::printf("skipped %s: %s\n", test.name, skip.reason);
    } catch (const std::exception& e) {
      ++failed;
      std::printf("FAILED %s: %s\n", test.name, e.what());
    }
  }
  std::printf("%d passed, %d failed", passed, failed);
  if (skipped > 0) std::printf(", %d skipped", skipped);
  std::printf("\n");
  return passed > 0 && failed == 0 ? 0 : 1;
}

}  // namespace check

#define TEST(name)                                                            \
  static void test_##name();                                                  \
  static const check::Register register_##name(#name, __FILE__, test_##name); \
  static void test_##name()
#define CHECK(condition) \
  if (!(condition)) check::fail(__FILE__, __LINE__, #condition " does not hold")
#define SKIP(reason) \
  throw check::Skipped { reason }
#define CHECK_NEAR(a, b, tolerance) check::near((a), (b), (tolerance), __FILE__, __LINE__)
#define CHECK_THROWS(expression, type)                                                 \
  do {                                                                                 \
    bool thrown = false;                                                               \
    try {                                                                              \
      (void)(expression);                                                              \
    } catch (const type&) {                                                            \
      thrown = true;                                                                   \
    }                                                                                  \
    if (!thrown) check::fail(__FILE__, __LINE__, #expression " did not throw " #type); \
  } while (false)

#endif
