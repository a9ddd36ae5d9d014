#include "models/meanfield/meanfield.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <mutex>
#include <numeric>
#include <vector>

#include "base/error.h"
#include "base/large_pages.h"
#include "base/parallel.h"
#include "kernel/gram_blocks.h"
#include "linalg/products.h"
#include "linalg/scratch_matrix.h"
#include "models/meanfield/cavities.h"
#include "models/meanfield/coarse_start.h"
#include "models/meanfield/gaussian.h"
#include "models/meanfield/gradient.h"
#include "models/parts.h"

namespace gpsieve {
namespace {

void gram_matrix(const Kernel& kernel, Points x, MatrixOut k, const Context& ctx) {
  lower_gram(kernel, x, k, ctx);
  symmetrise_from_lower(k);
}

Indices all_rows(Index n) {
  Indices rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

// The map D of theory.md (21), or of (22) with `cavity_variance`: the variance of f(x) for a point
// x that has no likelihood. Moves `work` into the map.
TriangularMap variance_map(FieldSolver& solver, Matrix& work, const MeanfieldOptions& options,
                           const Context& ctx) {
  TriangularMap down;
  const Likelihood& likelihood = solver.problem().likelihood;
  const bool cavity = options.cavity_variance;
  if (cavity && options.method == FieldMethod::naive) return down;
  if (cavity && options.method == FieldMethod::ensemble) {
    factor_with_noise(solver.problem().k, likelihood.step_noise(), solver.problem().copies, work,
                      ctx);
  } else {
    solver.factor();
    down.scale = solver.root();
  }
  down.factor = std::move(work);
  down.factor.triangularView<Eigen::StrictlyUpper>().setZero();
  return down;
}

// theory.md (36): the scale of a posterior without its factor. A site of infinite precision takes
// the largest one that leaves the factor finite.
Vector dense_scale(const LatentFit& fit) {
  constexpr double kLargest = 1e16;
  return fit.site_precision.cwiseMin(kLargest).cwiseSqrt();
}

LatentFit fit_one(const Kernel& kernel, Points x, FieldProblem problem,
                  const MeanfieldOptions& options, FieldSolution& solution, const Context& ctx) {
  const Index n = x.cols();
  Matrix work = large_matrix(n, n);
  FieldSolver solver(problem, work, ctx);
  if (options.method == FieldMethod::tap) start_from_fewer_rows(solver, work, options, ctx);
  solution = solve_fields(solver, work, options, ctx);
  const FieldPoint& point = solver.point();

  LatentFit fit;
  fit.log_evidence = solution.log_evidence;
  fit.trace = solution.trace;
  fit.posterior.basis = fit.site_rows = all_rows(n);
  fit.posterior.weights = solver.coefficients();
  fit.posterior.prior_mean = problem.prior_mean;
  // Site means leave out the prior mean. The curvature is raised to a positive number to divide by.
  const auto curvature = point.curvature.array().max(std::numeric_limits<double>::min());
  fit.site_precision = problem.copies.array() * (curvature / solver.variance_ratio().array());
  fit.site_mean = point.mean.array() + point.slope.array() / curvature;
  fit.cavity_variance = solver.cavity_variance();
  fit.cavity_mean = point.mean + solver.problem().prior_means;
  if (options.gradient)
    fit.evidence_gradient = field_gradient(kernel, x, solver, work, options.method, ctx);
  if (options.keep_factor) {
    fit.posterior.down = variance_map(solver, work, options, ctx);
  } else {
    fit.posterior.dense_scale = dense_scale(fit);
  }
  return fit;
}

void require_data(const FitProblem& data) {
  require_responses(data, data.x.cols());
  require_cases(data.cases, data.x.cols());
}

// Machine c, on the kernel matrix k.
FieldProblem field_problem(MatrixIn k, const FitProblem& data, Index c) {
  const Index n = data.y.rows();
  const double prior_mean = data.prior_mean(c);
  return {k,
          data.likelihood,
          data.responses(c),
          prior_mean,
          data.cases.prior_means(n, prior_mean),
          data.cases.weights(n)};
}

// One work space for each machine that runs at a time. The calling thread owns them, so that the
// next evaluation finds them again.
class WorkSpaces {
 public:
  WorkSpaces(Index n, Index count) {
    for (Index i = 0; i < count; ++i) free_.push_back(&all_.emplace_back(n, n));
  }

  class Loan {
   public:
    explicit Loan(WorkSpaces& from) : from_(from) {
      const std::lock_guard<std::mutex> guard(from_.mutex_);
      taken_ = from_.free_.back();
      from_.free_.pop_back();
    }
    ~Loan() {
      const std::lock_guard<std::mutex> guard(from_.mutex_);
      from_.free_.push_back(taken_);
    }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;
    MatrixOut matrix() const { return *taken_; }

   private:
    WorkSpaces& from_;
    ScratchMatrix* taken_;
  };

 private:
  std::deque<ScratchMatrix> all_;
  std::vector<ScratchMatrix*> free_;
  std::mutex mutex_;
};

// Runs the machines in parallel, or one after the other where the kernel is a function of the host,
// which may only be called from its own thread.
template <class Machine>
void for_machines(const Kernel& kernel, Index machines, const Context& ctx,
                  const Machine& machine) {
  Context own = ctx;
  if (machines > 1) own.threads = kernel.usable_threads(own.threads);
  if (machines == 1) {
    machine(Index{0}, own);
  } else {
    parallel_tasks(own, machines, machine);
  }
}

MeanfieldFit fit_dense(const FitProblem& data, const MeanfieldOptions& options,
                       const std::vector<bool>& judged, const Context& ctx) {
  require_data(data);
  const Kernel& kernel = data.kernel;
  Points x = data.x;
  const Index machines = data.machines();
  MeanfieldFit result;
  result.fit.latents.resize(machines);
  result.corrected.resize(machines);
  if (data.likelihood.gaussian()) {
    for_machines(kernel, machines, ctx, [&](Index c, const Context& task) {
      result.fit.latents[c] = fit_gaussian(data, c, judged, options.keep_factor, task);
      result.corrected(c) = result.fit.latents[c].log_evidence;
    });
    return result;
  }
  Matrix k = large_matrix(x.cols(), x.cols());
  gram_matrix(kernel, x, k, ctx);
  std::vector<FieldSolution> solutions(machines);
  for_machines(kernel, machines, ctx, [&](Index c, const Context& task) {
    result.fit.latents[c] =
        fit_one(kernel, x, field_problem(k, data, c), options, solutions[c], task);
    result.corrected(c) = solutions[c].corrected;
  });
  for (const FieldSolution& solution : solutions)
    if (result.fit.converged && !solution.converged) {
      result.fit.converged = false;
      result.fit.reason = solution.reason;
    }
  return result;
}

}  // namespace

MeanfieldFit fit_meanfield(const FitProblem& data, const MeanfieldOptions& options,
                           const Context& ctx) {
  return fit_dense(data, options, {}, ctx);
}

std::vector<FitResult> fit_meanfield_parts(const FitProblem& data, const MeanfieldOptions& options,
                                           const std::vector<Indices>& parts,
                                           const std::vector<bool>& judged, const Context& ctx) {
  if (!judged.empty() && static_cast<Index>(judged.size()) != data.x.cols())
    throw InvalidSpec("the judged rows do not fit the rows");
  return fit_parts(data, parts, ctx,
                   [&](const FitProblem& part, Index number, const Context& task) {
                     std::vector<bool> own;
                     if (!judged.empty())
                       for (const Index row : parts[static_cast<std::size_t>(number)])
                         own.push_back(judged[static_cast<std::size_t>(row)]);
                     return fit_dense(part, options, own, task).fit;
                   });
}

MeanfieldEvidence meanfield_evidence(const FitProblem& data, const MeanfieldOptions& options,
                                     const MeanfieldStart& start, const Context& ctx) {
  require_data(data);
  const Kernel& kernel = data.kernel;
  Points x = data.x;
  const Matrix &means = start.means, &cavity = start.cavity;
  const Index n = x.cols(), machines = data.machines();
  if (means.size() > 0 && (means.rows() != n || means.cols() != machines || cavity.rows() != n ||
                           cavity.cols() != machines))
    throw InvalidSpec("the start does not fit the rows");
  ScratchMatrix k(n, n);
  gram_matrix(kernel, x, k, ctx);
  WorkSpaces spaces(n, std::min<Index>(machines, std::max(1, ctx.threads)));
  MeanfieldEvidence result{0.0,
                           Vector::Zero(kernel.n_params() + data.likelihood.n_params()),
                           true,
                           {Matrix(n, machines), Matrix(n, machines)}};
  Vector values(machines);
  Matrix gradients(result.gradient.size(), machines);
  std::vector<FieldSolution> solutions(machines);
  for_machines(kernel, machines, ctx, [&](Index c, const Context& task) {
    const WorkSpaces::Loan loan(spaces);
    const MatrixOut work = loan.matrix();
    FieldSolver solver(field_problem(k, data, c), work, task);
    if (means.size() > 0) {
      solver.set_cavities(cavity.col(c).cwiseMin(k.diagonal()));
      solver.start_from_means(means.col(c));
    }
    solutions[c] = solve_fields(solver, work, options, task);
    values(c) = solutions[c].log_evidence;
    result.next.means.col(c) = solver.point().mean;
    result.next.cavity.col(c) = solver.cavity_variance();
    gradients.col(c) = field_gradient(kernel, x, solver, work, options.method, task);
  });
  result.value = values.sum();
  result.gradient = gradients.rowwise().sum();
  for (const FieldSolution& solution : solutions)
    result.converged = result.converged && solution.converged;
  return result;
}

}  // namespace gpsieve
