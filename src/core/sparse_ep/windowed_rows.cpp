#include "sparse_ep/windowed_rows.h"

#include <algorithm>

#include "base/error.h"

namespace gpsieve {

Eigen::Ref<const Matrix> WindowedRows::inputs(Index begin, Index size) {
  const Index first = begin / window_, last = (begin + size - 1) / window_;
  hold_windows(first, last);
  if (first == last) {
    factors_.hold(first * window_, held_.front().y, held_.front().offset);
    return held_.front().x.middleCols(begin - first * window_, size);
  }
  join(begin, size);
  factors_.hold(begin, joined_.y, joined_.offset);
  return joined_.x;
}

// Holds these windows and no others; reads those that it does not hold yet.
void WindowedRows::hold_windows(Index first, Index last) {
  const Index end = first_ + static_cast<Index>(held_.size());
  if (first < first_ || first >= end)
    held_.clear();
  else
    held_.erase(held_.begin(), held_.begin() + (first - first_));
  first_ = first;
  if (static_cast<Index>(held_.size()) > last - first + 1)
    held_.resize(static_cast<std::size_t>(last - first + 1));
  while (static_cast<Index>(held_.size()) < last - first + 1) {
    const Index number = first + static_cast<Index>(held_.size());
    Window window = read_(number);
    if (window.x.cols() != std::min(window_, rows() - number * window_) ||
        window.y.rows() != window.x.cols() ||
        (window.offset.size() > 0 && window.offset.size() != window.x.cols()))
      throw InvalidSpec("a window of rows has another size");
    held_.push_back(std::move(window));
  }
}

void WindowedRows::join(Index begin, Index size) {
  joined_.x.resize(held_.front().x.rows(), size);
  joined_.y.resize(size, held_.front().y.cols());
  const bool has_offset = held_.front().offset.size() > 0;
  joined_.offset.resize(has_offset ? size : 0);
  Index number = first_;
  for (const Window& window : held_) {
    const Index start = number++ * window_, from = std::max(begin, start);
    const Index count = std::min(begin + size, start + window.x.cols()) - from;
    joined_.x.middleCols(from - begin, count) = window.x.middleCols(from - start, count);
    joined_.y.middleRows(from - begin, count) = window.y.middleRows(from - start, count);
    if (has_offset)
      joined_.offset.segment(from - begin, count) = window.offset.segment(from - start, count);
  }
}

}  // namespace gpsieve
