// A lower triangle whose columns, each from its diagonal on, stand one behind the other in memory.
#ifndef GPSIEVE_LINALG_PACKED_TRIANGLE_H
#define GPSIEVE_LINALG_PACKED_TRIANGLE_H

#include "base/types.h"

namespace gpsieve {

// `values` belong to somebody else, who keeps them while the triangle is in use.
struct PackedTriangle {
  const double* values = nullptr;
  Index size = 0;  // rows

  const double* column(Index j) const { return values + j * size - j * (j - 1) / 2; }
  Vector diagonal() const;
};

// b = t^-1 b in place, with the bits of trsm(). Parts of the triangle become matrices that fit into
// the cache, one after the other: for few columns of b that takes a fraction of the time that
// the whole triangle as a matrix would.
void solve_packed(const PackedTriangle& t, MatrixOut b);

}  // namespace gpsieve

#endif
