// Matrices whose memory a thread keeps for its next ones.
//
// An evaluation of the evidence needs the same large matrices as the one before. Memory that is new
// to the process costs more time than most of what is done with it: the system clears every page.
#ifndef GPSIEVE_LINALG_SCRATCH_MATRIX_H
#define GPSIEVE_LINALG_SCRATCH_MATRIX_H

#include "linalg/aligned_buffer.h"

namespace gpsieve {

// A buffer of those that the thread keeps, given back by the destructor.
class ScratchMemory {
 public:
  explicit ScratchMemory(Index size);
  ~ScratchMemory();
  ScratchMemory(const ScratchMemory&) = delete;
  ScratchMemory& operator=(const ScratchMemory&) = delete;

 protected:
  AlignedBuffer buffer_;
};

// A matrix of unspecified content. The thread that destroys it may be another one.
class ScratchMatrix : private ScratchMemory, public Eigen::Map<Matrix> {
 public:
  ScratchMatrix(Index rows, Index cols)
      : ScratchMemory(rows * cols), Eigen::Map<Matrix>(buffer_.data(), rows, cols) {}
  using Eigen::Map<Matrix>::operator=;
};

}  // namespace gpsieve

#endif
