// Where products pack their operands, and how much of them at a time.
#ifndef GPSIEVE_LINALG_WORKSPACE_H
#define GPSIEVE_LINALG_WORKSPACE_H

#include "linalg/aligned_buffer.h"

namespace gpsieve {

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
