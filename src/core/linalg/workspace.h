// Where products pack their operands, and how much of them at a time.
#ifndef GPSIEVE_LINALG_WORKSPACE_H
#define GPSIEVE_LINALG_WORKSPACE_H

#include "linalg/aligned_buffer.h"

namespace gpsieve {

// A block of the left operand (kRows x kDepth) stays in the second-level cache, one of the right
// operand (kDepth x kColumns) in the third.
constexpr Index kRows = 192, kColumns = 2048;

struct Workspace {
  AlignedBuffer a, b;
};

// One per thread, kept from call to call.
inline Workspace& workspace() {
  thread_local Workspace mine;
  return mine;
}

}  // namespace gpsieve

#endif
