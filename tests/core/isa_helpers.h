// Helpers for tests that must hold on every instruction set.
#ifndef GPSIEVE_TESTS_ISA_HELPERS_H
#define GPSIEVE_TESTS_ISA_HELPERS_H

#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/rng.h"
#include "base/types.h"
#include "check.h"
#include "simd/isa.h"

// Runs body(isa) with each instruction set this machine has, then goes back to the one before.
template <class Body>
void for_each_isa(const Body& body) {
  using gpsieve::Isa;
  struct Restore {
    Isa before = gpsieve::active_isa();
    ~Restore() { gpsieve::set_isa(before); }
  } restore;
  for (Isa isa : gpsieve::kAllIsas) {
    if (!gpsieve::set_isa(isa)) continue;
    try {
      body(isa);
    } catch (const std::exception& e) {
      throw std::logic_error(std::string("on ") + gpsieve::isa_name(isa) + ": " + e.what());
    }
  }
}

inline bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

inline bool same_bits(gpsieve::MatrixIn a, gpsieve::MatrixIn b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  for (gpsieve::Index j = 0; j < a.cols(); ++j)
    for (gpsieve::Index i = 0; i < a.rows(); ++i)
      if (!same_bits(a(i, j), b(i, j))) return false;
  return true;
}

inline gpsieve::Matrix random_matrix(gpsieve::Rng& rng, gpsieve::Index m, gpsieve::Index n) {
  gpsieve::Matrix out(m, n);
  for (gpsieve::Index i = 0; i < out.size(); ++i) out.data()[i] = 2.0 * rng.uniform() - 1.0;
  return out;
}

// `count` equally spaced numbers from low to high.
inline std::vector<double> sweep(double low, double high, int count) {
  std::vector<double> x;
  for (int i = 0; i < count; ++i) x.push_back(low + (high - low) * i / (count - 1));
  return x;
}

// A random m x n block somewhere inside a larger matrix: its stride exceeds its rows.
class Embedded {
 public:
  Embedded(gpsieve::Rng& rng, gpsieve::Index m, gpsieve::Index n)
      : row_(rng.below(4)), col_(rng.below(3)), rows_(m), cols_(n) {
    parent_ = random_matrix(rng, row_ + m + rng.below(4), col_ + n + rng.below(3));
    before_ = parent_;
  }
  auto block() { return parent_.block(row_, col_, rows_, cols_); }

  // The parent outside the block is as it was.
  bool surroundings_untouched() {
    gpsieve::Matrix now = parent_;
    now.block(row_, col_, rows_, cols_) = before_.block(row_, col_, rows_, cols_);
    return same_bits(now, before_);
  }

 private:
  gpsieve::Index row_, col_, rows_, cols_;
  gpsieve::Matrix parent_, before_;
};

#endif
