#include "linalg/scratch_matrix.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gpsieve {
namespace {

// A thread keeps at most so many numbers, 64 MiB: the two matrices of an evaluation on 2000 rows.
constexpr Index kMostKept = Index{1} << 23;

struct KeptBuffers {
  std::vector<AlignedBuffer> free;  // smallest first
  Index total = 0;

  AlignedBuffer take(Index size) {
    const auto large_enough = [size](const AlignedBuffer& each) { return each.size() >= size; };
    auto found = std::find_if(free.begin(), free.end(), large_enough);
    if (found == free.end() && !free.empty()) --found;  // the largest grows
    AlignedBuffer taken;
    if (found != free.end()) {
      taken = std::move(*found);
      total -= taken.size();
      free.erase(found);
    }
    taken.reserve(size);
    return taken;
  }
  void give_back(AlignedBuffer buffer) {
    if (total + buffer.size() > kMostKept) return;
    total += buffer.size();
    const auto larger = [&](const AlignedBuffer& each) { return each.size() > buffer.size(); };
    free.insert(std::find_if(free.begin(), free.end(), larger), std::move(buffer));
  }
};

KeptBuffers& kept_buffers() {
  thread_local KeptBuffers mine;
  return mine;
}

}  // namespace

ScratchMemory::ScratchMemory(Index size) : buffer_(kept_buffers().take(size)) {}

ScratchMemory::~ScratchMemory() { kept_buffers().give_back(std::move(buffer_)); }

}  // namespace gpsieve
