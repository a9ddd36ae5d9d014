// Learning the hyper-parameters of dense machines on blocks of rows.
#ifndef GPSIEVE_MODELS_MEANFIELD_BLOCK_EVIDENCE_H
#define GPSIEVE_MODELS_MEANFIELD_BLOCK_EVIDENCE_H

#include "kernel/kernel.h"
#include "learning/learn_on_blocks.h"
#include "likelihood/case_terms.h"
#include "models/fit_problem.h"
#include "models/meanfield/solution.h"

namespace gpsieve {

// The rows of all machines: points, and for each machine its responses and a prior mean.
struct MeanfieldRows {
  const Matrix& x;
  const Matrix& y;
  const Vector& prior_mean;
  const CaseTerms& cases;
};

// The log evidence of a block is that of meanfield_evidence() on its rows, summed over machines and
// multiplied by their number over that of the machines that were evaluated: at most
// `machines_a_step`, in turn. An evaluation starts from the means and cavity variances that each
// row had when it was last in a block. Where Gaussian noise is learned, the evidence is less by its
// rounding error (theory.md#least-noise).
class MeanfieldBlocks final : public BlockObjective {
 public:
  MeanfieldBlocks(Kernel& kernel, Likelihood& likelihood, const MeanfieldRows& rows,
                  const MeanfieldOptions& options, Index machines_a_step, bool learns_noise);

  Vector params() const override;
  void set_params(VectorIn params) override;
  bool repeatable() const override { return machines_a_step_ == rows_.prior_mean.size(); }
  BlockEvidence evidence(const Indices& rows, const Context& ctx) override;

 private:
  Indices next_machines();
  Indices columns_of(const Indices& machines) const;
  // What is known of these rows; where a row is new, its mean is 0 and its cavity variance that
  // of the prior. Empty where no row is known.
  MeanfieldStart start(Points x, const Indices& rows, const Indices& machines) const;
  void subtract_rounding(const FitProblem& block, BlockEvidence& at) const;

  Kernel& kernel_;
  Likelihood& likelihood_;
  const MeanfieldRows rows_;
  const MeanfieldOptions options_;
  const Index machines_a_step_;
  const bool learns_noise_;  // of a Gaussian likelihood
  Index next_machine_ = 0;
  Matrix means_, cavity_;  // of every row and machine; a cavity of -1: not known yet
};

}  // namespace gpsieve

#endif
