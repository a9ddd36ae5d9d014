#include "likelihood/families/row_integrals.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "likelihood/families/latent_places.h"
#include "math/constants.h"
#include "math/root.h"

namespace gpsieve {
namespace {

// A grid about `centre` whose points have distances that grow by a factor of four.
void add_geometric(double centre, double least, double most, std::vector<double>& grid) {
  for (double gap = most; gap >= least; gap *= 0.25) {
    grid.push_back(centre - gap);
    grid.push_back(centre + gap);
  }
  grid.push_back(centre);
}

void make_ascending(std::vector<double>& grid) {
  std::sort(grid.begin(), grid.end());
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
}

// Offsets x = f - mu at which a tilted density is looked at first.
std::vector<double> offsets(bool real, double y, double mu, double sd) {
  std::vector<double> grid;
  for (int i = -8; i <= 8; ++i) grid.push_back(i * sd);
  if (real) {
    const double away = y - mu, reach = std::abs(away) + sd;
    add_geometric(away, 1e-7 * reach, reach, grid);
  }
  make_ascending(grid);
  return grid;
}

// Points of a real response of latent value f: around 0 and around f, on many scales.
std::vector<double> responses(double f, double unit) {
  constexpr double kLeast = 1e-3, kMost = 1e4;
  std::vector<double> grid;
  add_geometric(0.0, kLeast * unit, kMost * unit, grid);
  add_geometric(f, kLeast * unit, kMost * unit, grid);
  make_ascending(grid);
  return grid;
}

// From the moments of x under the tilted density. Where that is as good as the Gaussian, the
// derivatives would be differences of nearly equal numbers, and come from the moments of x under
// the difference of both: those of (p(y | f) - p(y | mu)) N(f).
constexpr double kAsGaussian = 0.01;
Tilted tilted_from(const Line& line, double at_mu, double var) {
  const double mass = line.integral([](double, double) { return 1.0; });
  const double log_gaussian = -kLogSqrt2Pi - 0.5 * std::log(var);
  Tilted out{line.top + std::log(mass) + log_gaussian, 0.0, 0.0};
  const double centre = line.integral([](double x, double) { return x; }) / mass;
  const double spread =
      line.integral([&](double x, double) { return (x - centre) * (x - centre); }) / mass;
  out.d1 = centre / var;
  out.d2 = (spread / var - 1.0) / var;
  if (!(std::abs(out.d2) * var < kAsGaussian) || !std::isfinite(at_mu)) return out;
  // 1 - p(y | mu) / p(y | f), the part of the tilted density that is not the Gaussian's
  const auto excess = [&](double x, double h) {
    return -std::expm1(at_mu - h - 0.5 * x * x / var);
  };
  const double first = line.integral([&](double x, double h) { return x * excess(x, h); }) / mass;
  const double second =
      line.integral([&](double x, double h) { return (x * x - var) * excess(x, h); }) / mass;
  out.d1 = first / var;
  out.d2 = second / (var * var) - out.d1 * out.d1;
  return out;
}

// log p(y | f) N(f) of every row as a function of x = f - mu, but for the Gaussian's constant.
LogValues tilted_densities(const RowDensity& density, const Vector& y, const Vector& mu,
                           const Vector& var) {
  return [density, y, mu, var](const Indices& which, const Vector& x) {
    Vector responses(x.size()), f(x.size());
    for (Index j = 0; j < x.size(); ++j) {
      responses[j] = y[which[j]];
      f[j] = mu[which[j]] + x[j];
    }
    Vector h = density(responses, f);
    for (Index j = 0; j < x.size(); ++j) h[j] -= 0.5 * x[j] * x[j] / var[which[j]];
    return h;
  };
}

// The integral from -1 to x of the polynomial through the values at the nodes of gauss_kronrod().
double partial_integral(const double* values, double x) {
  constexpr int kOrder = 8;  // exact for polynomials of degree 15
  static const GaussKronrod& rule = gauss_kronrod();
  static const auto barycentric = [] {
    std::array<double, kKronrodNodes> weights{};
    for (int i = 0; i < kKronrodNodes; ++i) {
      weights[i] = 1.0;
      for (int j = 0; j < kKronrodNodes; ++j)
        if (j != i) weights[i] *= 2.0 * (rule.nodes[i] - rule.nodes[j]);
      weights[i] = 1.0 / weights[i];
    }
    return weights;
  }();
  static const double kNode[kOrder / 2] = {0.1834346424956498, 0.5255324099163290,
                                           0.7966664774136267, 0.9602898564975363};
  static const double kWeight[kOrder / 2] = {0.3626837833783620, 0.3137066458778873,
                                             0.2223810344533745, 0.1012285362903763};
  const double half = 0.5 * (x + 1.0);
  double sum = 0.0;
  for (int i = 0; i < kOrder; ++i) {
    const double at = -1.0 + half * (1.0 + (i % 2 ? 1.0 : -1.0) * kNode[i / 2]);
    double above = 0.0, below = 0.0;
    for (int j = 0; j < kKronrodNodes; ++j) {
      const double gap = at - rule.nodes[j];
      if (gap == 0.0) {
        above = values[j];
        below = 1.0;
        break;
      }
      above += barycentric[j] / gap * values[j];
      below += barycentric[j] / gap;
    }
    sum += half * kWeight[i / 2] * above / below;
  }
  return sum;
}

// The mass of a panel below x, relative to exp(top) of its line.
double mass_below(const Line& line, const LinePanel& panel, double x) {
  double values[kKronrodNodes];
  for (int i = 0; i < kKronrodNodes; ++i) values[i] = std::exp(panel.log_values[i] - line.top);
  const double share = std::min(std::max((x - panel.from) / panel.half() - 1.0, -1.0), 1.0);
  return panel.half() * partial_integral(values, share);
}

// The densities of a real response given the latent function at the places of every row.
class Conditionals {
 public:
  Conditionals(const RowDensity& density, VectorIn mu, VectorIn var) : places_(mu, var) {
    std::vector<std::vector<double>> grids;
    for (const double each : places_.f) grids.push_back(responses(each, 1.0));
    const LogValues given_f = [&](const Indices& which, const Vector& y) {
      Vector at(y.size());
      for (Index j = 0; j < y.size(); ++j) at[j] = places_.f[which[j]];
      return density(y, at);
    };
    LineOptions options;
    options.growth = 4.0;
    lines_ = integrate_lines(given_f, grids, options);
  }
  template <class Use>  // use(line, weight)
  void for_each(Index row, const Use& use) const {
    for (Index at = places_.first(row); at < places_.end[row]; ++at)
      use(lines_[at], places_.weights[at]);
  }

