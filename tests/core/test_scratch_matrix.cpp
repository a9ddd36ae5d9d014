// Matrices whose memory the thread keeps.
#include <thread>

#include "check.h"
#include "linalg/scratch_matrix.h"

using namespace gpsieve;

namespace {

// A new thread has kept nothing yet. Returns what `body` says.
template <class Body>
bool on_new_thread(const Body& body) {
  bool right = false;
  std::thread([&] { right = body(); }).join();
  return right;
}

}  // namespace

TEST(scratch_matrices_of_one_size_share_their_memory_in_turn) {
  CHECK(on_new_thread([] {
    const double* first;
    {
      const ScratchMatrix a(40, 30);
      first = a.data();
    }
    const ScratchMatrix b(30, 40), c(40, 30);
    return b.data() == first && c.data() != first;
  }));
}

TEST(scratch_matrices_that_live_at_the_same_time_do_not_overlap) {
  for (const Index rows : {3, 200, 64}) {
    ScratchMatrix a(rows, 7), b(rows + 1, 7), none(0, 5);
    a.setConstant(1.0);
    b.setConstant(2.0);
    CHECK((a.array() == 1.0).all());
    CHECK(b.sum() == 2.0 * static_cast<double>(b.size()));
    CHECK(none.size() == 0);
  }
}

TEST(scratch_matrices_take_the_smallest_memory_that_is_large_enough) {
  CHECK(on_new_thread([] {
    const double *small, *large;
    {
      const ScratchMatrix a(10, 10), b(300, 300);
      small = a.data();
      large = b.data();
    }
    const ScratchMatrix needs_much(290, 300), needs_little(9, 10);
    return needs_much.data() == large && needs_little.data() == small;
  }));
}
