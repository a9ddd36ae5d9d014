#include <limits>

#include "base/error.h"
#include "isa_helpers.h"
#include "linalg/cholesky.h"
#include "linalg/packed_panel.h"
#include "linalg/products.h"
#include "simd/kernels.h"

#if defined(__linux__)
#include <sys/mman.h>
#endif

using namespace gpsieve;

namespace {

constexpr int kShapes = 500;
constexpr double kTolerance = 1e-12;

Matrix applied(Op op, MatrixIn a) { return op == Op::plain ? Matrix(a) : Matrix(a.transpose()); }

Matrix triangle_of(Triangle triangle, MatrixIn t) {
  Matrix out = t;
  for (Index j = 0; j < t.cols(); ++j)
    for (Index i = 0; i < t.rows(); ++i)
      if (triangle == Triangle::lower ? i < j : i > j) out(i, j) = 0.0;
  return out;
}

Matrix naive_product(MatrixIn a, MatrixIn b) {
  Matrix c = Matrix::Zero(a.rows(), b.cols());
  for (Index j = 0; j < c.cols(); ++j)
    for (Index p = 0; p < a.cols(); ++p)
      for (Index i = 0; i < c.rows(); ++i) c(i, j) += a(i, p) * b(p, j);
  return c;
}

void check_near(MatrixIn a, MatrixIn b, double tolerance = kTolerance) {
  CHECK(a.rows() == b.rows() && a.cols() == b.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i) CHECK_NEAR(a(i, j), b(i, j), tolerance);
}

Op any_op(Rng& rng) { return rng.below(2) ? Op::plain : Op::transposed; }

// Mostly small, often at the edge of a tile or a block, sometimes empty, now and then large.
Index any_size(Rng& rng) {
  const Index edges[] = {0, 1, 4, 8, 12, 24, 25, 48, 63, 64, 65};
  const Index kind = rng.below(10);
  return kind < 3 ? edges[rng.below(11)] : kind < 9 ? rng.below(50) : rng.below(150);
}
Index any_depth(Rng& rng) { return rng.below(6) ? any_size(rng) : 200 + rng.below(400); }

double any_factor(Rng& rng) {
  const double factors[] = {0.0, 1.0, -1.0, 0.7};
  return factors[rng.below(4)];
}

struct Factor {
  Matrix t;
  Side side;
  Triangle triangle;
  Op op;
};

// A well-conditioned triangular factor whose other half holds NaN: nobody may look at it.
Factor any_factor_matrix(Rng& rng, Index n) {
  Factor f{random_matrix(rng, n, n), rng.below(2) ? Side::left : Side::right,
           rng.below(2) ? Triangle::lower : Triangle::upper, any_op(rng)};
  f.t /= std::max<double>(1.0, static_cast<double>(n));
  f.t.diagonal().array() += 2.0;
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < n; ++i)
      if (f.triangle == Triangle::lower ? i < j : i > j)
        f.t(i, j) = std::numeric_limits<double>::quiet_NaN();
  return f;
}

Matrix positive_definite(Rng& rng, Index n) {
  const Matrix a = random_matrix(rng, n, n);
  Matrix out = a * a.transpose() / std::max<double>(1.0, static_cast<double>(n));
  out.diagonal().array() += 1.0;
  return out;
}

}  // namespace

TEST(gemm_matches_naive_loops) {
  for_each_isa([](Isa) {
    Rng rng(10);
    for (int trial = 0; trial < kShapes; ++trial) {
      const Index m = any_size(rng), n = any_size(rng), k = any_depth(rng);
      const Op op_a = any_op(rng), op_b = any_op(rng);
      const double alpha = any_factor(rng), beta = any_factor(rng);
      Embedded a(rng, op_a == Op::plain ? m : k, op_a == Op::plain ? k : m);
      Embedded b(rng, op_b == Op::plain ? k : n, op_b == Op::plain ? n : k);
      Embedded c(rng, m, n);
      const Matrix truth = beta * c.block() + alpha * naive_product(applied(op_a, a.block()),
                                                                    applied(op_b, b.block()));
      gemm(alpha, a.block(), op_a, b.block(), op_b, beta, c.block());
      check_near(c.block(), truth);
      CHECK(c.surroundings_untouched());
    }
  });
}

