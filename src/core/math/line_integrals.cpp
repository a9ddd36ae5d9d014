#include "math/line_integrals.h"

#include <algorithm>
#include <cmath>

#include "math/constants.h"

namespace gpsieve {
namespace {

// Between neighbours of a peak the logarithm falls by no more than this, so that panels find it.
constexpr double kKnownPeak = 2.0;
constexpr double kUneven = 4.0;       // of the gaps beside a peak
constexpr double kNarrowest = 1e-13;  // of a position: closer points would coincide
constexpr int kMaxRounds = 200, kMaxHalvings = 40, kMaxPeaks = 8;
constexpr std::size_t kMaxPanels = 500;

// Values that one round asks for, in order.
struct Request {
  Indices which;
  std::vector<double> x;

  void add(Index line, double at) {
    which.push_back(line);
    x.push_back(at);
  }
  Vector values(const LogValues& log_values) const {
    return log_values(which, Eigen::Map<const Vector>(x.data(), static_cast<Index>(x.size())));
  }
};

struct Point {
  double x, h;
};
using Grid = std::vector<Point>;  // ascending

bool too_close(double a, double b) {
  return std::abs(a - b) <= kNarrowest * std::max(std::abs(a), std::abs(b));
}

double top_of(const Grid& grid) {
  double top = -kInfinity;
  for (const Point& point : grid) top = std::max(top, point.h);
  return top;
}

// Positions of the highest peaks of a grid.
std::vector<std::size_t> peaks_of(const Grid& grid) {
  std::vector<std::size_t> peaks;
  for (std::size_t k = 0; k < grid.size(); ++k) {
    const bool rises = k == 0 || grid[k].h > grid[k - 1].h;
    const bool falls = k + 1 == grid.size() || grid[k].h >= grid[k + 1].h;
    if (rises && falls && grid[k].h > -kInfinity) peaks.push_back(k);
  }
  std::sort(peaks.begin(), peaks.end(),
            [&](std::size_t a, std::size_t b) { return grid[a].h > grid[b].h; });
  if (peaks.size() > kMaxPeaks) peaks.resize(kMaxPeaks);
  return peaks;
}

// Asks for points where a peak or an end of the integral is not known yet.
void ask_for_points(const Grid& grid, Index line, double negligible, Request& request) {
  const auto divide = [&](const Point& a, const Point& b) {
    if (too_close(a.x, b.x)) return;
    for (int part = 1; part < 4; ++part) request.add(line, a.x + 0.25 * part * (b.x - a.x));
  };
  const std::vector<std::size_t> peaks = peaks_of(grid);
  // Between points of nearly the same height a peak may hide, but no higher than the fall on the
  // other side allows, if the gaps are not too different.
  for (const std::size_t k : peaks) {
    const double left = k > 0 ? grid[k].x - grid[k - 1].x : kInfinity;
    const double right = k + 1 < grid.size() ? grid[k + 1].x - grid[k].x : kInfinity;
    if (k > 0 && (grid[k].h - grid[k - 1].h > kKnownPeak || left > kUneven * right))
      divide(grid[k - 1], grid[k]);
    if (k + 1 < grid.size() && (grid[k].h - grid[k + 1].h > kKnownPeak || right > kUneven * left))
      divide(grid[k], grid[k + 1]);
  }
  if (peaks.empty()) return;
  const Point& best = grid[peaks.front()];
  const double width = grid.back().x - grid.front().x;
  const auto beyond = [&](const Point& end, double side) {
    if (end.h < best.h - negligible) return;
    const double x = end.x + side * std::max(width, std::abs(end.x - best.x));
    if (std::isfinite(x)) request.add(line, x);
  };
  beyond(grid.front(), -1.0);
  beyond(grid.back(), 1.0);
}

void look_closer(const LogValues& log_values, double negligible, std::vector<Grid>& grids) {
  for (int round = 0; round < kMaxRounds; ++round) {
    Request request;
    for (std::size_t i = 0; i < grids.size(); ++i)
      ask_for_points(grids[i], static_cast<Index>(i), negligible, request);
    if (request.x.empty()) return;
    const Vector found = request.values(log_values);
    for (std::size_t j = 0; j < request.x.size(); ++j)
      grids[request.which[j]].push_back({request.x[j], found[static_cast<Index>(j)]});
    const auto by_x = [](const Point& a, const Point& b) { return a.x < b.x; };
    for (const Index line : request.which) {
      Grid& grid = grids[line];
      if (!std::is_sorted(grid.begin(), grid.end(), by_x))
        std::sort(grid.begin(), grid.end(), by_x);
    }
  }
}

// Ends of panels on one side of the peak at grid[k].
void add_breaks(const Grid& grid, std::size_t k, int side, double least, double growth,
                std::vector<double>& breaks) {
  std::size_t near = k, far = k;
  const auto step = [&](std::size_t& at) {
    if (side < 0 ? at == 0 : at + 1 == grid.size()) return false;
    at = side < 0 ? at - 1 : at + 1;
    return true;
  };
  while (step(near) && grid[near].h > grid[k].h - 1.0) continue;
  far = near;
  while (grid[far].h > least && step(far)) continue;
  const double end = std::abs(grid[far].x - grid[k].x);
  for (double gap = std::abs(grid[near].x - grid[k].x); gap > 0.0 && gap < end; gap *= growth)
    breaks.push_back(grid[k].x + side * gap);
  breaks.push_back(grid[far].x);
}

std::vector<double> breaks_of(const Grid& grid, const LineOptions& options) {
  const double least = top_of(grid) - options.negligible;
  std::vector<double> breaks;
  for (const std::size_t k : peaks_of(grid)) {
    if (grid[k].h <= least) continue;
    breaks.push_back(grid[k].x);
    for (const int side : {-1, 1}) add_breaks(grid, k, side, least, options.growth, breaks);
  }
  std::sort(breaks.begin(), breaks.end());
  breaks.erase(std::unique(breaks.begin(), breaks.end(), too_close), breaks.end());
  return breaks;
}

// Of a panel the integrals of g, g u and g u^2 by both rules, with u = (x - at_top) / unit.
struct Sums {
  double kronrod[3] = {0.0, 0.0, 0.0}, gauss[3] = {0.0, 0.0, 0.0}, magnitude[3] = {0.0, 0.0, 0.0};
};
Sums sums_of(const LinePanel& panel, const Line& line, double unit) {
  Sums sums;
  const GaussKronrod& rule = gauss_kronrod();
  for (int i = 0; i < kKronrodNodes; ++i) {
    const double weight = panel.half() * std::exp(panel.log_values[i] - line.top);
    const double u = (panel.node(i) - line.at_top) / unit;
    double value = weight;
    for (int k = 0; k < 3; ++k, value *= u) {
      sums.kronrod[k] += rule.kronrod[i] * value;
      sums.gauss[k] += rule.gauss[i] * value;
      sums.magnitude[k] += rule.kronrod[i] * std::abs(value);
    }
  }
  return sums;
}

// The panels of a line that are to be halved; none if it is resolved.
std::vector<char> coarse_panels(const Line& line, double tolerance) {
  const std::size_t n = line.panels.size();
  std::vector<char> coarse(n, 0);
  if (n == 0 || n > kMaxPanels) return coarse;
  const double unit = line.panels.back().to - line.panels.front().from;
  std::vector<Sums> sums;
  double magnitude[3] = {0.0, 0.0, 0.0};
  for (const LinePanel& panel : line.panels) {
    sums.push_back(sums_of(panel, line, unit));
    for (int k = 0; k < 3; ++k) magnitude[k] += sums.back().magnitude[k];
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (too_close(line.panels[i].from, line.panels[i].to)) continue;
    for (int k = 0; k < 3; ++k)
      if (std::abs(sums[i].kronrod[k] - sums[i].gauss[k]) > tolerance * magnitude[k]) coarse[i] = 1;
  }
  return coarse;
}

void ask_for_panel(Index line, const LinePanel& panel, Request& request) {
  for (int i = 0; i < kKronrodNodes; ++i) request.add(line, panel.node(i));
}

}  // namespace

std::vector<Line> integrate_lines(const LogValues& log_values,
                                  const std::vector<std::vector<double>>& grids,
                                  const LineOptions& options) {
  Request first;
  for (std::size_t i = 0; i < grids.size(); ++i)
    for (const double x : grids[i]) first.add(static_cast<Index>(i), x);
  std::vector<Grid> points(grids.size());
  const Vector h = first.values(log_values);
  for (std::size_t j = 0; j < first.x.size(); ++j)
    points[first.which[j]].push_back({first.x[j], h[static_cast<Index>(j)]});
  look_closer(log_values, options.negligible, points);

  std::vector<Line> lines(grids.size());
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const auto best = std::max_element(points[i].begin(), points[i].end(),
                                       [](const Point& a, const Point& b) { return a.h < b.h; });
    lines[i].top = best->h;
    lines[i].at_top = best->x;
    if (best->h == -kInfinity) continue;
    const std::vector<double> breaks = breaks_of(points[i], options);
    for (std::size_t b = 1; b < breaks.size(); ++b)
      lines[i].panels.push_back({breaks[b - 1], breaks[b], {}});
  }
  std::vector<std::vector<char>> open(lines.size());
  for (std::size_t i = 0; i < lines.size(); ++i) open[i].assign(lines[i].panels.size(), 1);
  for (int halving = 0; halving <= kMaxHalvings; ++halving) {
    Request request;
    for (std::size_t i = 0; i < lines.size(); ++i)
      for (std::size_t p = 0; p < lines[i].panels.size(); ++p)
        if (open[i][p]) ask_for_panel(static_cast<Index>(i), lines[i].panels[p], request);
    if (request.x.empty()) break;
    const Vector found = request.values(log_values);
    Index next = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      bool changed = false;
      for (std::size_t p = 0; p < lines[i].panels.size(); ++p) {
        if (!open[i][p]) continue;
        changed = true;
        for (double& value : lines[i].panels[p].log_values) value = found[next++];
      }
      if (!changed) continue;
      const std::vector<char> coarse = coarse_panels(lines[i], options.tolerance);
      std::vector<LinePanel> panels;
      open[i].clear();
      for (std::size_t p = 0; p < coarse.size(); ++p) {
        const LinePanel& panel = lines[i].panels[p];
        if (!coarse[p] || halving == kMaxHalvings) {
          panels.push_back(panel);
          open[i].push_back(0);
          continue;
        }
        const double middle = panel.from + panel.half();
        panels.push_back({panel.from, middle, {}});
        panels.push_back({middle, panel.to, {}});
        open[i].insert(open[i].end(), 2, 1);
      }
      lines[i].panels.swap(panels);
    }
  }
  return lines;
}

}  // namespace gpsieve
