#include "learning/blocks.h"

#include <algorithm>
#include <numeric>

namespace gpsieve {
namespace {

// A spread is estimated from so many rows, drawn with replacement, as the distance between the
// values that leave out a twentieth of these rows on either side: an indicator that is rarely 1 has
// no spread.
constexpr Index kSpreadRows = 256;
constexpr Index kLeftOut = kSpreadRows / 20;

Indices all_rows(Index n) {
  Indices rows(static_cast<std::size_t>(n));
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

Vector squared_spreads(Points x, VectorIn scale, const Indices& rows, Rng& rng) {
  Indices some(kSpreadRows);
  for (Index& row : some) row = rows[rng.below(static_cast<Index>(rows.size()))];
  Vector values(kSpreadRows), spreads(x.rows());
  for (Index j = 0; j < x.rows(); ++j) {
    for (Index i = 0; i < kSpreadRows; ++i) values(i) = x(j, some[i]);
    std::sort(values.data(), values.data() + kSpreadRows);
    const double spread = (values(kSpreadRows - 1 - kLeftOut) - values(kLeftOut)) / scale(j);
    spreads(j) = spread * spread;
  }
  return spreads;
}

// A number of 0 .. size - 1 with probability in proportion to its weight; -1 if all weights are 0.
Index draw(const Vector& weights, Rng& rng) {
  const double total = weights.sum();
  if (!(total > 0.0)) return -1;
  double rest = rng.uniform() * total;
  Index last = -1;
  for (Index j = 0; j < weights.size(); ++j) {
    if (!(weights(j) > 0.0)) continue;
    last = j;
    rest -= weights(j);
    if (rest < 0.0) break;
  }
  return last;
}

// Keeps `count` of the rows: those with the smallest, or those with the largest, values of a
// column.
void keep_side(Points x, Index column, bool smallest, Index count, Indices& rows) {
  const auto before = [&](Index a, Index b) {
    const double va = x(column, a), vb = x(column, b);
    if (va != vb) return smallest ? va < vb : va > vb;
    return a < b;
  };
  std::nth_element(rows.begin(), rows.begin() + count, rows.end(), before);
  rows.resize(static_cast<std::size_t>(count));
}

}  // namespace

Indices random_block(Index n, Index size, Rng& rng) {
  Indices rows = all_rows(n);
  if (size >= n) return rows;
  rng.shuffle_front(rows, size);
  rows.resize(static_cast<std::size_t>(size));
  std::sort(rows.begin(), rows.end());
  return rows;
}

Indices near_block(Points x, VectorIn scale, Index size, Rng& rng) {
  Indices rows = all_rows(x.cols());
  while (static_cast<Index>(rows.size()) > size) {
    const Index column = draw(squared_spreads(x, scale, rows, rng), rng);
    if (column < 0) {
      rng.shuffle_front(rows, size);
      rows.resize(static_cast<std::size_t>(size));
      break;
    }
    const Index half = static_cast<Index>(rows.size()) / 2;
    keep_side(x, column, rng.below(2) == 0, std::max(size, half), rows);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace gpsieve