// The law of accumulation: a sub-block of a product is the product of sub-blocks.
TEST(gemm_elements_do_not_depend_on_their_neighbours) {
  for_each_isa([](Isa) {
    Rng rng(11);
    for (int trial = 0; trial < 300; ++trial) {
      const Index m = 1 + any_size(rng), n = 1 + any_size(rng), k = any_depth(rng);
      const Op op_a = any_op(rng), op_b = any_op(rng);
      const double alpha = any_factor(rng), beta = any_factor(rng);
      const Matrix a = random_matrix(rng, m, k), b = random_matrix(rng, k, n),
                   start = random_matrix(rng, m, n);
      Matrix whole = start;
      gemm(alpha, applied(op_a, a), op_a, applied(op_b, b), op_b, beta, whole);

      const Index i = rng.below(m), j = rng.below(n), h = 1 + rng.below(m - i),
                  w = 1 + rng.below(n - j);
      const Op other_a = any_op(rng), other_b = any_op(rng);
      Matrix part = start.block(i, j, h, w);
      gemm(alpha, applied(other_a, a.middleRows(i, h)), other_a,
           applied(other_b, b.middleCols(j, w)), other_b, beta, part);
      CHECK(same_bits(part, whole.block(i, j, h, w)));

      Vector column = start.col(j);
      gemv(alpha, a, Op::plain, b.col(j), beta, column);
      CHECK(same_bits(column, whole.col(j)));

      PackedPanel panel;
      panel.pack(applied(op_b, b), op_b);
      part = start.middleRows(i, h);
      panel.multiply(alpha, applied(other_a, a.middleRows(i, h)), other_a, beta, part);
      CHECK(same_bits(part, whole.middleRows(i, h)));
    }
  });
}

TEST(large_products_are_blocked_without_a_seam) {
  for_each_isa([](Isa) {
    Rng rng(12);
    const Matrix a = random_matrix(rng, 801, 520), b = random_matrix(rng, 520, 2101);
    Matrix c(801, 2101), part(30, 40);
    gemm(1.0, a, Op::plain, b, Op::plain, 0.0, c);
    for (Index i : {0, 370, 771})
      for (Index j : {0, 2030, 2061}) {
        gemm(1.0, a.middleRows(i, 30), Op::plain, b.middleCols(j, 40), Op::plain, 0.0, part);
        CHECK(same_bits(part, c.block(i, j, 30, 40)));
        check_near(part, naive_product(a.middleRows(i, 30), b.middleCols(j, 40)));
      }
  });
}

TEST(syrk_is_the_lower_half_of_gemm) {
  for_each_isa([](Isa) {
    Rng rng(13);
    for (int trial = 0; trial < kShapes; ++trial) {
      const Index n = trial % 50 == 0 ? 400 + rng.below(100) : any_size(rng), k = any_depth(rng);
      const Op op = any_op(rng);
      const double alpha = any_factor(rng), beta = any_factor(rng);
      const Matrix a = random_matrix(rng, n, k);
      Embedded c(rng, n, n);
      const Matrix start = c.block();
      Matrix full = start;
      gemm(alpha, a, Op::plain, a, Op::transposed, beta, full);
      syrk(alpha, applied(op, a), op, beta, c.block());
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i)
          CHECK(same_bits(c.block()(i, j), i >= j ? full(i, j) : start(i, j)));
      CHECK(c.surroundings_untouched());
    }
  });
}

