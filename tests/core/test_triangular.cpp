#include "base/error.h"
#include "linalg/cholesky.h"
#include "linalg/packed_triangle.h"
#include "linalg_helpers.h"

using namespace gpsieve;
using namespace linalg_helpers;

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

TEST(a_packed_triangle_gives_the_bits_of_the_matrix) {
  for_each_isa([](Isa) {
    Rng rng(18);
    for (const Index n : {1, 2, 63, 64, 65, 130, 300, 577, 1100}) {
      Matrix t = random_matrix(rng, n, n).triangularView<Eigen::Lower>();
      t.diagonal().array() += 2.0 + std::sqrt(static_cast<double>(n));
      std::vector<double> packed;
      for (Index j = 0; j < n; ++j)
        packed.insert(packed.end(), t.data() + j * n + j, t.data() + (j + 1) * n);
      const PackedTriangle triangle{packed.data(), n};
      CHECK(triangle.diagonal() == Vector(t.diagonal()));
      for (const Index columns : {1, 2, 7, 40, 256}) {
        Embedded some(rng, n, columns);
        Matrix whole = some.block();
        trsm(Side::left, Triangle::lower, Op::plain, t, whole);
        solve_packed(triangle, some.block());
        CHECK(same_bits(Matrix(some.block()), whole));
        CHECK(some.surroundings_untouched());
      }
    }
    Matrix none(0, 3);
    solve_packed({}, none);
    Matrix wrong(3, 1);
    CHECK_THROWS(solve_packed({}, wrong), InvalidSpec);
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
