// Sparse greedy approximation of Gaussian processes (Smola 2002; Smola & Bartlett 2001): few kernel
// functions fitted to all rows, chosen one by one, with two-sided bounds on the optimum.
#ifndef GPSIEVE_MODELS_GREEDY_GREEDY_H
#define GPSIEVE_MODELS_GREEDY_GREEDY_H

#include <cstdint>
#include <limits>
#include <string>

#include "base/context.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

enum class GreedyRule { gain, pivot, random };
// What the gap between the objective and its lower bound is compared with: the negative log
// posterior, theory.md (6), or the objective itself, theory.md (5).
enum class GreedyStop { posterior, duality_gap };
enum class GreedyVariance { dtc, sor, upper };
enum class GradientBound { exact, block, cheap };
// Where the best lower bound comes from: the dual form on all rows or on the rows of a sparse one,
// theory.md (7), or the gradient lemma, theory.md (21), in one of the forms of GradientBound.
enum class BoundSource {
  none,
  dense_dual,
  sparse_dual,
  gradient_exact,
  gradient_block,
  gradient_cheap
};

struct GreedyOptions {
  Index n_basis = 0;       // 0: until the gap is below tol
  Index max_basis = 1000;  // then at most so many
  double tol = 0.025;
  Index candidates = 59;                 // drawn for each step; 0: all rows
  std::vector<Indices> candidate_lists;  // given instead, one for each step
  GreedyRule rule = GreedyRule::gain;
  bool certify = true;
  GreedyStop stop = GreedyStop::posterior;
  GreedyVariance variance = GreedyVariance::dtc;
  GradientBound bound = GradientBound::exact;
  Index dual_candidates = 0;    // of the form Q*; 0: all rows
  Index dual_rows = 20000;      // Q* searches among at most so many rows
  Index certify_rows = 50000;   // more rows have no dense certificate: it costs n^2 kernel values
  Index block_size = 50;        // of the gradient lemma's block form
  double stored_bytes = 512e6;  // K is kept for searches of all rows if it fits
  double grow = 0.1;       // Newton's method starts anew when the basis has grown by this share
  bool trace_term = true;  // of the regression's evidence
};

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

struct GreedyCertificate {
  double objective = kUnknown, lower = kUnknown;  // lower <= minimum <= objective
  // objective + offset is the (scaled) negative log posterior over that of a function of which
  // every row has its largest likelihood and the prior density is 1: never negative.
  double offset = 0.0;
  BoundSource source = BoundSource::none;  // of `lower`

  double gap() const { return objective - lower; }
  double posterior_gap() const;  // relative to the negative log posterior, theory.md (6)
  double duality_gap() const;    // relative to the objective, theory.md (5)
};

struct GreedyLatent {
  LatentFit fit;
  GreedyCertificate certificate;
  bool converged = true;
  std::string reason;
};

struct GreedyResult : FitResult {
  std::vector<GreedyCertificate> certificates;  // one per latent function
};

// One machine per latent function, each with a stream of random numbers of its own, of which the
// first has number `first_machine`.
GreedyResult fit_greedy(const FitProblem& problem, const GreedyOptions& options, std::uint64_t seed,
                        const Context& ctx, Index first_machine = 0);

// m rows by incomplete Cholesky with complete pivoting, the largest residual variance first.
Indices pivoted_rows(const Kernel& kernel, Points x, Index m, const Context& ctx);

}  // namespace gpsieve

#endif
