// The loops that single precision has, included after the vectors/single_*.h of a vector type,
// inside a namespace of their own. No include guard. Later files use earlier ones.
// clang-format off
#include "simd/pack_body.h"
#include "simd/gemm_body.h"
#include "simd/dot_body.h"
// clang-format on

static_assert(kRows % MR == 0 && kColumns % NR == 0, "packed blocks hold whole register tiles");
static_assert(kChains % L == 0, "chains hold vectors");
static_assert(MV <= 3, "there is a tile for every number of vectors");
