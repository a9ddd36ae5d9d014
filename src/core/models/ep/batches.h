// The rows of each update: all rows, consecutive blocks, or blocks of a new random order in every
// epoch.
#ifndef GPSIEVE_MODELS_EP_BATCHES_H
#define GPSIEVE_MODELS_EP_BATCHES_H

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "sparse_ep/whitened_rows.h"

namespace gpsieve {

class EpBatches {
 public:
  // `size` rows in a batch; 0: all rows.
  EpBatches(Index n, Index size, bool shuffle, std::uint64_t seed)
      : n_(n), size_(size > 0 ? std::min(size, n) : n), shuffle_(shuffle && size_ < n), rng_(seed) {
    if (!shuffle_) return;
    order_.resize(static_cast<std::size_t>(n));
    std::iota(order_.begin(), order_.end(), Index{0});
  }

  bool all_rows() const { return size_ == n_; }
  // The rows of the next update, valid until the next call.
  RowSet next() {
    if (next_ == n_) next_ = 0;
    if (next_ == 0 && shuffle_) rng_.shuffle_front(order_, n_);
    const Index begin = next_, count = std::min(size_, n_ - begin);
    next_ += count;
    return shuffle_ ? RowSet::listed(order_).part(begin, count) : RowSet::range(begin, count);
  }

 private:
  Index n_, size_, next_ = 0;
  bool shuffle_;
  Rng rng_;
  Indices order_;
};

}  // namespace gpsieve

#endif
