// Products of K + D with several vectors, as conjugate gradients need them.
//
// A product is the sum of what 16 slices of the matrix give, added in pairs, then in pairs of
// pairs. Neighbouring slices whose number is a power of two are one term of that sum, which another
// thread, process or machine can compute without a bit of difference:
// theory.md#products-with-the-kernel-matrix.
#ifndef GPSIEVE_EXACT_COVARIANCE_PRODUCT_H
#define GPSIEVE_EXACT_COVARIANCE_PRODUCT_H

#include <utility>
#include <vector>

#include "base/context.h"
#include "base/types.h"

namespace gpsieve {

class CovarianceProduct {
 public:
  virtual ~CovarianceProduct() = default;
  virtual Index size() const = 0;
  // out = (K + D) p. Throws NumericalFailure where K is not finite.
  virtual void multiply(MatrixIn p, MatrixOut out, const Context& ctx) const = 0;
};

constexpr Index kProductSlices = 16;

// `count` slices from `first` on.
struct SliceRange {
  Index first = 0;
  Index count = kProductSlices;
};

// The slices of one of several processes that share a product: ranges of equally many slices, whose
// number is a power of two. The ranges of all shares, in the order of the shares, are all slices.
// Some shares are empty where there are more shares than slices.
std::vector<SliceRange> slices_of_share(Index share, Index shares);

// A sum in pairs of terms that arrive one after the other.
class PairwiseSum {
 public:
  void add(Matrix term);
  // The sum of all terms, whose number must be a power of two.
  Matrix& total();

 private:
  std::vector<std::pair<Index, Matrix>> sums_;  // of 2^level terms each, largest level first
};

}  // namespace gpsieve

#endif
