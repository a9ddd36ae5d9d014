// The state of a computation as a list of numbers, from which the computation can be continued.
//
// A class reads and writes its state by one function, which visits the members in a fixed order.
#ifndef GPSIEVE_BASE_ARCHIVE_H
#define GPSIEVE_BASE_ARCHIVE_H

#include <type_traits>
#include <utility>
#include <vector>

#include "error.h"
#include "types.h"

namespace gpsieve {

using Numbers = std::vector<double>;

class Archive {
 public:
  // Writes what it visits.
  Archive() : reading_(false) {}
  // Gives what it visits the values that another archive has written.
  explicit Archive(Numbers numbers) : numbers_(std::move(numbers)), reading_(true) {}

  bool reading() const { return reading_; }
  Numbers take() { return std::move(numbers_); }
  // Throws InvalidSpec if a reading archive holds more numbers than were visited.
  void expect_end() const {
    if (reading_ && next_ != numbers_.size()) fail();
  }

  void visit(double& value) {
    if (!reading_) return numbers_.push_back(value);
    if (next_ == numbers_.size()) fail();
    value = numbers_[next_++];
  }
  // Counts, flags and enumerations.
  template <class Integer>
  std::enable_if_t<std::is_integral<Integer>::value || std::is_enum<Integer>::value> visit(
      Integer& value) {
    double number = static_cast<double>(value);
    visit(number);
    value = static_cast<Integer>(number);
  }
  void visit(Vector& value) {
    value.resize(size(value.size()));
    for (Index i = 0; i < value.size(); ++i) visit(value[i]);
  }
  void visit(Matrix& value) {
    const Index rows = size(value.rows()), cols = size(value.cols());
    value.resize(rows, cols);
    for (Index i = 0; i < value.size(); ++i) visit(value.data()[i]);
  }
  // The lower triangle of a square matrix; the other elements are read as 0.
  void visit_lower(Matrix& value) {
    const Index m = size(value.rows());
    if (reading_) value.setZero(m, m);
    for (Index j = 0; j < m; ++j)
      for (Index i = j; i < m; ++i) visit(value(i, j));
  }
  template <class Item>
  void visit(std::vector<Item>& items) {
    items.resize(static_cast<std::size_t>(size(static_cast<Index>(items.size()))));
    for (Item& each : items) each.visit(*this);
  }

 private:
  // A size, which must not exceed what is left to be read.
  Index size(Index value) {
    visit(value);
    if (value < 0 || (reading_ && value > static_cast<Index>(numbers_.size() - next_))) fail();
    return value;
  }
  [[noreturn]] static void fail() { throw InvalidSpec("the state of the fit is damaged"); }

  Numbers numbers_;
  bool reading_;
  std::size_t next_ = 0;
};

}  // namespace gpsieve

#endif
