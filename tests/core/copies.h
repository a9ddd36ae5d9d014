// Rows that are repeated, which case weights stand for.
#ifndef GPSIEVE_TESTS_COPIES_H
#define GPSIEVE_TESTS_COPIES_H

#include <algorithm>

#include "dense_reference.h"

namespace dense {

// Weights 1, 2, 3, 1, 2, 3, ... and the rows that they stand for.
struct Copies {
  explicit Copies(Index n) : weight(n) {
    for (Index i = 0; i < n; ++i) {
      weight(i) = static_cast<double>(1 + i % 3);
      for (Index copy = 0; copy <= i % 3; ++copy) rows.push_back(i);
    }
  }
  Matrix of(const Matrix& points) const { return columns(points, rows); }
  Vector of(const Vector& values) const { return of(Matrix(values.transpose())).transpose(); }
  // Where the first copy of a row is.
  Index first(Index row) const {
    return std::lower_bound(rows.begin(), rows.end(), row) - rows.begin();
  }
  Vector weight;
  Indices rows;
};

}  // namespace dense

#endif
