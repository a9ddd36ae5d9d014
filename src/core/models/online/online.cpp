#include "models/online/online.h"

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "models/online/another_kernel.h"
#include "models/online/ep.h"
#include "models/online/machine.h"
#include "models/online/valid_state.h"

namespace gpsieve {
namespace {

constexpr Index kTraceRows = 50;

// The parts of a fit that all its machines share.
struct Stream {
  const Kernel& kernel;
  const Likelihood& likelihood;
  Points x;
  const Indices& order;  // columns of x in the order of visit
  Index first;           // the column of x that belongs to the first response
  const Vector& offset;  // of each response's row, as the next one
  const Vector& noise;   // variance beyond that of the likelihood
  const OnlineOptions& options;
  bool fresh;  // no row was absorbed before this call
  const NextKernel& next;
};

// Keeps every row: one visit of each new row and, in a first fit, further sweeps over all rows.
void sweep_sites(const Stream& stream, MatrixIn y, double prior_mean, OnlineState& state,
                 LatentFit& fit, Trace& trace, const Context& ctx) {
  const Index held = static_cast<Index>(state.basis.size()), n = y.rows();
  state.basis.insert(state.basis.end(), stream.order.begin(), stream.order.end());
  Matrix points(stream.x.rows(), held + n);
  for (Index i = 0; i < held + n; ++i) points.col(i) = stream.x.col(state.basis[i]);
  Matrix responses(n, y.cols());  // in the order of visit
  for (Index i = 0; i < n; ++i) responses.row(i) = y.row(stream.order[i] - stream.first);
  Vector prior_means = Vector::Constant(held + n, prior_mean);
  Vector noise = Vector::Zero(held + n);  // of earlier rows it is in their sites
  for (Index i = 0; i < n; ++i) {
    prior_means(held + i) += stream.offset(stream.order[i] - stream.first);
    noise(held + i) = stream.noise(stream.order[i] - stream.first);
  }

  OnlineEp ep(stream.kernel, stream.likelihood, points, prior_means, noise, state.site_precision,
              state.site_shift, ctx.poll);
  const int sweeps = stream.fresh ? stream.options.sweeps : 1;
  const bool as_new = !stream.options.propagates();
  for (Index visit = 0, last = n * sweeps; visit < last;) {
    double moved = 0.0;
    for (Index i = 0; i < n; ++i) {
      double log_z = 0.0;
      moved = std::max(moved, ep.visit(held + i, observed(responses, i), as_new, log_z));
      if (++visit <= n) state.log_evidence += log_z;
      if (visit <= n && trace.due(visit)) trace.record({visit, state.log_evidence, held + visit});
      ctx.report(static_cast<double>(visit) / static_cast<double>(last), held + n);
    }
    if (visit == n || as_new) continue;
    ep.refresh();
    state.log_evidence = ep.log_evidence(responses, fit.cavity_mean, fit.cavity_variance);
    trace.record({visit, state.log_evidence, n});
    if (moved <= stream.options.tolerance) break;
  }
  ep.store(state);
  // From the order of visits to that of rows.
  for (Vector* cavity : {&fit.cavity_mean, &fit.cavity_variance}) {
    const Vector visited = *cavity;
    for (Index i = 0; i < visited.size(); ++i)
      (*cavity)(stream.order[i] - stream.first) = visited(i);
  }
}

void filter(const Stream& stream, MatrixIn y, double prior_mean, OnlineState& state, Trace& trace,
            const Context& ctx) {
  // Rows of later calls are visited once: the earlier rows, with which to sweep, are not kept.
  const Index n = y.rows(), visits = n * (stream.fresh ? stream.options.sweeps : 1);
  OnlineMachine machine(stream.kernel, stream.likelihood, stream.x, prior_mean, stream.options,
                        std::move(state));
  std::vector<RowVisit> ahead;
  for (Index visit = 0; visit < visits;) {
    ahead.clear();
    for (Index to = std::min(visits, visit + machine.rows_ahead()), at = visit; at < to; ++at) {
      const Index row = stream.order[at % n], i = row - stream.first;
      ahead.push_back({row, observed(y, i), stream.offset(i), stream.noise(i), at >= n});
    }
    machine.look_ahead(ahead);
    for (const RowVisit& each : ahead) {
      machine.absorb(each);
      if (trace.due(++visit)) trace.record({visit, machine.log_evidence(), machine.size()});
      ctx.report(static_cast<double>(visit) / static_cast<double>(visits), machine.size());
    }
  }
  state = machine.state();
  if (stream.next.kernel == nullptr) return;
  Matrix points(stream.x.rows(), machine.size());
  for (Index i = 0; i < points.cols(); ++i) points.col(i) = stream.x.col(state.basis[i]);
  state = under_another_kernel(std::move(state), *stream.next.kernel, points,
                               stream.next.noise_ratio, stream.options);
}

// The sites of rows that carry information: those whose site precision is not 0.
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

LatentFit fit_one(const Stream& stream, MatrixIn y, double prior_mean, OnlineState& state,
                  const Context& ctx) {
  require_valid(state, stream.options, stream.first);
  LatentFit fit;
  const Index sweeps = stream.fresh && !stream.options.keeps_rows() ? stream.options.sweeps : 1;
  Trace trace(y.rows() * sweeps, kTraceRows);
  if (stream.options.keeps_rows()) {
    sweep_sites(stream, y, prior_mean, state, fit, trace, ctx);
  } else {
    filter(stream, y, prior_mean, state, trace, ctx);
  }
  fit.log_evidence = state.log_evidence;
  fit.trace = trace.rows();
  fit.posterior.basis = state.basis;
  fit.posterior.weights = state.weights;
  fit.posterior.form = state.form;
  fit.posterior.whitening = state.whitening;
  fit.posterior.prior_mean = prior_mean;
  report_sites(state, fit);
  return fit;
}

}  // namespace

OnlineFit fit_online(const FitProblem& problem, std::vector<OnlineState> states,
                     const OnlineOptions& options, std::uint64_t seed, const Context& ctx,
                     const Vector& noise, const NextKernel& next) {
  const Kernel& kernel = problem.kernel;
  const Likelihood& likelihood = problem.likelihood;
  const Vector& offset = problem.cases.offset;
  const Index machines = problem.machines(), n = problem.y.rows(), first = problem.x.cols() - n;
  const bool fresh = states.empty();
  if (problem.cases.weighted()) throw InvalidSpec("an online model has no weights of rows");
  require_responses(problem, n);
  if (first < 0 || (fresh && first > 0) ||
      (!fresh && static_cast<Index>(states.size()) != machines) ||
      (offset.size() > 0 && offset.size() != n) || (noise.size() > 0 && noise.size() != n))
    throw InvalidSpec("the state, the offset or the noise does not fit the points");
  if (noise.size() > 0 && !(likelihood.gaussian() && (noise.array() >= 0.0).all()))
    throw InvalidSpec("noise of the rows needs a Gaussian likelihood and variances of at least 0");
  if (options.sweeps < 1 || !(options.novelty >= 0.0) || (options.bounded() && options.budget < 1))
    throw InvalidSpec("the budget, the novelty or the number of sweeps is out of range");
  if (options.bounded() && options.propagates())
    throw InvalidSpec("sweeps of expectation propagation need an unbounded basis");
  if (!(options.persistence > 0.0 && options.persistence <= 1.0) || !(next.noise_ratio > 0.0))
    throw InvalidSpec("the persistence or the ratio of the noise is out of range");
  if (options.forgets() && (options.keeps_rows() || options.sweeps > 1))
    throw InvalidSpec("only a filter that visits every row once forgets");
  if (next.kernel != nullptr && options.keeps_rows())
    throw InvalidSpec("only a filter changes its kernel");

  // All machines visit the rows in the same order.
  Indices order(n);
  std::iota(order.begin(), order.end(), first);
  if (options.shuffle) Rng(seed).shuffle_front(order, n);

  OnlineFit result;
  result.states = fresh ? std::vector<OnlineState>(machines) : std::move(states);
  result.fit.latents.resize(machines);
  const Vector offsets = offset.size() > 0 ? offset : Vector(Vector::Zero(n));
  const Vector noises = noise.size() > 0 ? noise : Vector(Vector::Zero(n));
  const Stream stream{kernel,  likelihood, problem.x, order, first,
                      offsets, noises,     options,   fresh, next};
  Context own = ctx;
  own.threads = kernel.usable_threads(own.threads);
  parallel_tasks(own, machines, [&](Index c, const Context& task) {
    result.fit.latents[c] =
        fit_one(stream, problem.responses(c), problem.prior_mean(c), result.states[c], task);
  });
  return result;
}

}  // namespace gpsieve
