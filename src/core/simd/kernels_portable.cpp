// The leaf loops for portable: see kernels.h.
#include "simd/kernels.h"
#include "simd/leaf.h"

namespace gpsieve {
namespace kernels_portable {
namespace {

// The loops use the vectors.
// clang-format off
#include "simd/vec_portable.h"
#include "simd/bodies.h"
// clang-format on

}  // namespace

#include "simd/table_body.h"

}  // namespace kernels_portable
}  // namespace gpsieve
