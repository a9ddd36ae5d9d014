// Hyper-parameters learned from the evidences of blocks of rows, by stochastic gradient ascent
// (theory.md#learning-on-blocks).
#ifndef GPSIEVE_LEARNING_LEARN_ON_BLOCKS_H
#define GPSIEVE_LEARNING_LEARN_ON_BLOCKS_H

#include <cstdint>
#include <utility>
#include <vector>

#include "base/context.h"
#include "base/types.h"
#include "learning/grouped_prior.h"
#include "learning/quasi_newton.h"

namespace gpsieve {

// The log evidence of some rows and its gradient by all log parameters.
using BlockEvidence = ValueAndGradient;

// A model whose log parameters are learned. Its evidence of a block is that of a machine that knows
// these rows and no others.
class BlockObjective {
 public:
  virtual ~BlockObjective() = default;
  virtual Vector params() const = 0;
  virtual void set_params(VectorIn params) = 0;
  // Whether evidence() of the same rows and parameters is always the same.
  virtual bool repeatable() const { return true; }
  // Throws NumericalFailure where the evidence cannot be computed. Evaluations follow each other
  // and may start from the results of earlier ones.
  virtual BlockEvidence evidence(const Indices& rows, const Context& ctx) = 0;
};

struct BlockLearning {
  std::vector<bool> free;  // which log parameters are learned
  GroupedPrior prior;      // about the values that the objective has
  Vector begin;            // where steps begin; empty: at these values
  // Pairs of a parameter and a column of which it is the lengthscale.
  std::vector<std::pair<Index, Index>> lengthscales;
  Index block_rows;  // of the steps whose values are averaged, and of all where all rows are one
                     // block
  Index first_rows;  // of the steps before
  Index steps;
  double rate;  // eta of theory.md (7)
  // Whether a step takes a block of near rows, of random rows, or one of each.
  bool near = true;
  bool random = true;
  std::uint64_t seed;
};

struct BlockLearned {
  Vector params;
  Vector objective;  // of every step: the penalised evidence per row, as that step estimates it
  // That of `params`, where all rows are one block; else the mean of the last third of the steps.
  double value;
  // Where all rows are one block: did learning end at an optimum? Estimates of the evidence do not
  // say so: then it is true.
  bool converged;
};

// `x`: all rows, of which blocks are drawn; random ones depend only on their number.
BlockLearned learn_on_blocks(BlockObjective& objective, Points x, const BlockLearning& learning,
                             const Context& ctx);

}  // namespace gpsieve

#endif
