// Greedy inclusion from a randomised selection index with delayed updates.
//
// Only the `pool` rows of the index J are kept up to date. After an inclusion the best `retain`
// share of J gets its new row of M at once; the rest is dropped and replaced by rows drawn
// uniformly from all others. A column remembers how many rows of M it owns and resumes there when
// it is drawn again, so nothing is computed twice and the work is at most n d^2.
#ifndef GPSIEVE_MODELS_IVM_POOL_SEARCH_H
#define GPSIEVE_MODELS_IVM_POOL_SEARCH_H

#include <memory>
#include <vector>

#include "base/context.h"
#include "base/rng.h"
#include "models/ivm_full_search.h"
#include "models/ivm_state.h"

namespace gpsieve {

class PoolSearch {
 public:
  // Takes over from a full search, or starts from the prior where `start` is null.
  PoolSearch(IvmState& state, FullSearch* start, Rng& rng, const Context& ctx);

  // Includes the best row of the index; false when no row anywhere has anything to say.
  bool include_best();

 private:
  void refill();
  void draw(Index count, Indices& fresh);
  void bring_up_to_date(Indices& fresh);
  void append(const Inclusion& inclusion);
  double* column(Index row) const { return columns_.get() + row * ld_; }

  IvmState& state_;
  Rng& rng_;
  const Context& ctx_;
  int threads_;
  Index ld_;                           // capacity of a column: n_active
  std::unique_ptr<double[]> columns_;  // M, a column per point; pages are committed when written
  std::vector<Index> have_;            // rows of M that a column owns
  Vector mean_, variance_;
  Indices index_;  // J
  std::vector<char> in_index_;
  Vector scores_;  // of J, before the inclusion
};

}  // namespace gpsieve

#endif
