// Laws of the whole of linalg: threads, instruction sets, special values, memory.
#include <limits>

#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/packed_panel.h"
#include "linalg_helpers.h"
#include "simd/kernels.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace gpsieve;
using namespace linalg_helpers;

TEST(threads_do_not_change_a_bit) {
  for_each_isa([](Isa) {
    Rng rng(23);
    const Index n = 700;  // enough work for every routine to use two threads or more
    const Matrix a = random_matrix(rng, n, 300), b = random_matrix(rng, 300, n - 9),
                 spd = positive_definite(rng, n), wide = random_matrix(rng, 1900, 2100);
    const auto run = [&](int threads) {
      std::vector<Matrix> out;
      Matrix c = Matrix::Constant(n, n - 9, 0.5), s = spd, l = spd, x = a, y = b.transpose(),
             tall = Matrix::Zero(n - 9, n);
      gemm(0.3, a, Op::plain, b, Op::plain, 2.0, c, threads);
      gemm(0.3, b, Op::transposed, a, Op::transposed, 0.0, tall, threads);
      syrk(-1.0, a, Op::plain, 1.0, s, threads);
      cholesky_in_place(l, threads);
      trsm(Side::left, Triangle::lower, Op::transposed, l, x, threads);
      trmm(Side::right, Triangle::lower, Op::plain, l.topLeftCorner(300, 300), y, threads);
      PackedPanel panel;
      panel.pack(b, Op::plain);
      Matrix p(n, n - 9);
      panel.multiply(1.0, a, Op::plain, 0.0, p, threads);
      Vector down = Vector::Zero(1900), across = Vector::Zero(2100);
      gemv(1.0, wide, Op::plain, wide.row(0).transpose(), 0.0, down, threads);
      gemv(1.0, wide, Op::transposed, wide.col(0), 0.0, across, threads);
      for (const Matrix& m : {c, s, l, x, y, tall, p, Matrix(down), Matrix(across)})
        out.push_back(m);
      return out;
    };
    const auto one = run(1);
    for (int threads : {2, 3, 4}) {
      const auto several = run(threads);
      for (std::size_t i = 0; i < one.size(); ++i) CHECK(same_bits(one[i], several[i]));
    }
  });
}

TEST(avx2_and_avx512_agree_to_the_last_bit) {
  if (!isa_supported(Isa::avx512)) SKIP("this processor has no AVX-512");
  const Isa before = active_isa();
  Rng rng(24);
  for (int trial = 0; trial < 200; ++trial) {
    const Index m = any_size(rng), n = trial % 20 == 0 ? 300 : any_size(rng), k = any_depth(rng);
    const Matrix a = random_matrix(rng, m, k), b = random_matrix(rng, k, n),
                 start = random_matrix(rng, m, n), spd = positive_definite(rng, n);
    Factor f = any_factor_matrix(rng, m);
    f.side = Side::left;
    const Factor g = any_factor_matrix(rng, n);
    const auto run = [&](Isa isa) {
      set_isa(isa);
      Matrix c = start, s = spd, l = spd, x = start, y = start;
      gemm(0.3, a, Op::plain, b, Op::plain, 2.0, c);
      syrk(-0.1, b, Op::transposed, 1.0, s);
      cholesky_in_place(l);
      trsm(f.side, f.triangle, f.op, f.t, x);
      trsm(Side::right, g.triangle, g.op, g.t, x);
      trmm(f.side, f.triangle, f.op, f.t, y);
      trmm(Side::right, g.triangle, g.op, g.t, y);
      Vector norms(k), down(m), across(k);
      column_squared_norms(a, norms);
      gemv(0.3, a, Op::plain, norms, 0.0, down);
      gemv(0.3, a, Op::transposed, down, 0.0, across);
      return std::vector<Matrix>{c, s, l, x, y, norms, down, across};
    };
    const auto avx2 = run(Isa::avx2), avx512 = run(Isa::avx512);
    set_isa(before);
    for (std::size_t i = 0; i < avx2.size(); ++i) CHECK(same_bits(avx2[i], avx512[i]));
  }
}

