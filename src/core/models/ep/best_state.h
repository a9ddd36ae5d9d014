// The held-out rows of a fit: how often they are evaluated, when the fit stops because of them, and
// the state with the least loss, which the fit then returns (theory.md#held-out-rows).
#ifndef GPSIEVE_MODELS_EP_BEST_STATE_H
#define GPSIEVE_MODELS_EP_BEST_STATE_H

#include <algorithm>
#include <optional>
#include <utility>

#include "models/ep/learner.h"

namespace gpsieve {

class EpBestState {
 public:
  // `batch`: rows of an iteration. The held-out rows are evaluated once for every as many rows that
  // were used for learning, and after the last iteration.
  EpBestState(const HeldOut& held_out, const EpFitOptions& options, Index batch)
      : held_out_(held_out),
        every_(std::max<Index>(1, held_out.x.cols() / batch)),
        last_(options.iterations),
        stopping_(options.patience) {}

  bool due(Index iteration) const {
    return held_out_.factors && (iteration % every_ == 0 || iteration == last_);
  }
  // The loss of the held-out rows.
  double evaluate(EpApproximation& q, EpLearner& learner, Index iteration) {
    q.refresh();
    const double loss = q.held_out_loss(held_out_);
    if (stopping_.improves(loss, iteration)) best_ = Best{learner.parameters().values(), q.state()};
    return loss;
  }
  bool exhausted(Index iteration) const { return stopping_.exhausted(iteration); }

  void restore(EpApproximation& q, EpLearner& learner) {
    if (!best_) return;
    learner.parameters().set(best_->parameters);
    q.restore(std::move(best_->q));
    best_.reset();
  }

  void visit(Archive& archive, const EpApproximation& q, EpLearner& learner, int threads) {
    stopping_.visit(archive);
    bool kept = best_.has_value();
    archive.visit(kept);
    if (!kept) return;
    Vector values = archive.reading() ? Vector() : best_->parameters;
    archive.visit(values);
    if (!archive.reading()) return best_->q.ep.visit(archive, threads);
    learner.parameters().set(values);
    best_ = Best{values, q.read_state(archive, learner.parameters().inducing())};
  }

 private:
  struct Best {
    Vector parameters;
    EpApproximation::State q;
  };

  const HeldOut& held_out_;
  Index every_, last_;
  EarlyStopping stopping_;
  std::optional<Best> best_;
};

}  // namespace gpsieve

#endif
