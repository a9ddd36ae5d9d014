#include <numeric>

#include "linalg/packed_panel.h"
#include "linalg_helpers.h"

using namespace gpsieve;
using namespace linalg_helpers;

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

      // A panel that grew, and rows that were packed before, on its first columns.
      GrowingPanel grown;
      PackedRows rows;
      const Index above = rng.below(k + 1);
      Indices columns(static_cast<std::size_t>(n));
      std::iota(columns.begin(), columns.end(), Index{0});
      grown.start(n, k + rng.below(3));
      grown.append_gathered(b.data(), k, columns.data(), above);
      grown.append_gathered(b.data(), k, columns.data(), k);
      rows.pack(applied(other_a, a.middleRows(i, h)), other_a);
      part = start.block(i, 0, h, j + 1);
      grown.multiply(alpha, rows, beta, part);
      CHECK(same_bits(part, whole.block(i, 0, h, j + 1)));
    }
  });
}

TEST(blocks_of_large_products_are_products_of_blocks) {
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
