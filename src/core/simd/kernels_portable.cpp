// The innermost loops for portable: see kernels.h.
#include "simd/inner_loops.h"
#include "simd/kernels.h"

namespace gpsieve {
namespace kernels_portable {
namespace {

// The loops use the vectors.
// clang-format off
#include "simd/vectors/portable.h"
#include "simd/bodies.h"
// clang-format on

}  // namespace

#include "simd/table_body.h"

}  // namespace kernels_portable
}  // namespace gpsieve
