// Rows that passes over the data visit in ascending order: all in memory, or read in windows of
// consecutive rows, of which one is held at a time.
#ifndef GPSIEVE_SPARSE_EP_ROW_SOURCE_H
#define GPSIEVE_SPARSE_EP_ROW_SOURCE_H

#include "base/types.h"

namespace gpsieve {

class RowSource {
 public:
  virtual ~RowSource() = default;
  virtual Index rows() const = 0;
  // Whether these rows are held at the same time; otherwise only parts of them can be asked for.
  virtual bool holds_together(Index begin, Index size) const = 0;
  // The inputs of consecutive rows, as columns. The factors of these rows hold their responses from
  // then on. Valid until the next call.
  virtual Eigen::Ref<const Matrix> inputs(Index begin, Index size) = 0;
};

// All rows in memory.
class MemoryRows final : public RowSource {
 public:
  explicit MemoryRows(Points x) : x_(x) {}
  Index rows() const override { return x_.cols(); }
  bool holds_together(Index, Index) const override { return true; }
  Eigen::Ref<const Matrix> inputs(Index begin, Index size) override {
    return x_.middleCols(begin, size);
  }

 private:
  Eigen::Ref<const Matrix> x_;
};

}  // namespace gpsieve

#endif
