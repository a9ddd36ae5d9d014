#include "linalg/packed_triangle.h"

#include <algorithm>

#include "linalg/blocked.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {
namespace {

constexpr Index kStripRows = 512;  // rows of the triangle that become a matrix, kDepth columns wide

// Rows first + (0..rows - 1) of `columns` columns of t, from column `begin` on, none of which has
// its diagonal there.
void unpack(const PackedTriangle& t, Index first, Index rows, Index begin, Index columns,
            double* out) {
  for (Index j = begin; j < begin + columns; ++j, out += kStripRows)
    std::copy_n(t.column(j) + (first - j), rows, out);
}

// The recursion of solve_rows(), whose u is the transposed triangle: rows z over the columns
// first..first + n - 1.
void solve(const PackedTriangle& t, Index first, Index n, Index rows, const View& z,
           double* strip) {
  if (n <= kDiagonal) {
    for (Index j = 0; j < n; ++j)
      std::copy_n(t.column(first + j), n - j, strip + j * kDiagonal + j);
    solve_rows(rows, n, Shape::upper, {strip, kDiagonal, 1}, z);
    return;
  }
  const Index n1 = leading_size(n);
  solve(t, first, n1, rows, z, strip);
  for (Index j = n1; j < n; j += kStripRows) {
    const Index height = std::min(kStripRows, n - j);
    for (Index p = 0; p < n1; p += kDepth) {
      const Index depth = std::min(kDepth, n1 - p);
      unpack(t, first + j, height, first + p, depth, strip);
      multiply({rows, height, depth, -1.0, z.from(0, p), {strip, kStripRows, 1}, 1.0, z.from(0, j)},
               Part::all, 1);
    }
  }
  solve(t, first + n1, n - n1, rows, z.from(0, n1), strip);
}

}  // namespace

Vector PackedTriangle::diagonal() const {
  Vector out(size);
  for (Index j = 0; j < size; ++j) out(j) = *column(j);
  return out;
}

void solve_packed(const PackedTriangle& t, MatrixOut b) {
  require(b.rows() == t.size, "solve_packed", "the shapes do not fit");
  if (b.size() == 0) return;
  ScratchMatrix strip(kStripRows, kDepth);
  solve(t, 0, t.size, b.cols(), {b.data(), b.outerStride(), 1}, strip.data());
}

}  // namespace gpsieve
