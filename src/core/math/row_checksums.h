// Checksums by which rows that are read twice are compared.
//
// The checksum of a row is a function of its number and of its values in the order of the columns.
// That of a stretch of kCheckedRows consecutive rows is the sum of theirs modulo 2^52, a number
// that a double holds exactly. Sums of parts of a stretch may therefore be added, and rows may
// arrive in blocks of any size.
#ifndef GPSIEVE_MATH_ROW_CHECKSUMS_H
#define GPSIEVE_MATH_ROW_CHECKSUMS_H

#include <cstdint>
#include <vector>

#include "base/types.h"

namespace gpsieve {

constexpr Index kCheckedRows = 4096;

class RowChecksums {
 public:
  // `rows` consecutive rows, the first of which has the number `first`, counted from 0.
  RowChecksums(Index rows, Index first);
  // The next column: a value for each row. All values that are not numbers count as equal.
  void add_column(const double* values);
  // The sums over the rows of every stretch that has some of them.
  std::vector<double> by_stretch() const;

 private:
  Index first_;
  std::vector<std::uint64_t> state_;  // of each row
};

}  // namespace gpsieve

#endif
