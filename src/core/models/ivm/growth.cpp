#include "models/ivm/growth.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "likelihood/predictions.h"
#include "models/chosen_rows.h"
#include "models/ivm/refinement.h"
#include "models/ivm/selection.h"
#include "posterior/sparse_posterior.h"

namespace gpsieve {
namespace {

// Some of the rows of a problem.
struct Rows {
  Matrix x, y;
  CaseTerms cases;
};

Rows rows_of(const FitProblem& problem, const Indices& rows) {
  return {chosen_columns(problem.x, rows), chosen_rows(problem.y, rows),
          chosen(problem.cases, rows)};
}

Indices all_but(const Indices& rows, Index n) {
  std::vector<char> left_out(n, 0);
  for (const Index row : rows) left_out[row] = 1;
  Indices others;
  for (Index row = 0; row < n; ++row)
    if (!left_out[row]) others.push_back(row);
  return others;
}

// The selection of one latent function, which goes on from size to size.
class Machine {
 public:
  Machine(const BoundKernel& kernel, const Likelihood& likelihood, MatrixIn y, double prior_mean,
          const IvmOptions& options, const CaseTerms& cases, Rng rng)
      : kernel_(kernel),
        likelihood_(likelihood),
        y_(y),
        cases_(cases),
        rng_(rng),
        state_(kernel, likelihood, y, prior_mean, options, cases),
        selection_(state_, nullptr, rng_, ctx_) {}

  Index size() const { return size_; }  // of the last posterior

  // The posterior with so many active rows, or with as many as there are candidates.
  SparsePosterior grow_to(Index size, const Context& ctx) {
    ctx_ = ctx;
    selection_.grow_to(size);
    LatentFit fit = state_.finish();
    IvmOptions options = state_.options();
    options.n_active = size;
    refine(kernel_, likelihood_, y_, cases_, options, rng_, fit, ctx);
    size_ = static_cast<Index>(fit.posterior.basis.size());
    return std::move(fit.posterior);
  }

 private:
  const BoundKernel& kernel_;
  const Likelihood& likelihood_;
  Eigen::Ref<const Matrix> y_;
  const CaseTerms& cases_;
  Rng rng_;
  Context ctx_;  // of the current call
  IvmState state_;
  Selection selection_;
  Index size_ = 0;
};

// Weighted log predictive densities of rows under a posterior on some columns of x.
Vector densities(Points x, SparsePosterior posterior, const FitProblem& rows, Index machine,
                 const Context& ctx) {
  const Index n = rows.y.rows();
  const Matrix basis = chosen_columns(x, posterior.basis);
  std::iota(posterior.basis.begin(), posterior.basis.end(), Index{0});
  Matrix mean(n, 1), variance(n, 1);
  predict_marginals(rows.kernel, basis, {posterior}, rows.x, true, mean, variance, ctx);
  if (rows.cases.offset.size() > 0) mean.col(0) += rows.cases.offset;
  return log_densities(rows.likelihood, rows.responses(machine), mean.col(0), variance.col(0))
      .cwiseProduct(rows.cases.weights(n));
}

// theory.md (19)
bool gained(const Vector& before, const Vector& after, const GrowthOptions& growth) {
  const Vector gain = after - before;
  const double n = static_cast<double>(gain.size()), mean = gain.mean();
  const double spread = (gain.array() - mean).square().sum() / std::max(1.0, n - 1.0);
  return mean > std::max(growth.least_gain, growth.least_errors * std::sqrt(spread / n));
}

}  // namespace

Growth grow_ivm(const FitProblem& problem, const IvmOptions& options, const GrowthOptions& growth,
                std::uint64_t seed, const Context& ctx) {
  const Kernel& kernel = problem.kernel;
  const Likelihood& likelihood = problem.likelihood;
  const Index count = problem.machines(), n = problem.x.cols();
  require_responses(problem, n);
  require_cases(problem.cases, n);
  const Indices others = all_but(growth.aside, n);
  if (growth.aside.empty() || others.empty() || growth.first_size < 1 || growth.level < 1 ||
      options.n_active < 1)
    throw InvalidSpec("the rows put aside or a size does not fit");
  const Rows some = rows_of(problem, others), rest = rows_of(problem, growth.aside);
  const FitProblem train{kernel, likelihood, some.x, some.y, problem.prior_mean, some.cases};
  const FitProblem aside{kernel, likelihood, rest.x, rest.y, problem.prior_mean, rest.cases};
  const IvmOptions own = for_rows(options, train.x.cols());
  const BoundKernel bound(kernel, train.x);
  Context shared = ctx;
  shared.threads = kernel.usable_threads(ctx.threads);
  std::vector<std::unique_ptr<Machine>> machines;
  for (Index c = 0; c < count; ++c)
    machines.push_back(std::make_unique<Machine>(bound, likelihood, train.responses(c),
                                                 problem.prior_mean(c), own, train.cases,
                                                 Rng(seed, static_cast<std::uint64_t>(c))));
  Matrix of_machine(aside.y.rows(), count);
  const auto judge = [&](Index c, const Context& task, Index size) {
    Context quiet = task;
    quiet.progress = nullptr;
    of_machine.col(c) = densities(train.x, machines[c]->grow_to(size, quiet), aside, c, quiet);
  };

  Trace trace;
  Vector before;
  int level = 0;
  for (Index size = std::min(growth.first_size, own.n_active);; size *= 2) {
    size = std::min(size, own.n_active);
    if (count == 1)  // a single machine has all threads for itself
      judge(0, ctx, size);
    else
      parallel_tasks(shared, count, [&](Index c, const Context& task) { judge(c, task, size); });
    Index reached = 0;
    for (const auto& machine : machines) reached = std::max(reached, machine->size());
    const Vector density = of_machine.rowwise().sum();
    const Index round = static_cast<Index>(trace.rows().size());
    level = round > 0 && !gained(before, density, growth) ? level + 1 : 0;
    trace.record({round + 1, density.mean(), reached});
    ctx.report(static_cast<double>(size) / static_cast<double>(own.n_active), reached);
    if (level == growth.level) break;
    if (reached < size || size == own.n_active) {
      level = 0;
      break;
    }
    before = density;
  }
  const auto& curve = trace.rows();
  const Index found = curve[curve.size() - 1 - static_cast<std::size_t>(level)].size;
  return {std::max<Index>(1, found), curve};  // 0 where no row would change the posterior
}

}  // namespace gpsieve