TEST(trsm_undoes_the_product) {
  for_each_isa([](Isa) {
    Rng rng(14);
    for (int trial = 0; trial < kShapes; ++trial) {
      const Index n = trial % 25 == 0 ? 100 + rng.below(200) : any_size(rng), rhs = any_size(rng);
      const Factor f = any_factor_matrix(rng, n);
      Embedded b(rng, f.side == Side::left ? n : rhs, f.side == Side::left ? rhs : n);
      const Matrix before = b.block(), t = applied(f.op, triangle_of(f.triangle, f.t));
      trsm(f.side, f.triangle, f.op, f.t, b.block());
      check_near(f.side == Side::left ? naive_product(t, b.block()) : naive_product(b.block(), t),
                 before, 1e-11);
      CHECK(b.surroundings_untouched());
    }
  });
}

TEST(trmm_matches_the_full_product) {
  for_each_isa([](Isa) {
    Rng rng(15);
    for (int trial = 0; trial < kShapes; ++trial) {
      const Index n = trial % 25 == 0 ? 100 + rng.below(200) : any_size(rng), rhs = any_size(rng);
      const Factor f = any_factor_matrix(rng, n);
      Embedded b(rng, f.side == Side::left ? n : rhs, f.side == Side::left ? rhs : n);
      const Matrix t = applied(f.op, triangle_of(f.triangle, f.t));
      const Matrix truth =
          f.side == Side::left ? naive_product(t, b.block()) : naive_product(b.block(), t);
      trmm(f.side, f.triangle, f.op, f.t, b.block());
      check_near(b.block(), truth);
      CHECK(b.surroundings_untouched());
    }
  });
}

TEST(a_right_hand_side_does_not_depend_on_the_others) {
  for_each_isa([](Isa) {
    Rng rng(16);
    for (int trial = 0; trial < 200; ++trial) {
      const Index n = 1 + any_depth(rng) / 2, rhs = 1 + any_size(rng);
      const Factor f = any_factor_matrix(rng, n);
      const bool left = f.side == Side::left;
      const Matrix b = random_matrix(rng, left ? n : rhs, left ? rhs : n);
      const Index first = rng.below(rhs), count = 1 + rng.below(rhs - first);
      for (auto routine : {trsm, trmm}) {
        const auto some = [&](MatrixIn all) {
          return left ? Matrix(all.middleCols(first, count)) : Matrix(all.middleRows(first, count));
        };
        Matrix whole = b, part = some(b);
        routine(f.side, f.triangle, f.op, f.t, whole, 1);
        routine(f.side, f.triangle, f.op, f.t, part, 1);
        CHECK(same_bits(part, some(whole)));
      }
    }
  });
}

TEST(gemv_matches_naive_loops) {
  for_each_isa([](Isa) {
    Rng rng(17);
    for (int trial = 0; trial < kShapes; ++trial) {
      const Index m = any_depth(rng), n = trial % 50 == 0 ? 1500 : any_depth(rng);
      const Op op = any_op(rng);
      const double alpha = any_factor(rng), beta = any_factor(rng);
      Embedded a(rng, m, n), y(rng, op == Op::plain ? m : n, 1);
      const Vector x = random_matrix(rng, op == Op::plain ? n : m, 1);
      const Matrix truth = beta * y.block() + alpha * naive_product(applied(op, a.block()), x);
      gemv(alpha, a.block(), op, x, beta, y.block().col(0));
      check_near(y.block(), truth);
      CHECK(y.surroundings_untouched());

      Vector norms(n);
      column_squared_norms(a.block(), norms);
      for (Index j = 0; j < n; ++j)
        CHECK_NEAR(norms[j], a.block().col(j).squaredNorm(), kTolerance);
    }
  });
}

TEST(symmetrise_copies_the_lower_triangle) {
  Rng rng(18);
  for (Index n : {0, 1, 5, 31, 32, 33, 100}) {
    const Matrix a = random_matrix(rng, n, n);
    Matrix full = a;
    symmetrise_from_lower(full);
    for (Index j = 0; j < n; ++j)
      for (Index i = 0; i < n; ++i) CHECK(full(i, j) == (i >= j ? a(i, j) : a(j, i)));
  }
}

