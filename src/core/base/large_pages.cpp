#include "base/large_pages.h"

#include <cstdint>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gpsieve {

#if defined(__linux__) && defined(MADV_HUGEPAGE)
namespace {

constexpr std::uintptr_t kLargePage = std::uintptr_t{1} << 21;

}  // namespace

void request_large_pages(void* memory, std::size_t bytes) {
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  const std::uintptr_t first = (begin + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = (begin + bytes) / kLargePage * kLargePage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}
#else
void request_large_pages(void*, std::size_t) {}
#endif

Matrix large_matrix(Index rows, Index cols) {
  Matrix made(rows, cols);
  request_large_pages(made.data(), static_cast<std::size_t>(made.size()) * sizeof(double));
  return made;
}

Matrix large_zero_matrix(Index rows, Index cols) {
  Matrix made = large_matrix(rows, cols);
  made.setZero();
  return made;
}

}  // namespace gpsieve
