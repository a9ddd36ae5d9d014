// The maximum of a smooth function between bounds, whose function is evaluated by the caller.
#include <cmath>
#include <functional>

#include "base/error.h"
#include "check.h"
#include "learning/quasi_newton.h"

using namespace gpsieve;

namespace {

using Function = std::function<ValueAndGradient(const Vector&)>;

QuasiNewtonSettings wide(Index size) {
  return {Vector::Constant(size, -50.0), Vector::Constant(size, 50.0), 1e-6, 1.0};
}

// Evaluates until the search is done, at most so many times; how often it did.
int run(QuasiNewton& search, const Function& f, int most) {
  int calls = 0;
  for (; !search.done() && calls < most; ++calls) search.tell(f(search.next()));
  return calls;
}

// A quadratic function with its maximum at 1, 2, ..., and curvatures from 1e-2 to 1e2.
ValueAndGradient valley(const Vector& at) {
  ValueAndGradient out{0.0, Vector(at.size())};
  for (Index i = 0; i < at.size(); ++i) {
    const double curvature = std::pow(10.0, -2.0 + 4.0 * static_cast<double>(i) /
                                                       static_cast<double>(at.size() - 1)),
                 distance = at(i) - static_cast<double>(i + 1);
    out.value -= 0.5 * curvature * distance * distance;
    out.gradient(i) = -curvature * distance;
  }
  return out;
}

// Minus Rosenbrock's function: a bent valley to (1, 1).
ValueAndGradient bent(const Vector& at) {
  const double a = 1.0 - at(0), b = at(1) - at(0) * at(0);
  Vector gradient(2);
  gradient << 2.0 * a + 400.0 * b * at(0), -200.0 * b;
  return {-a * a - 100.0 * b * b, gradient};
}

}  // namespace

TEST(quasi_newton_steps_reach_the_maximum_of_valleys) {
  const Vector begin = Vector::Zero(6);
  QuasiNewton search(begin, valley(begin), wide(6));
  const int calls = run(search, valley, 200);
  CHECK(search.converged() && calls < 120);
  for (Index i = 0; i < 6; ++i) CHECK_NEAR(search.best()(i), static_cast<double>(i + 1), 2e-4);

  Vector far(2);
  far << -1.2, 1.0;
  QuasiNewton along(far, bent(far), wide(2));
  CHECK(run(along, bent, 100) < 100 && along.converged());
  CHECK_NEAR(along.best()(0), 1.0, 1e-6);
  CHECK_NEAR(along.best()(1), 1.0, 1e-6);
}

TEST(quasi_newton_steps_stay_between_bounds) {
  const Vector begin = Vector::Constant(6, 1.0);
  QuasiNewtonSettings settings = wide(6);
  settings.lower(0) = 0.5;
  settings.upper.setConstant(3.5);
  QuasiNewton search(begin, valley(begin), settings);
  Vector least = begin, greatest = begin;
  const Function f = [&](const Vector& at) {
    least = least.cwiseMin(at);
    greatest = greatest.cwiseMax(at);
    return valley(at);
  };
  run(search, f, 200);
  CHECK(search.converged());
  CHECK(greatest.maxCoeff() == 3.5 && least(0) >= 0.5);
  for (Index i = 0; i < 6; ++i)
    CHECK_NEAR(search.best()(i), std::min(3.5, static_cast<double>(i + 1)), 2e-4);
  // A start at a bound beyond which the slope leads is a maximum.
  const Vector top = Vector::Constant(1, 2.0);
  settings = {Vector::Constant(1, -1.0), top, 1e-6, 1.0};
  CHECK(QuasiNewton(top, {0.0, Vector::Ones(1)}, settings).converged());
}

TEST(quasi_newton_steps_do_not_go_where_the_function_has_no_value) {
  // log(x) - x has no value below 0 and its maximum at 1; from 8 on, steps would lead below 0.
  const Vector begin = Vector::Constant(1, 8.0);
  const auto f = [](double x) -> ValueAndGradient {
    return {std::log(x) - x, Vector::Constant(1, 1.0 / x - 1.0)};
  };
  QuasiNewtonSettings settings = wide(1);
  settings.longest_step = 40.0;
  QuasiNewton search(begin, f(8.0), settings);
  int failures = 0;
  for (int calls = 0; !search.done() && calls < 60; ++calls) {
    if (search.next()(0) > 0.0) {
      search.tell(f(search.next()(0)));
    } else {
      ++failures;
      search.tell_failure();
    }
  }
  CHECK(search.converged() && failures > 0);
  CHECK_NEAR(search.best()(0), 1.0, 1e-5);
}

TEST(a_search_that_finds_nothing_greater_ends_and_does_not_say_that_it_converged) {
  // The slope is wrong: the function falls in its direction.
  const Vector begin = Vector::Zero(2);
  const Function wrong = [](const Vector& at) -> ValueAndGradient {
    return {-at.squaredNorm(), Vector::Ones(2)};
  };
  QuasiNewton search(begin, wrong(begin), wide(2));
  CHECK(run(search, wrong, 100) < 100);
  CHECK(search.done() && !search.converged() && search.best() == begin);
  // Numbers that are not finite are failures.
  const Function none = [](const Vector&) -> ValueAndGradient {
    return {std::nan(""), Vector::Zero(2)};
  };
  QuasiNewton lost(begin, bent(begin), wide(2));
  CHECK(run(lost, none, 100) < 100 && lost.best() == begin);
  CHECK_THROWS(QuasiNewton(begin, bent(begin), wide(3)), InvalidSpec);
}
