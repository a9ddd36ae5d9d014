// Online Gaussian processes (theory.md): one row after the other moves the posterior to the moments
// of its tilted distribution, on a number of basis points that a budget may bound.
#ifndef GPSIEVE_MODELS_ONLINE_ONLINE_H
#define GPSIEVE_MODELS_ONLINE_ONLINE_H

#include <cstdint>
#include <vector>

#include "base/context.h"
#include "models/fit_problem.h"
#include "models/fit_result.h"

namespace gpsieve {

// How a basis point beyond the budget is chosen and deleted: theory.md (10) and (13), (11) and
// (14), or (12) and (14).
enum class Deletion { reverse_kl, forward_kl, cheap };
// Sweeps after the first: expectation propagation with a site per row, or assumed density
// filtering, which absorbs the rows again as if they were new ones.
enum class SweepType { ep, adf };

constexpr Index kNoBudget = -1;

struct OnlineOptions {
  Index budget = kNoBudget;
  double novelty = 1e-6;  // gamma over the prior variance from which a row becomes a basis point
  Deletion deletion = Deletion::reverse_kl;
  int sweeps = 1;
  SweepType sweep_type = SweepType::ep;
  bool shuffle = true;
  double tolerance = 1e-8;  // of EP: largest change of a site in units of its marginal
  // Correlation of the latent function with itself one row later: theory.md (21). 1: it stays.
  double persistence = 1.0;

  bool bounded() const { return budget != kNoBudget; }
  bool forgets() const { return persistence < 1.0; }
  bool propagates() const { return sweeps > 1 && sweep_type == SweepType::ep; }
  // EP needs every row and its site; a novelty of 0 without a budget asks for every row too.
  bool keeps_rows() const { return propagates() || (!bounded() && novelty == 0.0); }
};

// Rows since S was last written (theory.md#blocks-of-rows). Without such rows everything is empty.
struct PendingRows {
  Vector start;    // lower triangle of S_0, without them, one column after the other
  Matrix squares;  // s_i of theory.md (25), a column for each row
  Vector signs;    // of their d2
  Matrix own;      // (v; gamma^1/2) of those that became basis points
};

// Everything that one latent function needs to go on with later rows: theory.md#state. Where every
// row is kept (theory.md#every-row-kept) there is no W and m; the posterior is u, C and the sites.
struct OnlineState {
  Indices basis;                      // columns of the basis points, in order of inclusion
  Vector weights;                     // u
  Matrix form;                        // S; where rows are kept C
  Matrix whitening;                   // W
  Vector mean;                        // m
  Matrix precision;                   // P = S^-1; empty without a budget, as the next two
  Vector weight_variance, stiffness;  // g and p of theory.md (4)
  Vector site_precision, site_shift;  // of the basis points, where rows are kept
  double log_evidence = 0.0;          // sum of log Z, each before its row was absorbed
  Index since_refresh = 0;            // rows since W was computed again
  Index refreshed = 0;                // basis points whose rows of W were computed together
  PendingRows pending;                // that form, S, contains already
};

// The kernel of the state after the rows of a call, and by how much it divides the information of
// the rows so far: theory.md#another-kernel.
struct NextKernel {
  const Kernel* kernel = nullptr;  // null: the kernel stays
  double noise_ratio = 1.0;        // new noise variance over the old one
};

struct OnlineFit {
  FitResult fit;
  std::vector<OnlineState> states;
};

// Absorbs the last y.rows() columns of x, with a machine for each latent function. The columns
// before them are the basis points that `states` refer to. Empty `states` start without any row.
// Case weights are refused: a row has to be given as often as its weight says. `noise` is the
// variance of each row's noise beyond that of the likelihood, which must be Gaussian then (empty:
// 0). The states that are returned are those under the kernel `next`.
OnlineFit fit_online(const FitProblem& problem, std::vector<OnlineState> states,
                     const OnlineOptions& options, std::uint64_t seed, const Context& ctx,
                     const Vector& noise = Vector(), const NextKernel& next = {});

}  // namespace gpsieve

#endif
