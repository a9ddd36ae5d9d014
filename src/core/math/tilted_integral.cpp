#include "math/tilted_integral.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/error.h"
#include "math/constants.h"
#include "math/quadrature.h"

namespace gpsieve {
namespace {

constexpr double kPanelShare = 0.1;  // of the tolerance, for one panel of many
// exp(-kNegligible) of the largest value contributes nothing to any of the integrals.
constexpr double kNegligible = 60.0;

// The Gaussian's part of the problem. Positions are offsets x = f - mu.
struct Problem {
  const LogDensity& log_density;
  double mu, var, sd;

  Jet likelihood(double x) const { return log_density.at(mu + x); }
  double slope(double x) const { return likelihood(x).first - x / var; }
};

struct Mode {
  double f, x, width;  // x = f - mu; f is kept because mu + x may lose its digits
  Jet likelihood;
  // log of the integrand's height times its width, up to a constant
  double mass(const Problem& p) const {
    return likelihood.value - 0.5 * x * x / p.var + std::log(width);
  }
};

Mode mode_at(const Problem& p, double x) {
  const double f = p.mu + x;
  const Jet l = p.log_density.at(f);
  const double curvature = 1.0 / p.var - l.second;
  const bool peaked = curvature > 0.0 && std::isfinite(curvature);
  return {f, f - p.mu, peaked ? 1.0 / std::sqrt(curvature) : p.sd, l};
}

// The zero of the slope in [low, high], where it falls from positive to negative: Newton steps,
// bisection when they leave the bracket or fail to halve it in two steps. A thousandth of the
// mode's width is accurate enough: the rules below need no exact mode.
double local_maximum(const Problem& p, double low, double high, double start) {
  constexpr int kMaxSteps = 2000;
  double x = start;
  double last_width = high - low;
  for (int step = 0; step < kMaxSteps; ++step) {
    const Jet l = p.likelihood(x);
    const double slope = l.first - x / p.var;
    if (slope == 0.0) return x;
    (slope > 0.0 ? low : high) = x;
    const double curvature = l.second - 1.0 / p.var;
    double next = x - slope / curvature;
    const bool newton = curvature < 0.0 && next > low && next < high;
    if (newton && std::abs(next - x) * std::sqrt(-curvature) < 1e-3) return next;
    const double middle = low + 0.5 * (high - low);
    if (!newton) next = middle;
    if (step % 3 == 2) {
      if (high - low > 0.5 * last_width) next = middle;
      last_width = high - low;
    }
    if (next <= low || next >= high) return x;
    x = next;
  }
  return x;
}

Mode concave_mode(const Problem& p) {
  const Jet start = p.likelihood(0.0);
  if (start.first == 0.0) return mode_at(p, 0.0);
  // A concave l has |l'| falling towards the mode: it lies within var * l'(mu) of mu.
  const double direction = start.first > 0.0 ? 1.0 : -1.0;
  const double bound = p.var * std::abs(start.first);
  double near = 0.0, far = std::min(bound, p.sd);
  while (far < bound && p.slope(direction * far) * direction > 0.0) {
    near = far;
    far = std::min(bound, 2.0 * far);
  }
  const double low = direction > 0.0 ? near : -far;
  const double high = direction > 0.0 ? far : -near;
  return mode_at(p, local_maximum(p, low, high, low + 0.5 * (high - low)));
}

// Offsets that are even within eight standard deviations of mu and geometric about the anchor, down
// to `least`.
std::vector<double> search_grid(const Problem& p, double least) {
  const double anchor = p.log_density.anchor - p.mu;
  const double reach = std::abs(anchor) + 8.0 * p.sd;
  std::vector<double> grid{0.0, anchor};
  for (int i = 1; i <= 16; ++i) {
    grid.push_back(0.5 * i * p.sd);
    grid.push_back(-0.5 * i * p.sd);
  }
  for (double gap = 2.0 * reach; gap > least; gap *= 0.5) {
    grid.push_back(anchor + gap);
    grid.push_back(anchor - gap);
  }
  std::sort(grid.begin(), grid.end());
  return grid;
}

// The offset of a place beyond the only peak of log p, seen from mu.
double beyond_peak(const Problem& p) {
  const double direction = p.likelihood(0.0).first < 0.0 ? -1.0 : 1.0;
  const double anchor = direction * (p.log_density.anchor - p.mu);
  double far = std::max(anchor, 0.0), step = p.log_density.feature;
  while (direction * p.likelihood(direction * far).first > 0.0 && std::isfinite(far)) {
    far += step;
    step *= 2.0;
  }
  return direction * far;
}

// Between mu and the only peak of log p, where all modes are.
std::vector<double> grid_to_peak(const Problem& p) {
  const double end = beyond_peak(p), low = std::min(0.0, end), high = std::max(0.0, end);
  std::vector<double> grid = search_grid(p, 0.25 * p.log_density.feature);
  const auto outside = [&](double x) { return !(x > low && x < high); };
  grid.erase(std::remove_if(grid.begin(), grid.end(), outside), grid.end());
  grid.insert(grid.begin(), low);
  grid.push_back(high);
  return grid;
}

// All modes of an integrand that may have several: sign changes of the slope over a grid.
std::vector<Mode> search_modes(const Problem& p) {
  constexpr double kLeastGap = 1e-12;  // of the distance of the anchor
  const double reach = std::abs(p.log_density.anchor - p.mu) + 8.0 * p.sd;
  const std::vector<double> grid =
      p.log_density.feature > 0.0 ? grid_to_peak(p) : search_grid(p, kLeastGap * reach);

  std::vector<Mode> modes;
  double last = grid.front();
  double last_slope = p.slope(last);
  for (double x : grid) {
    if (x == last) continue;
    const double slope = p.slope(x);
    if (last_slope > 0.0 && slope <= 0.0)
      modes.push_back(mode_at(p, local_maximum(p, last, x, last + 0.5 * (x - last))));
    last = x;
    last_slope = slope;
  }
  if (modes.empty()) modes.push_back(mode_at(p, 0.0));
  return modes;
}

// The integrand relative to its value at the mode, at an offset t from the mode. The Gaussian's
// log-ratio is expanded so that nothing large is subtracted.
struct Relative {
  const Problem& p;
  const Mode& mode;

