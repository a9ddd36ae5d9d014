// p(y | f) = t_df((y - f) / scale) / scale: heavy tails, not log-concave in f. Everything is
// computed from the scale mixture of normals, theory.md (16), by the trapezoidal rule in u = log
// lambda. It converges geometrically, where a rule in f would have to find a peak of width `scale`.
#include <algorithm>
#include <cmath>
#include <vector>

#include "likelihood/factories.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/normal.h"

namespace gpsieve {
namespace {

// Nodes 1 / lambda_i and weights of the mixture, with absolute errors below 1e-15.
struct Mixture {
  std::vector<double> inverse, weights;
};
Mixture tabulate(double shape) {
  // The error of the rule is about exp(-2 pi^2 / (h^2 shape)), or exp(-7.5 / h) for small shapes.
  const double h = std::min(0.2, 0.7 / std::sqrt(shape));
  constexpr double kNegligible = 41.0;
  constexpr double kLowest = -700.0;  // 1 / lambda overflows below
  Mixture mixture;
  double total = 0.0;
  for (double side : {-1.0, 1.0}) {
    for (double k = side < 0.0 ? 1.0 : 0.0;; k += 1.0) {
      const double u = side * k * h;
      const double exponent = -shape * exp_minus_linear(u);
      if (exponent < -kNegligible) break;
      const bool rest = u < kLowest;  // the remaining weights are a geometric series (df < 0.12)
      mixture.inverse.push_back(rest ? kInfinity : std::exp(-u));
      mixture.weights.push_back(std::exp(exponent) / (rest ? -std::expm1(-shape * h) : 1.0));
      total += mixture.weights.back();
      if (rest) break;
    }
  }
  for (double& weight : mixture.weights) weight /= total;
  return mixture;
}

// Nodes u = k h of the trapezoidal rule: 1 / lambda, and the exponent of the Gamma density of u.
// Those that residuals need are tabulated, which holds for all scales.
class Nodes {
 public:
  struct Node {
    double inverse, exponent;
  };
  explicit Nodes(double shape) : shape_(shape), step_(std::min(0.2, 0.5 / std::sqrt(shape + 0.5))) {
    for (Index k = -kReach; k <= kReach; ++k) table_.push_back(compute(k));
  }
  double step() const { return step_; }
  Node at(Index k) const {
    return std::abs(k) <= kReach ? table_[static_cast<std::size_t>(k + kReach)] : compute(k);
  }

 private:
  static constexpr Index kReach = 400;

  Node compute(Index k) const {
    const double u = static_cast<double>(k) * step_;
    return {std::exp(-u), -shape_ * exp_minus_linear(u)};
  }

  double shape_, step_;
  std::vector<Node> table_;
};

class Student final : public Likelihood {
 public:
  Student(double df, double scale)
      : df_(df), scale_(scale), shape_(0.5 * df), mixture_(tabulate(shape_)), nodes_(shape_) {
    log_constant_ = log_gamma(shape_ + 0.5) - log_gamma(shape_) - 0.5 * std::log(kPi * df_);
  }

  Response response() const override { return Response::real; }
  bool log_concave() const override { return false; }

  double log_density(Observed y, double f) const override {
    const double t = (y - f) / scale_;
    return log_constant_ - std::log(scale_) - (shape_ + 0.5) * std::log1p(t * t / df_);
  }
  Tilted derivatives(Observed y, double f) const override {
    const double t = (y - f) / scale_;
    const double spread = df_ + t * t;
    return {log_density(y, f), (df_ + 1.0) * (t / spread) / scale_,
            (df_ + 1.0) * ((t - std::sqrt(df_)) / spread) * ((t + std::sqrt(df_)) / spread) /
                (scale_ * scale_)};
  }

  using Likelihood::tilted;
  Tilted tilted(Observed y, double mu, double var) const override {
    if (var == 0.0) return derivatives(y, mu);
    const Average a = average(y - mu, var);
    return {a.log_z, a.d1, a.d2};
  }
  void tilted_gradient(Observed y, double mu, double var, VectorOut grad) const override {
    grad[0] = average(y - mu, var).d_log_scale;
  }

