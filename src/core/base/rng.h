// xoshiro256++ (Blackman & Vigna 2019), seeded by SplitMix64: the same stream on every platform.
//
// A stream belongs to a unit of work (a class of a one-vs-rest fit, a block of rows), never to a
// thread, so results do not depend on how the work is scheduled.
#ifndef GPSIEVE_BASE_RNG_H
#define GPSIEVE_BASE_RNG_H

#include <cstdint>
#include <utility>

#include "types.h"

namespace gpsieve {

class Rng {
 public:
  explicit Rng(std::uint64_t seed, std::uint64_t stream = 0) {
    std::uint64_t mix = seed + 0x632be59bd9b4e019ULL * (stream + 1);
    for (auto& word : state_) word = split_mix(mix);
  }

  std::uint64_t next() {
    const std::uint64_t result = rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = rotl(state_[3], 45);
    return result;
  }

  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }  // [0, 1)

  // Uniform on 0..n-1 without modulo bias, by rejection.
  Index below(Index n) {
    const std::uint64_t bound = static_cast<std::uint64_t>(n);
    const std::uint64_t threshold = (0 - bound) % bound;
    for (;;) {
      const std::uint64_t draw = next();
      if (draw >= threshold) return static_cast<Index>(draw % bound);
    }
  }

  // Moves a uniform draw of `count` items, in random order, to the front of `items`.
  void shuffle_front(Indices& items, Index count) {
    const Index n = static_cast<Index>(items.size());
    for (Index i = 0; i < count && i < n - 1; ++i) std::swap(items[i], items[i + below(n - i)]);
  }

 private:
  static std::uint64_t rotl(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  static std::uint64_t split_mix(std::uint64_t& x) {
    std::uint64_t z = (x += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  std::uint64_t state_[4];
};

}  // namespace gpsieve

#endif
