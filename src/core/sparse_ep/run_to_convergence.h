// EP and SEP at fixed hyper-parameters, repeated until the sites have converged
// (theory.md#convergence).
#ifndef GPSIEVE_SPARSE_EP_RUN_TO_CONVERGENCE_H
#define GPSIEVE_SPARSE_EP_RUN_TO_CONVERGENCE_H

#include <functional>
#include <limits>

#include "base/archive.h"
#include "sparse_ep/sparse_ep.h"

namespace gpsieve {

constexpr double kSmallestDamping = 1.0 / 64.0;

struct ConvergenceOptions {
  int max_passes = 3;
  // Stop when no change was larger than this (SparseEp::Change::largest); 0: make max_passes.
  double tolerance = 0.0;
  double damping = 1.0;
  // Stop as well when a pass changed log Z by no more than this; 0: not for this reason.
  double log_z_tolerance = 0.0;
  // After so many passes the damping is at most `turned_damping` if a pass has turned back, that is
  // if it moved the shift of q against the direction of the pass before.
  int full_passes = std::numeric_limits<int>::max();
  double turned_damping = 1.0;
};

// Sites that would change by more, in the units of SparseEp::Change::largest, run away: settling
// passes begin anew then, from uniform sites or those that the first passes began with.
constexpr double kRunsAway = 2.0;

// Whether a pass has moved the shift of q against the direction of the pass before.
class Turns {
 public:
  explicit Turns(const SparseEp& ep);
  void record(const SparseEp& ep);
  bool turned() const { return turned_; }        // in any pass
  bool turns_now() const { return turns_now_; }  // in the last one
  void visit(Archive& archive);

 private:
  Vector shift_, step_;
  bool turned_ = false, turns_now_ = false;
};

// The damping of passes that settle sites follows what these do: theory.md#convergence.
class SettlingDamping {
 public:
  // `most`: the damping of passes that come nearer each time; the first one has half of it.
  SettlingDamping(const SparseEp& ep, double most) : turns_(ep), most_(most) {}
  double first() const;
  // The damping that follows a pass with this one, which would have changed a site by so much had
  // it not been damped.
  double next(const SparseEp& ep, double damping, double change);
  void visit(Archive& archive);

 private:
  Turns turns_;
  double most_, last_ = std::numeric_limits<double>::infinity();
};

// One update of so many factors. Halves options.damping for the following updates if more than a
// tenth of the factors were skipped. If the factor of q does not exist, repeats the update with
// half the damping, and throws NotPositiveDefinite once the damping is at its smallest value.
SparseEp::Change damped_update(const std::function<SparseEp::Change(const EpUpdate&)>& update,
                               double factors, EpUpdate& options);

struct Convergence {
  bool reached = false;
  double change = 0.0;  // SparseEp::Change::largest of the last pass, had it not been damped
};

// Passes over the rows until converged, or max_passes of them.
Convergence run_to_convergence(SparseEp& ep, WhitenedRows& rows, const ConvergenceOptions& options,
                               const Context& ctx);

struct SettlingOptions {
  int max_passes = 200;
  double tolerance = 0.002;  // the sites have settled where none would change by more,
  // or where two passes in succession have changed log Z by no more than this; 0: not then.
  double log_z_tolerance = 0.0;
};

// Passes over the rows until their sites have settled, or max_passes of them; true if they have.
// The damping follows the passes: theory.md#convergence.
bool settle(SparseEp& ep, WhitenedRows& rows, const SettlingOptions& options, const Context& ctx);

}  // namespace gpsieve

#endif