  // The mean is the centre of symmetry; it does not exist as an integral for df <= 1.
  Predicted predict(double mu, double var) const override {
    if (df_ <= 2.0) return {mu, kInfinity};
    return {mu, var + scale_ * scale_ * df_ / (df_ - 2.0)};
  }
  double cdf(double y, double mu, double var) const override {
    double sum = 0.0;
    for (std::size_t i = 0; i < mixture_.weights.size(); ++i) {
      const double variance = var + scale_ * scale_ * mixture_.inverse[i];
      sum += mixture_.weights[i] * normal::cdf((y - mu) / std::sqrt(variance));
    }
    return sum;
  }

  Index n_params() const override { return 1; }
  Vector params() const override { return Vector::Constant(1, std::log(scale_)); }
  void set_params(VectorIn log_params) override { scale_ = std::exp(log_params[0]); }

 private:
  // theory.md (17), with residual = y - mu.
  struct Average {
    double log_z, d1, d2, d_log_scale;
  };
  struct Sums {
    double weight = 0.0, first = 0.0, squares = 0.0, second = 0.0, scale = 0.0;
  };

  struct Integrand {
    double s2, var, residual;
    double log_weight(const Nodes::Node& node) const {
      const double c = var + s2 * node.inverse;
      return node.exponent - 0.5 * (std::log(c) + residual * (residual / c));
    }
    // The weight, relative to the largest.
    double add(const Nodes::Node& node, double log_top, Sums& sums) const {
      const double w = s2 * node.inverse;
      const double c = var + w;
      const double d = residual / c;
      const double weight = std::exp(node.exponent - 0.5 * residual * d - log_top) / std::sqrt(c);
      if (!(weight > 0.0)) return 0.0;
      sums.weight += weight;
      sums.first += weight * d;
      sums.squares += weight * d * d;
      sums.second += weight / c;
      sums.scale += weight * (residual * d - 1.0) * (w / c);
      return weight;
    }
  };

  Average average(double residual, double var) const {
    const Integrand g{scale_ * scale_, var, residual};
    const double h = nodes_.step();
    // The weight increases up to `low` and decreases from `high` on: all modes lie between them.
    constexpr double kLowest = -3000.0;  // below the logarithm of any squared ratio of two doubles
    const double lowest = 2.0 * std::log(scale_ / (std::abs(residual) + scale_));
    const auto low = static_cast<Index>(std::floor(std::min(0.0, std::max(kLowest, lowest)) / h));
    const auto high = static_cast<Index>(std::ceil(std::log1p(0.5 / shape_) / h));
    double top = -kInfinity;
    for (Index k = low; k <= high; ++k) top = std::max(top, g.log_weight(nodes_.at(k)));

    // The trapezoidal rule on the whole line, outwards until the terms are negligible, for an
    // integrand whose features have at least the width 2 h and that, continued to complex u, is
    // bounded where the imaginary part is within pi / 2 of 0.
    constexpr double kNegligible = 1e-15;
    Sums sums;
    for (Index k = low; g.add(nodes_.at(k), top, sums) > kNegligible || k < high;) ++k;
    for (Index k = low - 1; g.add(nodes_.at(k), top, sums) > kNegligible;) --k;
    return finish(sums, h, top);
  }

  Average finish(const Sums& s, double h, double log_top) const {
    const double d1 = s.first / s.weight;
    // log of shape^shape exp(-shape) / Gamma(shape), the Gamma density's constant in u.
    const double log_gamma_constant = 0.5 * std::log(shape_) - kLogSqrt2Pi - stirling_error(shape_);
    return {log_gamma_constant - kLogSqrt2Pi + log_top + std::log(s.weight * h), d1,
            (s.squares / s.weight - d1 * d1) - s.second / s.weight, s.scale / s.weight};
  }

  double df_, scale_, shape_, log_constant_;
  Mixture mixture_;
  Nodes nodes_;
};

}  // namespace

std::unique_ptr<Likelihood> make_student(const LikelihoodSpec& spec) {
  return std::make_unique<Student>(positive_value(spec, "df"), positive_value(spec, "scale"));
}

}  // namespace gpsieve
