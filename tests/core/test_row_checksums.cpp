// Checksums of rows: parts add up, and every change of a value or of the order shows.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/rng.h"
#include "check.h"
#include "math/row_checksums.h"

using namespace gpsieve;

namespace {

using Column = std::vector<double>;

std::vector<double> checksums(const std::vector<Column>& columns, Index from, Index count) {
  RowChecksums sums(count, from);
  for (const Column& column : columns) sums.add_column(column.data() + from);
  return sums.by_stretch();
}

std::vector<Column> draws(Index rows, int columns) {
  Rng rng(7);
  std::vector<Column> out(columns, Column(rows));
  for (Column& column : out)
    for (double& value : column) value = std::floor(8.0 * rng.uniform());
  return out;
}

constexpr double kModulus = 4503599627370496.0;  // 2^52

}  // namespace

TEST(checksums_of_blocks_add_up_to_those_of_all_rows) {
  const Index rows = 2 * kCheckedRows + 100;
  const std::vector<Column> data = draws(rows, 3);
  const std::vector<double> whole = checksums(data, 0, rows);
  CHECK(whole.size() == 3);
  for (Index size : {Index{1000}, kCheckedRows - 1, kCheckedRows, rows}) {
    std::vector<double> sums(3, 0.0);
    for (Index from = 0; from < rows; from += size) {
      const std::vector<double> part = checksums(data, from, std::min(size, rows - from));
      for (std::size_t k = 0; k < part.size(); ++k) {
        double& sum = sums[from / kCheckedRows + k];
        sum = std::fmod(sum + part[k], kModulus);
      }
    }
    CHECK(sums == whole);
  }
  CHECK(checksums(data, 5, 0).empty());
}

TEST(checksums_tell_changed_exchanged_and_moved_values) {
  std::vector<Column> data = draws(50, 3);
  const std::vector<double> sums = checksums(data, 0, 50);
  for (Index i = 0; i < 50; ++i) {
    for (Column& column : data) {
      const double kept = column[i];
      for (double other : {std::nextafter(kept, 100.0), kept + 8.0, -1.0}) {
        column[i] = other;
        CHECK(checksums(data, 0, 50) != sums);
      }
      column[i] = kept;
    }
  }
  std::vector<Column> moved = data;
  for (Column& column : moved) std::swap(column[3], column[4]);
  CHECK(moved != data);
  CHECK(checksums(moved, 0, 50) != sums);
  CHECK(checksums({data[1], data[0], data[2]}, 0, 50) != sums);
  CHECK(checksums({data[0], data[1]}, 0, 50) != sums);
}

TEST(checksums_take_all_missing_values_and_both_zeros_as_equal) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  CHECK(checksums({{nan, 0.0}}, 0, 2) == checksums({{-nan, -0.0}}, 0, 2));
  CHECK(checksums({{nan, 0.0}}, 0, 2) != checksums({{0.0, nan}}, 0, 2));
}
