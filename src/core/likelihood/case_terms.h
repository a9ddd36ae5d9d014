// What a row of data brings besides its inputs and its response: its case weight, which is how many
// equal rows it stands for, and the offset of the latent function there.
//
// A model with case weights equals the one in which a row of weight w is repeated w times
// (notation.md#case-weights); its formulas also hold for weights that are no whole numbers.
#ifndef GPSIEVE_LIKELIHOOD_CASE_TERMS_H
#define GPSIEVE_LIKELIHOOD_CASE_TERMS_H

#include "base/error.h"
#include "base/types.h"

namespace gpsieve {

struct CaseTerms {
  Vector weight;  // positive; empty: 1 for every row
  Vector offset;  // empty: 0 for every row

  bool weighted() const { return weight.size() > 0; }
  Vector weights(Index rows) const { return weighted() ? weight : Vector(Vector::Ones(rows)); }
  // The prior mean of the latent function at every row, of which `constant` is the same for all.
  Vector prior_means(Index rows, double constant) const {
    Vector out = Vector::Constant(rows, constant);
    if (offset.size() > 0) out += offset;
    return out;
  }
};

inline void require_cases(const CaseTerms& cases, Index rows) {
  const auto fits = [rows](const Vector& v) {
    return v.size() == 0 || (v.size() == rows && v.allFinite());
  };
  if (!fits(cases.weight) || !fits(cases.offset) || !(cases.weight.array() > 0.0).all())
    throw InvalidSpec("the case weights or the offsets do not fit the rows");
}

}  // namespace gpsieve

#endif