  double log_ratio(double t, const Jet& l) const {
    const double value = (l.value - mode.likelihood.value) - t * (mode.x + 0.5 * t) / p.var;
    return std::isnan(value) ? -kInfinity : value;
  }
  Jet likelihood(double t) const { return p.log_density.at(mode.f + t); }
};

// Moments of t and of the slope s = l' - l'(mode) under the tilted density, and log of
// its normaliser over that of the Gaussian, relative to the mode.
struct Moments {
  double log_scale, mean_t, var_t, mean_s, var_s, mean_second;
};

// d log Z from the moments; see the header for the two forms.
Jet derivatives(const Problem& p, const Mode& mode, const Moments& m, bool wide) {
  Jet z;
  z.value = mode.likelihood.value - 0.5 * mode.x * mode.x / p.var + m.log_scale;
  if (wide) {
    z.first = mode.likelihood.first + m.mean_s;
    z.second = m.mean_second + m.var_s;
  } else {
    z.first = (mode.x + m.mean_t) / p.var;
    z.second = (m.var_t / p.var - 1.0) / p.var;
  }
  if (p.log_density.concave) z.second = std::min(z.second, 0.0);
  return z;
}

bool wider_than_gaussian(const Problem& p, const Moments& m) {
  return p.var * (std::abs(m.mean_second) + m.var_s) < 1.0;
}

// The trapezoidal rule on the whole line, about a single mode. It converges geometrically for
// analytic integrands, and halving the step reuses what has been computed.
class Trapezoid {
 public:
  // Takes the first grid, as far as the integrand is not negligible.
  Trapezoid(const Problem& p, const Mode& mode)
      : relative_{p, mode}, step_(kFirstStep * mode.width) {
    add(0.0);
    for (double side : {-1.0, 1.0}) {
      double& end = side < 0.0 ? from_ : to_;
      do {
        end += side * step_;
      } while (add(end) > -kNegligible && evaluations_ < kMaxEvaluations);
    }
  }
  // False if that would cost more than the adaptive rule.
  bool halve() {
    if (2 * evaluations_ > kMaxEvaluations) return false;
    for (double t = from_ + 0.5 * step_; t < to_; t += step_) add(t);
    step_ *= 0.5;
    return true;
  }
  Moments moments() const {
    const double t1 = t1_ / mass_, s1 = s1_ / mass_;
    return {std::log(mass_ * (step_ / relative_.p.sd) / kSqrt2Pi),
            t1,
            t2_ / mass_ - t1 * t1,
            s1,
            s2_ / mass_ - s1 * s1,
            second_ / mass_};
  }

