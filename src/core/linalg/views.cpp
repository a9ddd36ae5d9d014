#include "linalg/views.h"

#include <cstdint>
#include <string>

#include "base/error.h"

namespace gpsieve {

void require(bool condition, const char* routine, const char* what) {
  if (!condition) throw InvalidSpec(std::string(routine) + ": " + what);
}

bool overlap(MatrixIn a, MatrixIn b) {
  if (a.size() == 0 || b.size() == 0) return false;
  const auto extent = [](MatrixIn x) { return x.rows() + (x.cols() - 1) * x.outerStride(); };
  const auto address = [](const double* p) { return reinterpret_cast<std::intptr_t>(p); };
  const std::intptr_t first_a = address(a.data()), first_b = address(b.data());
  if (first_b >= address(a.data() + extent(a)) || first_a >= address(b.data() + extent(b)))
    return false;

  // The stride of a single column is whatever suits the other block.
  const Index stride = a.cols() > 1 ? a.outerStride() : b.outerStride();
  if (b.cols() > 1 && b.outerStride() != stride) return true;
  if (a.rows() > stride || b.rows() > stride) return true;

  // b starts `down` rows and `right` columns after a, counting the rows modulo the stride: its
  // columns meet a's from above in one column and from below in the next.
  const std::intptr_t bytes = first_b - first_a, size = sizeof(double);
  if (bytes % size != 0) return true;
  const Index distance = bytes / size;
  Index right = distance / stride, down = distance % stride;
  if (down < 0) down += stride, --right;
  const auto columns_meet = [&](Index shift) { return shift < a.cols() && -shift < b.cols(); };
  return (down < a.rows() && columns_meet(right)) ||
         (stride - down < b.rows() && columns_meet(right + 1));
}

}  // namespace gpsieve
