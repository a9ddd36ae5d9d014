#include "posterior/mixture.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "posterior/dense_factor.h"

namespace gpsieve {
namespace {

// The visits of one machine: a run of the list.
struct Run {
  Index machine, begin, end;
};

std::vector<Run> runs_of(const std::vector<Visit>& visits) {
  std::vector<Run> runs;
  const Index count = static_cast<Index>(visits.size());
  for (Index begin = 0, end = 0; begin < count; begin = end) {
    const Index machine = visits[begin].machine;
    while (end < count && visits[end].machine == machine) ++end;
    if (!runs.empty() && runs.back().machine > machine)
      throw InvalidSpec("visits must be in order of the machines");
    runs.push_back({machine, begin, end});
  }
  return runs;
}

}  // namespace

// The points in order of their first use, as the machine would have them by itself.
Machine machine_of(Points basis, std::vector<SparsePosterior> posteriors) {
  std::unordered_map<Index, Index> places;
  Indices used;
  for (SparsePosterior& posterior : posteriors)
    for (Index& point : posterior.basis) {
      const auto place = places.emplace(point, static_cast<Index>(used.size()));
      if (place.second) used.push_back(point);
      point = place.first->second;
    }
  Matrix points(basis.rows(), static_cast<Index>(used.size()));
  for (Index i = 0; i < points.cols(); ++i) points.col(i) = basis.col(used[i]);
  return {std::move(points), std::move(posteriors)};
}

void predict_visits(const Kernel& kernel, const MachineAt& machine_at, Points x,
                    const std::vector<Visit>& visits, bool want_variance, MatrixOut mean,
                    MatrixOut variance, const Context& ctx) {
  const std::vector<Run> runs = runs_of(visits);
  const Index count = static_cast<Index>(runs.size());
  Context shared = ctx;
  shared.threads = kernel.usable_threads(ctx.threads);

  const auto predict = [&](Machine& machine, const Run& run, const Context& task) {
    if (want_variance) make_factors(kernel, machine.points, machine.posteriors, task);
    const Index size = run.end - run.begin;
    Matrix rows(x.rows(), size);
    for (Index i = 0; i < size; ++i) rows.col(i) = x.col(visits[run.begin + i].row);
    predict_marginals(kernel, machine.points, machine.posteriors, rows, want_variance,
                      mean.middleRows(run.begin, size),
                      variance.middleRows(want_variance ? run.begin : 0, want_variance ? size : 0),
                      task);
  };
  for (Index first = 0; first < count; first += shared.threads) {
    const Index together = std::min<Index>(shared.threads, count - first);
    std::vector<Machine> machines;
    for (Index i = 0; i < together; ++i) machines.push_back(machine_at(runs[first + i].machine));
    Context group = shared;
    group.progress = nullptr;
    if (together == 1) {
      predict(machines[0], runs[first], group);
    } else {
      parallel_tasks(group, together, [&](Index i, const Context& task) {
        predict(machines[i], runs[first + i], task);
      });
    }
    const Index done = runs[first + together - 1].end;
    ctx.report(static_cast<double>(done) / static_cast<double>(visits.size()), done);
  }
}

// theory.md (11), updated visit by visit (West 1979): no difference of large numbers.
void mix_visits(const std::vector<Visit>& visits, MatrixIn mean, MatrixIn variance,
                MatrixOut mixed_mean, MatrixOut mixed_variance) {
  const Index n = mixed_mean.rows();
  const bool want_variance = mixed_variance.size() > 0;
  Vector total = Vector::Zero(n);
  mixed_mean.setZero();
  mixed_variance.setZero();
  for (Index v = 0; v < static_cast<Index>(visits.size()); ++v) {
    const Index row = visits[v].row;
    const double weight = visits[v].weight;
    if (!(weight > 0.0)) continue;
    total[row] += weight;
    const double share = weight / total[row];
    for (Index c = 0; c < mixed_mean.cols(); ++c) {
      const double step = mean(v, c) - mixed_mean(row, c);
      mixed_mean(row, c) += share * step;
      if (want_variance) {
        const double rest = mean(v, c) - mixed_mean(row, c);
        mixed_variance(row, c) += share * (variance(v, c) + step * rest - mixed_variance(row, c));
      }
    }
  }
}

}  // namespace gpsieve
