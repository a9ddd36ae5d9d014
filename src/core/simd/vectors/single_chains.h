// What the vectors of single precision have in common. No include guard: part of the
// vectors/single_*.h.

using Real = float;

// Sums of products along a column run in this many interleaved chains, two of the longest vectors,
// added as a binary tree.
constexpr Index kChains = 32;

// A packed right operand holds each element once.
constexpr Index kCopies = 1;
