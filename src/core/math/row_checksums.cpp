#include "math/row_checksums.h"

#include <cmath>
#include <cstring>
#include <limits>

namespace gpsieve {
namespace {

// Every bit of the result depends on every bit of the argument (MurmurHash3's finaliser).
std::uint64_t spread_bits(std::uint64_t x) {
  x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdULL;
  x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53ULL;
  return x ^ (x >> 33);
}

std::uint64_t bits_of(double value) {
  if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
  value += 0.0;  // -0 and 0 are equal
  std::uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

constexpr std::uint64_t kModulus = std::uint64_t{1} << 52;

}  // namespace

RowChecksums::RowChecksums(Index rows, Index first) : first_(first), state_(rows) {
  for (Index i = 0; i < rows; ++i)
    state_[i] = spread_bits(static_cast<std::uint64_t>(first + i + 1));
}

// One-to-one in the value and in the state, so that a row in which one value is another one has
// another checksum.
void RowChecksums::add_column(const double* values) {
  const Index rows = static_cast<Index>(state_.size());
  for (Index i = 0; i < rows; ++i) {
    const std::uint64_t mixed = (state_[i] ^ bits_of(values[i])) * 0x9e3779b97f4a7c15ULL;
    state_[i] = mixed ^ (mixed >> 32);
  }
}

std::vector<double> RowChecksums::by_stretch() const {
  const Index rows = static_cast<Index>(state_.size());
  if (rows == 0) return {};
  const Index before = first_ / kCheckedRows;
  std::vector<std::uint64_t> sums((first_ + rows - 1) / kCheckedRows - before + 1, 0);
  for (Index i = 0; i < rows; ++i)
    sums[(first_ + i) / kCheckedRows - before] += spread_bits(state_[i]);
  std::vector<double> out;
  for (std::uint64_t sum : sums) out.push_back(static_cast<double>(sum % kModulus));
  return out;
}

}  // namespace gpsieve