TEST(nan_and_infinity_propagate_and_beta_zero_overwrites) {
  for_each_isa([](Isa) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    for (Index n : {1, 3, 9, 30, 90}) {
      Matrix a = Matrix::Zero(n, n), b = Matrix::Zero(n, n), c = Matrix::Constant(n, n, nan);
      gemm(1.0, a, Op::plain, b, Op::plain, 0.0, c);
      CHECK((c.array() == 0.0).all());
      c.setConstant(nan);
      syrk(1.0, a, Op::plain, 0.0, c);
      CHECK((c.diagonal().array() == 0.0).all());
      Vector y = Vector::Constant(n, nan);
      gemv(1.0, a, Op::plain, b.col(0), 0.0, y);
      CHECK((y.array() == 0.0).all());
      y.setConstant(nan);
      gemv(1.0, a, Op::transposed, b.col(0), 0.0, y);
      CHECK((y.array() == 0.0).all());

      a(n - 1, 0) = nan;
      gemm(1.0, a, Op::plain, b, Op::plain, 0.0, c);
      CHECK(c.row(n - 1).array().isNaN().all());
      CHECK((c.topRows(n - 1).array() == 0.0).all());
      gemm(0.0, a, Op::plain, b, Op::plain, 1.0, c);
      CHECK(c.row(n - 1).array().isNaN().all());
      a(n - 1, 0) = std::numeric_limits<double>::infinity();
      c.setZero();
      gemm(1.0, a, Op::plain, b, Op::plain, 1.0, c);
      CHECK(c.row(n - 1).array().isNaN().all());

      // In triangular routines a bad right-hand side spoils only what depends on it.
      Matrix x = Matrix::Ones(n, 2), eye = Matrix::Identity(n, n);
      x(n / 2, 1) = nan;
      for (auto routine : {trsm, trmm}) {
        Matrix out = x;
        routine(Side::left, Triangle::lower, Op::plain, eye, out, 1);
        CHECK((out.col(0).array() == 1.0).all());
        CHECK((out.col(1).head(n / 2).array() == 1.0).all());
        CHECK(out.col(1).tail(n - n / 2).array().isNaN().all());
      }
    }
  });
}

TEST(empty_products) {
  for_each_isa([](Isa) {
    const Matrix none(5, 0), flat(0, 4);
    Matrix c = Matrix::Ones(5, 4), empty(0, 0);
    gemm(1.0, none, Op::plain, flat, Op::plain, 0.5, c);
    CHECK((c.array() == 0.5).all());
    PackedPanel panel;
    panel.pack(flat, Op::plain);
    panel.multiply(1.0, none, Op::plain, 0.0, c);
    CHECK((c.array() == 0.0).all());
    cholesky_in_place(empty);
    CHECK(sum_log_diagonal(empty) == 0.0);
  });
}

TEST(overlapping_outputs_are_refused) {
  Matrix m = Matrix::Ones(20, 20);
  const Matrix other = Matrix::Ones(10, 10);
  auto a = m.topLeftCorner(10, 10), shifted = m.block(9, 9, 10, 10),
       beside = m.block(0, 10, 10, 10), under = m.block(10, 0, 10, 10);
  CHECK_THROWS(gemm(1.0, a, Op::plain, other, Op::plain, 0.0, a), InvalidSpec);
  CHECK_THROWS(gemm(1.0, other, Op::plain, a, Op::plain, 0.0, shifted), InvalidSpec);
  CHECK_THROWS(gemm(1.0, other, Op::plain, shifted, Op::plain, 0.0, a), InvalidSpec);
  CHECK_THROWS(syrk(1.0, a, Op::plain, 0.0, a), InvalidSpec);
  CHECK_THROWS(trsm(Side::left, Triangle::lower, Op::plain, a, a), InvalidSpec);
  CHECK_THROWS(gemv(1.0, a, Op::plain, m.col(0).head(10), 0.0, m.col(0).tail(11).head(10)),
               InvalidSpec);
  CHECK_THROWS(gemv(1.0, a, Op::plain, other.col(0), 0.0, m.col(3).tail(11).head(10)), InvalidSpec);
  // Neighbours interleave in memory but share nothing.
  gemm(1.0, a, Op::plain, under, Op::plain, 0.0, beside);
  gemm(1.0, beside, Op::plain, a, Op::plain, 0.0, under);
  CHECK((under.array() == 100.0).all());
  gemv(1.0, a, Op::plain, other.col(0), 0.0, m.col(3).tail(10));
}

