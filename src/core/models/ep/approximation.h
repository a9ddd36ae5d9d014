// q over the values at the inducing inputs, with the passes over the rows that update it.
#ifndef GPSIEVE_MODELS_EP_APPROXIMATION_H
#define GPSIEVE_MODELS_EP_APPROXIMATION_H

#include <memory>
#include <string>
#include <vector>

#include "models/ep/ep.h"
#include "models/trace.h"

namespace gpsieve {

class EpApproximation {
 public:
  // q before any row, at the problem's inducing inputs. `keeps_directions`:
  // sparse_ep/theory.md#changing-the-hyper-parameters. `learns`: gradients of the evidence are
  // asked for after every update.
  EpApproximation(const EpProblem& problem, const EpFitOptions& options, bool keeps_directions,
                  bool learns, const Context& ctx);

  Index size() const { return inducing_->size(); }

  // One update from these rows. `how` is the damping, which is lowered where q would not exist.
  SparseEp::Change update(const RowSet& rows, EpUpdate& how);
  // log Z and its gradient from the rows of the last update, counted `scale` times.
  EpEvidence evidence(double scale, bool by_inputs);
  // Carries q over to the present parameters of the kernel and the factors, and to these inducing
  // inputs; false, and q is unchanged, if a factor does not exist there.
  bool move_to(Matrix inputs);
  // q before any row
  void begin_anew();
  const SparseEp& ep() const { return ep_; }
  // q from the sites, where the parameters have changed since q was computed.
  void refresh();
  double held_out_loss(const HeldOut& held_out) const;

  // q with its inducing inputs, as they are after refresh().
  struct State {
    SparseEp ep;
    Inducing inducing;
  };
  State state() const { return {ep_, *inducing_}; }
  void restore(State state);
  // A state that was written with the present parameters and these inducing inputs.
  State read_state(Archive& archive, Matrix inputs) const;

  // The fit without what needs a pass over the rows.
  EpFit describe(std::vector<TraceRow> trace, std::string reason) const;
  // The fit with its evidence and, for EP, its sites.
  EpFit finish(std::vector<TraceRow> trace, std::string reason);

  // Of the present parameters, which have their values before q is read.
  void visit(Archive& archive);
  void make_inducing(Matrix inputs);
  // Sites that other processes keep: before q is written, and after it was read.
  void fetch_sites();
  void hand_out_sites();

 private:
  Inducing inducing_at(Matrix inputs) const;
  void start_all_rows();
  void rebuild();
  void add_sites(FitResult& result);

  const Kernel& kernel_;
  const Factors& factors_;
  EpPasses& passes_;
  const EpFitOptions& options_;
  const Context& ctx_;
  bool keeps_directions_, learns_;
  std::unique_ptr<Inducing> inducing_;
  SparseEp ep_;
  bool stale_ = false;  // q has to be computed anew from the sites
};

}  // namespace gpsieve

#endif
