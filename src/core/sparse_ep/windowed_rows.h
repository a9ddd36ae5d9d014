// Rows that the host reads in windows of a fixed size, again in every pass.
#ifndef GPSIEVE_SPARSE_EP_WINDOWED_ROWS_H
#define GPSIEVE_SPARSE_EP_WINDOWED_ROWS_H

#include <functional>
#include <vector>

#include "sparse_ep/factors.h"
#include "sparse_ep/row_source.h"

namespace gpsieve {

class WindowedRows final : public RowSource {
 public:
  struct Window {
    Matrix x, y;    // inputs, a column for each row; responses, a row for each row
    Vector offset;  // of each row, as Factors::hold() takes it
  };
  // The window with this number, from 0; all windows but the last have the same number of rows.
  using Read = std::function<Window(Index)>;

  // `factors` are those of all rows, and hold the responses of the rows that are asked for.
  WindowedRows(Read read, Index window, Factors& factors)
      : read_(std::move(read)), window_(window), factors_(factors) {}

  Index rows() const override { return factors_.rows(); }
  bool holds_together(Index begin, Index size) const override {
    return begin / window_ == (begin + size - 1) / window_;
  }
  Eigen::Ref<const Matrix> inputs(Index begin, Index size) override;

 private:
  void hold_windows(Index first, Index last);
  void join(Index begin, Index size);

  Read read_;
  Index window_, first_ = 0;
  Factors& factors_;
  std::vector<Window> held_;  // windows first_, first_ + 1, ...
  Window joined_;             // rows of several windows
};

}  // namespace gpsieve

#endif
