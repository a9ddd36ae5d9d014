#include "linalg/views.h"

#include <cstdint>
#include <string>

#include "base/error.h"

namespace gpsieve {

void refuse(const char* routine, const char* what) {
  throw InvalidSpec(std::string(routine) + ": " + what);
}

bool interleaved_overlap(const Extent& a, const Extent& b) {
  if (a.rows == 0 || a.cols == 0 || b.rows == 0 || b.cols == 0) return false;
  // The stride of a single column is whatever suits the other block.
  const Index stride = a.cols > 1 ? a.stride : b.stride;
  if (b.cols > 1 && b.stride != stride) return true;
  if (a.rows > stride || b.rows > stride) return true;

  // b starts `down` rows and `right` columns after a, counting the rows modulo the stride: its
  // columns meet a's from above in one column and from below in the next.
  const std::intptr_t bytes =
      reinterpret_cast<std::intptr_t>(b.data) - reinterpret_cast<std::intptr_t>(a.data);
  const std::intptr_t size = sizeof(double);
  if (bytes % size != 0) return true;
  Index right = bytes / size / stride, down = bytes / size % stride;
  if (down < 0) down += stride, --right;
  const auto columns_meet = [&](Index shift) { return shift < a.cols && -shift < b.cols; };
  return (down < a.rows && columns_meet(right)) ||
         (stride - down < b.rows && columns_meet(right + 1));
}

}  // namespace gpsieve
