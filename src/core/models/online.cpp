#include "models/online.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "models/online_ep.h"
#include "models/online_machine.h"

namespace gpsieve {
namespace {

constexpr Index kTraceRows = 50;

// What all machines of a fit share.
struct Stream {
  const Kernel& kernel;
  const Likelihood& likelihood;
  Points x;
  const Indices& order;  // columns of x in the order of visit
  Index first;           // the column of x that belongs to the first response
  const OnlineOptions& options;
  bool fresh;  // no row was absorbed before this call
};

class Trace {
 public:
  Trace(std::vector<TraceRow>& rows, Index visits)
      : rows_(rows), every_(std::max<Index>(1, (visits + kTraceRows - 1) / kTraceRows)) {}

  bool due(Index visit, Index visits) const { return visit % every_ == 0 || visit == visits; }
  void note(Index visit, double objective, Index size) {
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
    rows_.push_back({visit, objective, elapsed.count(), size});
  }

 private:
  std::vector<TraceRow>& rows_;
  Index every_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Row numbers of what `order` visits, by the response: cavities come in the order of visit.
Vector by_row(const Vector& values, const Stream& stream) {
  Vector out(values.size());
  for (Index i = 0; i < values.size(); ++i) out(stream.order[i] - stream.first) = values(i);
  return out;
}

// Sweeps from the second on as EP proper. The state holds exactly the rows of this call, in the
// order of visit.
void propagate(const Stream& stream, VectorIn y, double prior_mean, OnlineState& state,
               LatentFit& fit, Trace& trace, const Context& ctx) {
  const Index n = y.size();
  const double sweeps = stream.options.sweeps;
  Matrix points(stream.x.rows(), n);
  Vector responses(n);
  for (Index i = 0; i < n; ++i) {
    points.col(i) = stream.x.col(stream.order[i]);
    responses(i) = y(stream.order[i] - stream.first);
  }
  OnlineEp ep(stream.kernel, stream.likelihood, points, std::move(responses), prior_mean, state);
  for (int sweep = 1; sweep < stream.options.sweeps; ++sweep) {
    Index visit = sweep * n;
    const double moved = ep.sweep(
        [&] { ctx.report(static_cast<double>(++visit) / (sweeps * static_cast<double>(n)), n); });
    fit.log_evidence = ep.log_evidence(fit.cavity_mean, fit.cavity_variance);
    trace.note(visit, fit.log_evidence, n);
    if (moved <= stream.options.tolerance) break;
  }
  fit.cavity_mean = by_row(fit.cavity_mean, stream);
  fit.cavity_variance = by_row(fit.cavity_variance, stream);
}

// A site of precision 0 is a row without a word to say.
void report_sites(const OnlineState& state, LatentFit& fit) {
  const Index kept = (state.site_precision.array() != 0.0).count();
  fit.site_precision.resize(kept);
  fit.site_mean.resize(kept);
  for (Index i = 0, to = 0; i < state.site_precision.size(); ++i) {
    if (state.site_precision(i) == 0.0) continue;
    fit.site_rows.push_back(state.basis[i]);
    fit.site_precision(to) = state.site_precision(i);
    fit.site_mean(to++) = state.site_shift(i) / state.site_precision(i);
  }
}

LatentFit fit_one(const Stream& stream, VectorIn y, double prior_mean, OnlineState& state,
                  const Context& ctx) {
  const OnlineOptions& options = stream.options;
  // Later rows are seen once: by then the earlier ones are gone.
  const bool propagates = options.keeps_rows() && stream.fresh;
  const int sweeps = !options.keeps_rows() && stream.fresh ? options.sweeps : 1;
  const Index n = y.size(), visits = n * sweeps;
  LatentFit fit;
  Trace trace(fit.trace, visits);
  OnlineMachine machine(stream.kernel, stream.likelihood, stream.x, prior_mean, options,
                        std::move(state));
  for (Index visit = 0; visit < visits; ++visit) {
    const Index row = stream.order[visit % n];
    machine.absorb(row, y(row - stream.first), visit >= n);
    if (trace.due(visit + 1, visits))
      trace.note(visit + 1, machine.log_evidence(), machine.size());
    ctx.report(static_cast<double>(visit + 1) /
                   (static_cast<double>(n) * (propagates ? options.sweeps : sweeps)),
               machine.size());
  }
  state = machine.state();
  fit.log_evidence = state.log_evidence;
  if (propagates) propagate(stream, y, prior_mean, state, fit, trace, ctx);
  state.log_evidence = fit.log_evidence;

  fit.posterior.basis = state.basis;
  fit.posterior.weights = state.weights;
  fit.posterior.form = state.form;
  fit.posterior.prior_mean = prior_mean;
  report_sites(state, fit);
  return fit;
}

}  // namespace

OnlineFit fit_online(const Kernel& kernel, const Likelihood& likelihood, Points x, MatrixIn y,
                     VectorIn prior_mean, std::vector<OnlineState> states,
                     const OnlineOptions& options, std::uint64_t seed, const Context& ctx) {
  const Index machines = y.cols(), n = y.rows(), first = x.cols() - n;
  const bool fresh = states.empty();
  if (n < 1 || first < 0 || (fresh && first > 0) || prior_mean.size() != machines ||
      (!fresh && static_cast<Index>(states.size()) != machines))
    throw InvalidSpec("the response, the prior mean or the state does not fit the points");
  if (options.sweeps < 1 || !(options.novelty >= 0.0) || (options.bounded() && options.budget < 1))
    throw InvalidSpec("the budget, the novelty or the number of sweeps is out of range");
  if (options.bounded() && options.keeps_rows())
    throw InvalidSpec("sweeps of expectation propagation need an unbounded basis");

  // One order for all machines: what a class learns depends on the stream, not on the class.
  Indices order(n);
  std::iota(order.begin(), order.end(), first);
  if (options.shuffle) Rng(seed).shuffle_front(order, n);

  OnlineFit result;
  result.states = fresh ? std::vector<OnlineState>(machines) : std::move(states);
  result.fit.latents.resize(machines);
  const Stream stream{kernel, likelihood, x, order, first, options, fresh};
  Context own = ctx;
  if (!kernel.thread_safe()) own.threads = 1;
  parallel_tasks(own, machines, [&](Index c, const Context& task) {
    result.fit.latents[c] = fit_one(stream, y.col(c), prior_mean(c), result.states[c], task);
  });
  return result;
}

}  // namespace gpsieve
