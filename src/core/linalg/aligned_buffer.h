// Scratch memory for packed operands, aligned to cache lines, growing and never shrinking.
#ifndef GPSIEVE_LINALG_ALIGNED_BUFFER_H
#define GPSIEVE_LINALG_ALIGNED_BUFFER_H

#include <cstdint>
#include <memory>
#include <utility>

#include "base/large_pages.h"
#include "base/types.h"

namespace gpsieve {

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  AlignedBuffer(AlignedBuffer&& other) noexcept
      : memory_(std::move(other.memory_)), size_(std::exchange(other.size_, 0)) {}
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    memory_ = std::move(other.memory_);
    size_ = std::exchange(other.size_, 0);
    return *this;
  }

  // At least `size` numbers, contents unspecified.
  double* reserve(Index size) {
    if (size > size_) {
      memory_.reset();
      size_ = 0;
      const std::size_t count = static_cast<std::size_t>(size) + kLine;
      memory_.reset(new double[count]);
      request_large_pages(memory_.get(), count * sizeof(double));
      size_ = size;
    }
    return data();
  }

  Index size() const { return size_; }
  double* data() const {
    const auto misfit = reinterpret_cast<std::uintptr_t>(memory_.get()) / sizeof(double) % kLine;
    return memory_.get() + (kLine - misfit) % kLine;
  }

 private:
  static constexpr std::size_t kLine = 64 / sizeof(double);
  std::unique_ptr<double[]> memory_;
  Index size_ = 0;
};

}  // namespace gpsieve

#endif
