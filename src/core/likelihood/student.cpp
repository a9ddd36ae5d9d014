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

class Student final : public Likelihood {
 public:
  Student(double df, double scale)
      : df_(df), scale_(scale), shape_(0.5 * df), mixture_(tabulate(shape_)) {
    log_constant_ = log_gamma(shape_ + 0.5) - log_gamma(shape_) - 0.5 * std::log(kPi * df_);
  }

  Response response() const override { return Response::real; }
  bool log_concave() const override { return false; }

  double log_density(double y, double f) const override {
    const double t = (y - f) / scale_;
    return log_constant_ - std::log(scale_) - (shape_ + 0.5) * std::log1p(t * t / df_);
  }
  Tilted derivatives(double y, double f) const override {
    const double t = (y - f) / scale_;
    const double spread = df_ + t * t;
    return {log_density(y, f), (df_ + 1.0) * (t / spread) / scale_,
            (df_ + 1.0) * ((t - std::sqrt(df_)) / spread) * ((t + std::sqrt(df_)) / spread) /
                (scale_ * scale_)};
  }

  using Likelihood::tilted;
  Tilted tilted(double y, double mu, double var) const override {
    if (var == 0.0) return derivatives(y, mu);
    const Average a = average(y - mu, var);
    return {a.log_z, a.d1, a.d2};
  }
  void tilted_gradient(double y, double mu, double var, VectorOut grad) const override {
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
    double shape, s2, var, residual;
    double wide(double u) const { return s2 * std::exp(-u); }
    double log_weight(double u) const { return log_weight(u, var + wide(u)); }
    double log_weight(double u, double c) const {
      return -shape * exp_minus_linear(u) - 0.5 * (std::log(c) + residual * (residual / c));
    }
    // The weight, relative to the largest.
    double add(double u, double log_top, Sums& sums) const {
      const double w = wide(u);
      const double c = var + w;
      const double weight = std::exp(log_weight(u, c) - log_top);
      const double d = residual / c;
      sums.weight += weight;
      sums.first += weight * d;
      sums.squares += weight * d * d;
      sums.second += weight / c;
      sums.scale += weight * (residual * d - 1.0) * (w / c);
      return weight;
    }
  };

  Average average(double residual, double var) const {
    const Integrand g{shape_, scale_ * scale_, var, residual};
    // The weight increases up to `low` and decreases from `high` on: all modes lie between them.
    const double low = std::min(0.0, 2.0 * std::log(scale_ / (std::abs(residual) + scale_)));
    const double high = std::log1p(0.5 / shape_);
    const double h = std::min(0.2, 0.5 / std::sqrt(shape_ + 0.5));
    double top = g.log_weight(low);
    for (double u = low; u <= high + h; u += h) top = std::max(top, g.log_weight(u));

    // The trapezoidal rule on the whole line, outwards until the terms are negligible, for an
    // integrand whose features have at least the width 2 h and that is bounded where |Im u| < pi
    // / 2.
    constexpr double kNegligible = 1e-15;
    Sums sums;
    for (double u = low; g.add(u, top, sums) > kNegligible || u < high;) u += h;
    for (double u = low - h; g.add(u, top, sums) > kNegligible;) u -= h;
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
};

}  // namespace

std::unique_ptr<Likelihood> make_student(const LikelihoodSpec& spec) {
  return std::make_unique<Student>(positive_value(spec, "df"), positive_value(spec, "scale"));
}

}  // namespace gpsieve
