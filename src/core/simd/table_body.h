// The functions of this namespace, for the world outside it, in the order of struct Kernels.

static_assert(kRows % MR == 0 && kColumns % NR == 0, "packed blocks hold whole register tiles");
static_assert(kChains % L == 0 && kDiagonal % L == 0, "chains and diagonal blocks hold vectors");
static_assert(MV <= 3 && NR >= kGroup, "there is a tile for every number of vectors");
static_assert(NR % L == 0 || kCopies == 1, "copies are spread a vector at a time");

// clang-format off
const Kernels table = {
    kIsa,
    MR, NR, kCopies, pack, pack_right, gemm_packed, gathered_dots,
    gemm_direct, solve_rows, multiply_rows,
    dots, squared_norms, gemv,
    map<Rbf>, map<MaternValue<Matern12>>, map<MaternValue<Matern32>>, map<MaternValue<Matern52>>,
    values_and_slopes<Matern12>, values_and_slopes<Matern32>, values_and_slopes<Matern52>,
    add_norms,
    map<NormalCdf>, normal_sites,
    add_squares, add_differences};
// clang-format on
