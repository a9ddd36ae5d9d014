// The functions of this namespace, for the world outside it, in the order of struct Kernels.

// clang-format off
const Kernels table = {
    kIsa, MR, NR, kCopies,
    pack, pack_right, gemm_packed, gemm_direct, solve_rows, multiply_rows,
    dots, gathered_dots, squared_norms, gemv,
    map<Rbf>, map<Matern12>, map<Matern32>, map<Matern52>};
// clang-format on
