// Every innermost loop, included after the file of vectors/ with a vector type. No include guard.
// Later files use earlier ones.
// clang-format off
#include "simd/pack_body.h"
#include "simd/gemm_body.h"
#include "simd/gemm_direct_body.h"
#include "simd/triangular_body.h"
#include "simd/dot_body.h"
#include "simd/gemv_body.h"
#include "simd/exp_body.h"
#include "simd/normal_body.h"
#include "simd/difference_body.h"
// clang-format on