TEST(cholesky_reproduces_the_matrix) {
  for_each_isa([](Isa) {
    Rng rng(19);
    for (int trial = 0; trial < kShapes; ++trial) {
      const Index n = trial % 25 == 0 ? 100 + rng.below(400) : any_size(rng);
      const Matrix spd = positive_definite(rng, n);
      Embedded a(rng, n, n);
      a.block().triangularView<Eigen::Lower>() = spd;
      const Matrix start = a.block();
      cholesky_in_place(a.block());
      const Matrix factor = triangle_of(Triangle::lower, a.block());
      check_near(triangle_of(Triangle::lower, factor * factor.transpose()),
                 triangle_of(Triangle::lower, spd));
      for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < j; ++i) CHECK(same_bits(a.block()(i, j), start(i, j)));
    }
  });
}

TEST(the_factor_of_a_leading_block_is_the_leading_block_of_the_factor) {
  for_each_isa([](Isa) {
    Rng rng(20);
    const Matrix spd = positive_definite(rng, 400);
    Matrix whole = spd, rhs = random_matrix(rng, 400, 5), solved = rhs;
    cholesky_in_place(whole);
    trsm(Side::left, Triangle::lower, Op::plain, whole, solved);
    for (Index n : {1, 8, 63, 64, 65, 128, 200, 321, 399}) {
      Matrix part = spd.topLeftCorner(n, n), some = rhs.topRows(n);
      cholesky_in_place(part);
      CHECK(same_bits(triangle_of(Triangle::lower, part),
                      triangle_of(Triangle::lower, whole.topLeftCorner(n, n))));
      trsm(Side::left, Triangle::lower, Op::plain, part, some);
      CHECK(same_bits(some, solved.topRows(n)));
    }
  });
}

TEST(cholesky_failure_names_the_pivot) {
  for_each_isa([](Isa) {
    Rng rng(21);
    for (Index n : {1, 7, 64, 65, 150, 300})
      for (Index bad : {Index{0}, n / 2, n - 1})
        for (double value : {-3.0, 0.0, std::numeric_limits<double>::quiet_NaN(),
                             std::numeric_limits<double>::infinity()}) {
          Matrix a = Matrix::Identity(n, n);
          a(bad, bad) = value;
          try {
            cholesky_in_place(a);
            CHECK(false);
          } catch (const NotPositiveDefinite& e) {
            CHECK(e.pivot == bad);
            CHECK_NEAR(e.value, value, 0.0);
          }
        }
  });
}

TEST(growing_cholesky_equals_batch_cholesky) {
  for_each_isa([](Isa) {
    Rng rng(22);
    const Index n = 150;
    const Matrix spd = positive_definite(rng, n);
    Matrix batch = spd;
    cholesky_in_place(batch);
    GrowingCholesky growing(n);
    for (Index i = 0; i < n; ++i) {
      Matrix row = spd.row(i).head(i).transpose();
      if (i > 0) trsm(Side::left, Triangle::lower, Op::plain, growing.factor(), row);
      growing.append(row.col(0), std::sqrt(spd(i, i) - row.squaredNorm()));
    }
    check_near(growing.factor(), triangle_of(Triangle::lower, batch));
  });
}

TEST(jitter_rescues_a_singular_matrix) {
  for_each_isa([](Isa) {
    Matrix a = Matrix::Constant(100, 100, 2.0);
    const double added = cholesky_with_jitter(a, 0.0);
    CHECK(added > 0.0 && added <= 2e-2);
    CHECK(a(0, 99) == 0.0);
    Matrix negative = -Matrix::Identity(3, 3);
    CHECK_THROWS(cholesky_with_jitter(negative, 0.0), NotPositiveDefinite);
  });
}

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
  if (!isa_supported(Isa::avx512)) return;
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
