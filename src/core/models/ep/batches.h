// The rows of each update: all rows, or minibatches. Minibatches are consecutive blocks, or drawn
// without replacement from windows of consecutive rows, which are visited in the order of the data.
#ifndef GPSIEVE_MODELS_EP_BATCHES_H
#define GPSIEVE_MODELS_EP_BATCHES_H

#include <algorithm>
#include <numeric>

#include "base/rng.h"
#include "sparse_ep/whitened_rows.h"

namespace gpsieve {

class EpBatches {
 public:
  // `size` rows in a batch; 0: all rows. `window` rows in a window, of which the last batch may be
  // smaller; 0: all rows.
  EpBatches(Index n, Index size, Index window, bool shuffle, std::uint64_t seed)
      : n_(n),
        size_(size > 0 ? std::min(size, n) : n),
        window_(window > 0 && size_ < n ? std::min(window, n) : n),
        shuffle_(shuffle && size_ < n),
        rng_(seed) {}

  bool all_rows() const { return size_ == n_; }
  Index per_epoch() const {
    const auto batches = [&](Index rows) { return (rows + size_ - 1) / size_; };
    return n_ / window_ * batches(window_) + batches(n_ % window_);
  }

  // The rows of the next update, valid until the next call.
  RowSet next() {
    if (next_ == n_) next_ = 0;
    const Index first = next_ - next_ % window_, last = std::min(first + window_, n_);
    if (next_ == first && shuffle_) shuffle(first, last);
    const Index begin = next_, count = std::min(size_, last - begin);
    next_ += count;
    return shuffle_ ? RowSet::listed(order_).part(begin - first, count)
                    : RowSet::range(begin, count);
  }

  // As many calls of next().
  void skip(Index updates) {
    for (Index i = 0; i < updates; ++i) next();
  }

 private:
  // A new random order of the window's rows: of their last order, if that is of the same window.
  void shuffle(Index first, Index last) {
    if (order_.empty() || window_ < n_) {
      order_.resize(static_cast<std::size_t>(last - first));
      std::iota(order_.begin(), order_.end(), first);
    }
    rng_.shuffle_front(order_, last - first);
  }

  Index n_, size_, window_, next_ = 0;
  bool shuffle_;
  Rng rng_;
  Indices order_;  // of the rows of the present window
};

}  // namespace gpsieve

#endif
