// The rows from which the next basis function is chosen: a random draw, a given list, or all rows.
#ifndef GPSIEVE_MODELS_GREEDY_CANDIDATES_H
#define GPSIEVE_MODELS_GREEDY_CANDIDATES_H

#include "base/rng.h"
#include "models/greedy/greedy.h"
#include "models/greedy/incremental_basis.h"

namespace gpsieve {

// Draws of candidates, until one of them can be added.
inline constexpr int kDraws = 3;

class CandidateSource {
 public:
  // `count` rows a time; 0: all rows. Given lists are used in turn, one for each function.
  CandidateSource(Index count, const std::vector<Indices>& lists, Rng rng)
      : count_(count), lists_(lists), rng_(rng) {}

  bool all() const { return count_ == 0 && lists_.empty(); }
  // Rows not in the basis, in increasing order; none if none is left.
  Indices next(const IncrementalBasis& basis);
  // A draw may be followed by another when it held nothing useful; a list or all rows may not.
  bool can_draw_again(const IncrementalBasis& basis) const;
  double uniform() { return rng_.uniform(); }

 private:
  Index count_;
  const std::vector<Indices>& lists_;
  Rng rng_;
};

// The position of the largest gain, the first of equals; -1 if none is 0 or more.
Index first_largest(VectorIn gains);
// Positions of `gains` from the largest to the smallest that is not negative; equal ones in order.
Indices by_decreasing_gain(VectorIn gains);

// Adds the function of the candidate with the largest gain that the engine accepts; false if it
// accepts none.
template <class Engine>
bool add_best(const Indices& candidates, const Vector& gains, Engine& engine, const Context& ctx) {
  // The best is almost always accepted, so the others are sorted only if it is not.
  const Index best = first_largest(gains);
  if (best < 0) return false;
  if (engine.add(candidates[best], ctx)) return true;
  for (const Index t : by_decreasing_gain(gains))
    if (t != best && engine.add(candidates[t], ctx)) return true;
  return false;
}

}  // namespace gpsieve

#endif