 private:
  // In widths of the mode; exact to 1e-15 for a Gaussian, so that one halving confirms it.
  static constexpr double kFirstStep = 0.75;
  static constexpr int kMaxEvaluations = 400;

  double add(double t) {
    ++evaluations_;
    const Jet l = relative_.likelihood(t);
    const double log_ratio = relative_.log_ratio(t, l);
    const double weight = std::exp(log_ratio);
    if (!(weight > 0.0)) return log_ratio;
    const double s = l.first - relative_.mode.likelihood.first;
    mass_ += weight;
    t1_ += weight * t;
    t2_ += weight * t * t;
    s1_ += weight * s;
    s2_ += weight * s * s;
    second_ += weight * l.second;
    return log_ratio;
  }

  Relative relative_;
  double step_, from_ = 0.0, to_ = 0.0;
  int evaluations_ = 0;
  double mass_ = 0.0, t1_ = 0.0, t2_ = 0.0, s1_ = 0.0, s2_ = 0.0, second_ = 0.0;
};

// The rounding errors of log p limit how closely two values can agree.
double reachable(const Problem& p, const Mode& centre) {
  return std::max(p.log_density.tolerance,
                  16.0 * kEpsilon * (1.0 + std::abs(centre.likelihood.value)));
}

// How closely two values of the trapezoidal rule have to agree, where the step of one is half of
// the other's. Its error of analytic integrands falls geometrically with the number of nodes, so
// that that of the second value is about the square of the difference.
double enough(double tolerance) { return std::pow(tolerance, 2.0 / 3.0); }

bool agree(const Jet& a, const Jet& b, double tolerance) {
  const double scale = b.first * b.first + std::abs(b.second);
  return std::abs(a.value - b.value) <= tolerance * std::max(1.0, std::abs(b.value)) &&
         std::abs(a.first - b.first) <= tolerance * std::sqrt(scale) &&
         std::abs(a.second - b.second) <= tolerance * scale;
}

// A distance on one side of a mode at which the integrand has just fallen by a factor exp(-level),
// starting from `inner`, where it has not. Edges are located on their own scale, which may be far
// below the width of the mode: no node would be near a step just beyond the end of a panel.
template <class Fall>
double edge(const Fall& fall, double inner, double first, double level) {
  double outer = first;
  for (; fall(outer) < level && std::isfinite(outer); outer *= 2.0) inner = outer;
  constexpr int kMaxSteps = 60;
  for (int step = 0; step < kMaxSteps && fall(outer) > 2.0 * level; ++step) {
    const double middle = 0.5 * (inner + outer);
    (fall(middle) < level ? inner : outer) = middle;
  }
  return outer;
}

// Panel boundaries about every mode: where the integrand has fallen to 1 / e, at doubling
// distances from there, and where it has become negligible.
std::vector<double> panel_breaks(const Problem& p, const Mode& centre,
                                 const std::vector<Mode>& modes) {
  std::vector<double> breaks;
  for (const Mode& mode : modes) {
    const Relative relative{p, mode};
    const double middle = mode.x - centre.x;
    breaks.push_back(middle);
    for (double side : {-1.0, 1.0}) {
      auto fall = [&](double gap) {
        return -relative.log_ratio(side * gap, relative.likelihood(side * gap));
      };
      const double near = edge(fall, 0.0, mode.width, 1.0);
      const double far = edge(fall, near, 2.0 * near, kNegligible);
      for (double gap = near; gap < far; gap *= 2.0) breaks.push_back(middle + side * gap);
      breaks.push_back(middle + side * far);
    }
  }
  std::sort(breaks.begin(), breaks.end());
  return breaks;
}

// Laplace's approximation after one more Newton step to the mode, for an integrand whose shape is
// below the rounding errors of log p: the error of the approximation is smaller than these.
constexpr double kShapeless = 0.01;
Jet laplace(const Problem& p, const Mode& mode) {
  const Jet& l = mode.likelihood;
  const double slope = l.first - mode.x / p.var;
  const double step = slope * mode.width * mode.width;
  const bool wide = p.var * std::abs(l.second) < 1.0;
  return {
      l.value - 0.5 * mode.x * mode.x / p.var + 0.5 * slope * step + std::log(mode.width / p.sd),
      wide ? l.first + l.second * step : (mode.x + step) / p.var,
      l.second / (1.0 - p.var * l.second)};
}

Jet adaptive(const Problem& p, const Mode& centre, const std::vector<Mode>& modes, bool wide) {
  const Relative relative{p, centre};
  const std::vector<double> breaks = panel_breaks(p, centre, modes);
  const Integrands integrands = [&](double t, double* out) {
    const Jet l = relative.likelihood(t);
    const double weight = std::exp(relative.log_ratio(t, l)) / centre.width;
    std::fill(out, out + kMaxIntegrands, 0.0);
    if (!(weight > 0.0)) return;
    const double moment = wide ? l.first - centre.likelihood.first : t / centre.width;
    out[0] = weight;
    out[1] = weight * moment;
    out[2] = weight * moment * moment;
    out[3] = wide ? weight * l.second : 0.0;
  };
  double sums[kMaxIntegrands];
  integrate_panels(integrands, kMaxIntegrands, breaks, kPanelShare * reachable(p, centre), sums);

  Moments m{};
  m.log_scale = std::log(sums[0] * (centre.width / p.sd) / kSqrt2Pi);
  const double mean = sums[1] / sums[0];
  const double variance = sums[2] / sums[0] - mean * mean;
  if (wide) {
    m.mean_s = mean;
    m.var_s = variance;
    m.mean_second = sums[3] / sums[0];
  } else {
    m.mean_t = mean * centre.width;
    m.var_t = variance * centre.width * centre.width;
  }
  return derivatives(p, centre, m, wide);
}

}  // namespace

Jet integrate_tilted(const LogDensity& log_density, double mu, double var) {
  if (!std::isfinite(mu) || !std::isfinite(var) || var < 0.0)
    throw NumericalFailure("a latent mean or variance is not finite, or a variance is negative");
  if (var == 0.0) return log_density.at(mu);
  const Problem p{log_density, mu, var, std::sqrt(var)};
  std::vector<Mode> modes =
      log_density.concave ? std::vector<Mode>{concave_mode(p)} : search_modes(p);
  const Mode centre =
      *std::max_element(modes.begin(), modes.end(),
                        [&](const Mode& a, const Mode& b) { return a.mass(p) < b.mass(p); });

  const bool shapeless = reachable(p, centre) > kShapeless;
  if (shapeless && std::isfinite(centre.likelihood.value)) return laplace(p, centre);

  Jet z{};
  bool done = false;
  bool wide = std::all_of(modes.begin(), modes.end(), [&](const Mode& mode) {
    return var * std::abs(mode.likelihood.second) < 1.0;
  });
  if (modes.size() == 1) {
    Trapezoid rule(p, centre);
    z = derivatives(p, centre, rule.moments(), wide);
    while (!done && rule.halve()) {
      const Moments moments = rule.moments();
      wide = wider_than_gaussian(p, moments);
      const Jet last = z;
      z = derivatives(p, centre, moments, wide);
      done = agree(last, z, enough(reachable(p, centre)));
    }
  }
  if (!done) z = adaptive(p, centre, modes, wide);
  if (!std::isfinite(z.value) || !std::isfinite(z.first) || !std::isfinite(z.second))
    throw NumericalFailure("the likelihood of an observation vanishes for every latent value");
  return z;
}

}  // namespace gpsieve
