// Sequential Bayesian Gaussian processes (Csato, Fokoue, Opper, Schottky & Winther 2000): one row
// after the other moves the posterior to the moments of its tilted distribution, in memory that a
// budget of basis points bounds.
#ifndef GPSIEVE_MODELS_ONLINE_ONLINE_H
#define GPSIEVE_MODELS_ONLINE_ONLINE_H

#include <cstdint>
#include <vector>

#include "base/context.h"
#include "kernel/kernel.h"
#include "likelihood/likelihood.h"
#include "models/fit_result.h"

namespace gpsieve {

// Which basis point leaves when there is one too many, and how the rest takes over: the point whose
// removal changes least as KL(after || before), KL(before || after), or in the mean alone.
enum class Deletion { reverse_kl, forward_kl, cheap };
// What sweeps after the first do: expectation propagation with a site per row, or the same rows as
// if they were new ones (assumed density filtering).
enum class SweepType { ep, adf };

constexpr Index kNoBudget = -1;

struct OnlineOptions {
  Index budget = kNoBudget;
  double novelty =
      1e-6;  // share of its prior variance that a new basis point must have for its own
  Deletion deletion = Deletion::reverse_kl;
  int sweeps = 1;
  SweepType sweep_type = SweepType::ep;
  bool shuffle = false;
  double tolerance = 1e-8;  // EP stops where no site moved further, in units of its marginal

  bool bounded() const { return budget != kNoBudget; }
  bool propagates() const { return sweeps > 1 && sweep_type == SweepType::ep; }
  // EP needs the site of every row, and with it the row; a novelty of 0 asks for all rows too.
  bool keeps_rows() const { return propagates() || (!bounded() && novelty == 0.0); }
};

// Everything one latent function needs to go on from where it stopped. The posterior is held in
// whitened coordinates w = W f_B, W K_BB W' = I, as N(m, S); f hangs on them by the prior:
//   mean(x) = v'm,   var(x) = k(x, x) - v'v + v'S v,   v = W k_B(x)
// In the usual parameters (math: sections 5 and 6) Q = W'W, u = W'm and C = W'(S - I) W; but where
// noise is small or basis points are close, C and Q are large and nearly cancel, and a filter that
// updates them breaks down. All numbers here stay of the order of one, W's of the root of Q's.
// Where every row is kept there is no W: sites stand for the rows, and u and C for the posterior.
struct OnlineState {
  Indices basis;                      // columns of the points at hand, in order of inclusion
  Vector weights;                     // u
  Matrix form;                        // S; where rows are kept C
  Matrix whitening;                   // W
  Vector mean;                        // m
  Matrix precision;                   // P = S^-1; empty without a budget, as the next two
  Vector leverage, stiffness;         // diagonals of W'S W = Q + C and of W'P W
  Vector site_precision, site_shift;  // of the basis points, where rows are kept
  double log_evidence = 0.0;          // sum of log predictive densities, each before its row
  Index since_refresh = 0;            // rows since W was computed afresh
};

struct OnlineFit {
  FitResult fit;
  std::vector<OnlineState> states;
};

// Absorbs the last y.rows() columns of x, one latent function per column of y; the columns before
// them are the basis points that `states` (empty: a fresh start) refer to.
OnlineFit fit_online(const Kernel& kernel, const Likelihood& likelihood, Points x, MatrixIn y,
                     VectorIn prior_mean, std::vector<OnlineState> states,
                     const OnlineOptions& options, std::uint64_t seed, const Context& ctx);

}  // namespace gpsieve

#endif