TEST(shapes_that_do_not_fit_are_refused) {
  Matrix a = Matrix::Ones(3, 4), c(3, 3), x(4, 1), y(3, 1);
  CHECK_THROWS(gemm(1.0, a, Op::plain, a, Op::plain, 0.0, c), InvalidSpec);
  CHECK_THROWS(syrk(1.0, a, Op::transposed, 0.0, c), InvalidSpec);
  CHECK_THROWS(trsm(Side::left, Triangle::lower, Op::plain, a, c), InvalidSpec);
  CHECK_THROWS(gemv(1.0, a, Op::transposed, x.col(0), 0.0, y.col(0)), InvalidSpec);
  CHECK_THROWS(cholesky_in_place(a), InvalidSpec);
}

#if defined(__linux__)
TEST(strides_beyond_two_to_the_31) {
  // Address space without memory behind it, except for the pages that are touched.
  const Index stride = (Index{1} << 31) + 7, rows = 30, cols = 6;
  const std::size_t bytes = sizeof(double) * static_cast<std::size_t>(stride * cols);
  void* space = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (space == MAP_FAILED) return;
  Eigen::Map<Matrix, 0, Eigen::OuterStride<>> far(static_cast<double*>(space), rows, cols,
                                                  Eigen::OuterStride<>(stride));
  auto square = far.topRows(cols);
  for_each_isa([&](Isa) {
    Rng rng(25);
    const Matrix a = random_matrix(rng, rows, cols), b = random_matrix(rng, cols, 40),
                 d = random_matrix(rng, rows, 40), spd = positive_definite(rng, cols);
    far = a;
    Matrix c(rows, 40), across(cols, 40);
    gemm(1.0, far, Op::plain, b, Op::plain, 0.0, c);
    check_near(c, naive_product(a, b));
    gemm(1.0, far, Op::transposed, d, Op::plain, 0.0, across);
    check_near(across, naive_product(a.transpose(), d));
    PackedPanel panel;
    panel.pack(far, Op::transposed);
    Matrix outer(40, rows);
    panel.multiply(1.0, b, Op::transposed, 0.0, outer);
    check_near(outer, naive_product(b.transpose(), a.transpose()));
    gemm(1.0, c, Op::plain, b, Op::transposed, 0.0, far);
    check_near(far, naive_product(c, b.transpose()));

    far = a;
    Vector norms(cols), down(rows);
    column_squared_norms(far, norms);
    CHECK_NEAR(norms[5], a.col(5).squaredNorm(), kTolerance);
    gemv(1.0, far, Op::plain, norms, 0.0, down);
    check_near(down, naive_product(a, norms));
    gemv(1.0, far, Op::transposed, down, 0.0, norms);
    check_near(norms, naive_product(a.transpose(), down));
    const Index last = cols - 1;
    double dot = 0.0;
    kernels().gathered_dots(rows, 1, down.data(), far.data(), stride, &last, &dot);
    CHECK_NEAR(dot, a.col(last).dot(down), kTolerance);
    const Matrix t = Matrix::Identity(cols, cols) * 2.0;
    trsm(Side::right, Triangle::lower, Op::plain, t, far);
    CHECK(same_bits(far, a / 2.0));
    CHECK_THROWS(gemm(1.0, far, Op::plain, b.topLeftCorner(6, 6), Op::plain, 0.0, far),
                 InvalidSpec);

    Matrix factor = spd, solved = b;
    square = spd;
    cholesky_in_place(factor);
    cholesky_in_place(square);
    CHECK(same_bits(Matrix(square), factor));
    trsm(Side::left, Triangle::lower, Op::plain, square, solved);
    trmm(Side::left, Triangle::lower, Op::plain, square, solved);
    check_near(solved, b);
  });
  munmap(space, bytes);
}
#endif
