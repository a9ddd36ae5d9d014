// Levels of a factor, given as numbers: variance v between rows of the same level, v rho cos(phi_a
// - phi_b) between rows of different levels a and b (theory.md (19)).
//
// Two rows have the same level if all their inputs are equal. Without angles the cosine is 1 and
// levels may be any numbers, in one input or several. With an angle for each of L levels, levels
// are the numbers 1 to L of a single input; other numbers are levels that the data lack, with
// covariance 0 with all others.
#include <cmath>

#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/families/leaf.h"
#include "kernel/spec_values.h"

namespace gpsieve {
namespace {

class Categorical final : public Leaf {
 public:
  // Values are (variance), (variance, odds) or (variance, odds, angles...), where odds are those of
  // the correlation, rho / (1 - rho).
  explicit Categorical(Vector values) : Leaf(std::move(values)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    const double rho = correlation();
    for_each_pair(a, b, [&](Index i, Index j, bool same) {
      k(i, j) = variance() * (same ? 1.0 : rho == 0.0 ? 0.0 : rho * likeness(a, i, b, j));
    });
  }
  void diagonal(Points, VectorOut k) const override { k.setConstant(variance()); }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    const double rho = correlation();
    double of_same = 0.0, of_others = 0.0;
    for_each_pair(a, b, [&](Index i, Index j, bool same) {
      if (same) {
        of_same += g(i, j);
      } else if (rho > 0.0) {
        of_others += g(i, j) * likeness(a, i, b, j);
        add_angles(level(a, i), level(b, j), variance() * rho * g(i, j), grad);
      }
    });
    grad[0] += variance() * (of_same + rho * of_others);
    // d rho / d log odds = rho (1 - rho)
    if (n_params() > 1) grad[1] += variance() * rho * (1.0 - rho) * of_others;
  }
  void diagonal_gradient(Points, VectorIn g, VectorOut grad) const override {
    grad[0] += variance() * g.sum();
  }
  // Levels do not move: the function is constant wherever it has a derivative.
  void input_gradient(Points, Points, MatrixIn, MatrixOut) const override {}
  void diagonal_input_gradient(Points, VectorIn, MatrixOut) const override {}

 private:
  static constexpr Index kFirstAngle = 2;

  template <class Visit>
  static void for_each_pair(Points a, Points b, const Visit& visit) {
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < a.cols(); ++i) visit(i, j, a.col(i) == b.col(j));
  }

  double correlation() const { return n_params() > 1 ? value(1) / (1.0 + value(1)) : 0.0; }
  bool placed() const { return n_params() > kFirstAngle; }

  // The number of a level from 0, or -1 for one without an angle.
  Index level(Points x, Index i) const {
    const double number = x(0, i);
    const double count = static_cast<double>(n_params() - kFirstAngle);
    const bool known = number >= 1.0 && number <= count && number == std::floor(number);
    return known ? static_cast<Index>(number) - 1 : -1;
  }
  double angle(Index level) const { return value(kFirstAngle + level); }

  double likeness(Points a, Index i, Points b, Index j) const {
    if (!placed()) return 1.0;
    const Index first = level(a, i), second = level(b, j);
    return first < 0 || second < 0 ? 0.0 : std::cos(angle(first) - angle(second));
  }
  void add_angles(Index first, Index second, double factor, VectorOut grad) const {
    if (!placed() || first < 0 || second < 0) return;
    const double slope = factor * std::sin(angle(first) - angle(second));
    grad[kFirstAngle + first] -= slope * angle(first);
    grad[kFirstAngle + second] += slope * angle(second);
  }
};

double odds_of_correlation(const KernelSpec& spec) {
  const double rho = non_negative_value(spec, "correlation");
  if (rho >= 1.0) refuse_value(spec, "correlation", "less than 1", rho);
  return rho / (1.0 - rho);
}

}  // namespace

std::unique_ptr<Kernel> make_categorical(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  const bool placed = spec.values.count("angle") > 0;
  expect_values(
      spec, placed ? Names{"variance", "correlation", "angle"} : Names{"variance", "correlation"});
  const double variance = positive_value(spec, "variance"), odds = odds_of_correlation(spec);
  if (!placed)
    return std::make_unique<Categorical>(
        odds > 0.0 ? join_values(variance, Vector::Constant(1, odds)) : join_values(variance, {}));
  if (inputs.width != 1)
    throw InvalidSpec("kernel 'categorical': angles need a single input, found " +
                      std::to_string(inputs.width) + " inputs");
  if (odds == 0.0) refuse_value(spec, "correlation", "positive where there are angles", 0.0);
  const auto& angles = spec.values.at("angle");
  for (const double angle : angles)
    if (!(angle > 0.0) || !std::isfinite(angle))
      refuse_value(spec, "angle", "positive and finite", angle);
  return std::make_unique<Categorical>(join_values(variance, Vector::Constant(1, odds), angles));
}

}  // namespace gpsieve
