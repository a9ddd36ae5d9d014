// Every innermost loop, included after the vec_*.h of a vector type. No include guard. Later files
// use earlier ones.
// clang-format off
#include "simd/pack_body.h"
#include "simd/gemm_body.h"
#include "simd/triangular_body.h"
#include "simd/dot_body.h"
#include "simd/exp_body.h"
#include "simd/normal_body.h"
// clang-format on
