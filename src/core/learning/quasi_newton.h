// The maximum of a smooth function between bounds, by limited-memory quasi-Newton steps with a line
// search (theory.md#quasi-newton-steps). The function is evaluated by the caller.
#ifndef GPSIEVE_LEARNING_QUASI_NEWTON_H
#define GPSIEVE_LEARNING_QUASI_NEWTON_H

#include <deque>

#include "base/types.h"

namespace gpsieve {

// A function's value at some parameters and its gradient there.
struct ValueAndGradient {
  double value;
  Vector gradient;
};

struct QuasiNewtonSettings {
  Vector lower, upper;  // between which every parameter stays
  double small_slope;   // the search has converged where no slope that bounds allow exceeds this
  double longest_step;  // how far one line search may move any parameter
};

// Asks for the function at next() and is told what it is there, until done(). best() is the point
// of greatest value so far.
class QuasiNewton {
 public:
  QuasiNewton(const Vector& begin, const ValueAndGradient& at, const QuasiNewtonSettings& settings);

  bool done() const { return done_; }
  // Did the search end because the slopes are small?
  bool converged() const { return converged_; }
  const Vector& next() const { return next_; }
  const Vector& best() const { return best_; }

  void tell(const ValueAndGradient& at);
  // The function has no value at next().
  void tell_failure();

 private:
  // What is known of a point of the line from `from_` in the direction `direction_`.
  struct LinePoint {
    double step;  // in units of `direction_`
    Vector params;
    ValueAndGradient found;  // a value that is not finite: unknown
  };

  void begin_line();
  void try_step(double step);
  void try_between();
  void shorten(double value);
  void accept(const Vector& params, const ValueAndGradient& found);
  void give_up_line();
  Vector within(const Vector& params) const;
  bool is_free(Index i, double slope) const;
  Vector free_gradient() const;
  Vector times_inverse_hessian(const Vector& gradient) const;

  const QuasiNewtonSettings settings_;
  Vector from_, direction_, next_, best_;
  ValueAndGradient at_;  // `from_`
  double best_value_;
  struct Pair {
    Vector step, change;  // change: of the gradient of the function's negative
    double product;
  };
  std::deque<Pair> pairs_;
  // A maximum of the line lies beyond the first point and, where has_high_, before the second.
  LinePoint low_, high_;
  bool has_high_ = false;
  double step_ = 0.0, longest_ = 0.0;
  int trials_ = 0;
  bool done_ = false, converged_ = false;
};

}  // namespace gpsieve

#endif