 private:
  LatentPlaces places_;
  std::vector<Line> lines_;
};

// The entropy of the density that is proportional to a line.
double entropy_of(const Line& line) {
  const double mass = line.integral([](double, double) { return 1.0; });
  if (!(mass > 0.0) || !std::isfinite(mass))
    throw NumericalFailure("the density of a response cannot be integrated over responses");
  return line.top + std::log(mass) - line.integral([](double, double h) { return h; }) / mass;
}

}  // namespace

void tilted_rows(const RowDensity& density, bool real, VectorIn y, VectorIn mu, VectorIn var,
                 VectorOut log_z, VectorOut d1, VectorOut d2) {
  const Index n = y.size();
  for (Index i = 0; i < n; ++i)
    if (!std::isfinite(mu[i]) || !std::isfinite(var[i]) || !(var[i] > 0.0))
      throw NumericalFailure("a latent mean or variance is not finite, or a variance is negative");
  std::vector<std::vector<double>> grids;
  for (Index i = 0; i < n; ++i) grids.push_back(offsets(real, y[i], mu[i], std::sqrt(var[i])));
  const std::vector<Line> lines = integrate_lines(tilted_densities(density, y, mu, var), grids);
  const Vector at_mu = density(y, mu);
  for (Index i = 0; i < n; ++i) {
    const Tilted found = tilted_from(lines[i], at_mu[i], var[i]);
    log_z[i] = found.log_z;
    d1[i] = found.d1;
    d2[i] = found.d2;
  }
}

std::vector<Predicted> moments_of_rows(const RowDensity& density, VectorIn mu, VectorIn var) {
  const Conditionals given(density, mu, var);
  // Where responses of improbable size bear more than this share of the variance, it diverges.
  constexpr double kDiverging = 1e-3;
  std::vector<Predicted> out;
  for (Index i = 0; i < mu.size(); ++i) {
    double first = 0.0, second = 0.0;
    bool finite = true;
    given.for_each(i, [&](const Line& line, double weight) {
      const double mass = line.integral([](double, double) { return 1.0; });
      const double mean = line.integral([](double y, double) { return y; }) / mass;
      const auto square = [&](double y, double) { return (y - mean) * (y - mean); };
      const double variance = line.integral(square) / mass;
      if (!std::isfinite(mean) || !std::isfinite(variance))
        throw NumericalFailure("the density of a response cannot be integrated over responses");
      Line ends = line;
      ends.panels = {line.panels.front(), line.panels.back()};
      if (ends.integral(square) / mass > kDiverging * variance) finite = false;
      const double away = mean - mu[i];
      first += weight * away;
      second += weight * (variance + away * away);
    });
    out.push_back({mu[i] + first, finite ? second - first * first : kInfinity});
  }
  return out;
}

Vector conditional_entropies(const RowDensity& density, VectorIn mu, VectorIn var) {
  const Conditionals given(density, mu, var);
  Vector out = Vector::Zero(mu.size());
  for (Index i = 0; i < out.size(); ++i)
    given.for_each(i,
                   [&](const Line& line, double weight) { out[i] += weight * entropy_of(line); });
  return out;
}

RowDistributions::RowDistributions(const RowDensity& density, VectorIn mu, VectorIn var) {
  const Index n = mu.size();
  std::vector<std::vector<double>> grids;
  for (Index i = 0; i < n; ++i) grids.push_back(responses(mu[i], 1.0 + std::sqrt(var[i])));
  const LogValues predictive = [&](const Indices& which, const Vector& y) {
    const Index size = y.size();
    Vector out = Vector::Constant(size, -kInfinity), means(size), variances(size);
    for (Index j = 0; j < size; ++j) {
      means[j] = mu[which[j]];
      variances[j] = var[which[j]];
    }
    std::vector<std::vector<double>> offsets_of;
    for (Index j = 0; j < size; ++j)
      offsets_of.push_back(offsets(true, y[j], means[j], std::sqrt(variances[j])));
    const std::vector<Line> lines =
        integrate_lines(tilted_densities(density, y, means, variances), offsets_of);
    for (Index j = 0; j < size; ++j) {
      if (lines[j].panels.empty()) continue;  // no f allows this response
      const double mass = lines[j].integral([](double, double) { return 1.0; });
      out[j] = lines[j].top + std::log(mass) - 0.5 * std::log(variances[j]);
    }
    return out;
  };
  LineOptions options;
  options.negligible = 30.0;
  options.tolerance = 1e-5;
  options.growth = 4.0;
  lines_ = integrate_lines(predictive, grids, options);
  for (const Line& line : lines_) {
    std::vector<double> below;
    double sum = 0.0;
    for (const LinePanel& panel : line.panels)
      below.push_back(sum += mass_below(line, panel, panel.to));
    if (!(sum > 0.0) || !std::isfinite(sum))
      throw NumericalFailure("the density of a response cannot be integrated over responses");
    below_.push_back(std::move(below));
  }
}

double RowDistributions::cdf(Index row, double y) const {
  const Line& line = lines_[row];
  const std::vector<double>& below = below_[row];
  if (y <= line.panels.front().from) return 0.0;
  for (std::size_t p = 0; p < below.size(); ++p)
    if (y < line.panels[p].to)
      return std::min((p > 0 ? below[p - 1] : 0.0) + mass_below(line, line.panels[p], y),
                      below.back()) /
             below.back();
  return 1.0;
}

double RowDistributions::entropy(Index row) const { return entropy_of(lines_[row]); }

double RowDistributions::quantile(Index row, double probability) const {
  if (probability == 0.0) return -kInfinity;
  if (probability == 1.0) return kInfinity;
  const Line& line = lines_[row];
  const std::vector<double>& below = below_[row];
  const double wanted = probability * below.back();
  const auto at = std::lower_bound(below.begin(), below.end(), wanted);
  const std::size_t p = std::min<std::size_t>(at - below.begin(), below.size() - 1);
  const LinePanel& panel = line.panels[p];
  const double before = p > 0 ? below[p - 1] : 0.0;
  const auto excess = [&](double y) { return before + mass_below(line, panel, y) - wanted; };
  return root_between(panel.from, panel.to, before - wanted, below[p] - wanted, excess);
}

}  // namespace gpsieve
