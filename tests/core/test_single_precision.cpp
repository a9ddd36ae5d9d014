// Products in single precision: their rounding, and that nothing but the operands of an element
// changes its bits.
#include <cmath>
#include <cstring>
#include <vector>

#include "isa_helpers.h"
#include "linalg/packed_panel.h"
#include "simd/kernels.h"

using namespace gpsieve;

namespace {

using Single = MatrixOf<float>;

constexpr double kUnitRoundoff = 0x1p-24;

Single random_single(Rng& rng, Index m, Index n) { return random_matrix(rng, m, n).cast<float>(); }

bool same_single_bits(const Single& a, const Single& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return std::memcmp(a.data(), b.data(), sizeof(float) * static_cast<std::size_t>(a.size())) == 0;
}

// c = beta c + alpha a b, where b's columns are the gathered ones of `matrix`, appended in pieces.
void multiply(float alpha, const Matrix& a, const Single& matrix, const Indices& which,
              const Indices& pieces, float beta, Eigen::Ref<Single> c) {
  BasicPackedRows<float> rows;
  rows.pack(a, Op::plain);
  GrowingPanel<float> panel;
  panel.start(static_cast<Index>(which.size()), a.cols());
  for (const Index end : pieces)
    panel.append_gathered(matrix.data(), matrix.rows(), which.data(), end);
  panel.multiply(alpha, rows, beta, c);
}

struct Problem {
  Matrix a;       // of numbers that float holds
  Single matrix;  // the columns that are gathered
  Indices which;
  Single start;
};

Problem random_problem(Rng& rng, Index depth) {
  const Index m = 1 + rng.below(60), n = 1 + rng.below(40), columns = n + rng.below(5);
  Problem out{random_single(rng, m, depth).cast<double>(),
              random_single(rng, depth + rng.below(4), columns),
              Indices(static_cast<std::size_t>(n)), random_single(rng, m, n)};
  for (Index& j : out.which) j = rng.below(columns);
  return out;
}

Indices in_two(Rng& rng, Index depth) { return {rng.below(depth + 1), depth}; }

}  // namespace

TEST(single_products_have_the_rounding_of_their_terms) {
  for_each_isa([](Isa) {
    Rng rng(31);
    for (int trial = 0; trial < 150; ++trial) {
      const Index depth = trial % 10 ? rng.below(80) : 250 + rng.below(300);
      const Problem p = random_problem(rng, depth);
      Single c = p.start;
      multiply(-0.5f, p.a, p.matrix, p.which, in_two(rng, depth), 2.0f, c);
      for (Index j = 0; j < c.cols(); ++j)
        for (Index i = 0; i < c.rows(); ++i) {
          double sum = 2.0 * p.start(i, j), size = std::abs(sum);
          for (Index t = 0; t < depth; ++t) {
            const double term = -0.5 * p.a(i, t) * static_cast<double>(p.matrix(t, p.which[j]));
            sum += term;
            size += std::abs(term);
          }
          // Products without a fused instruction are rounded, too.
          const double bound = kUnitRoundoff * (static_cast<double>(depth) + 8.0) * size;
          CHECK(std::abs(static_cast<double>(c(i, j)) - sum) <= bound);
        }
    }
  });
}

TEST(single_dots_have_the_rounding_of_their_terms) {
  for_each_isa([](Isa) {
    Rng rng(32);
    for (int trial = 0; trial < 150; ++trial) {
      const Index n = trial % 5 ? rng.below(100) : 250 + rng.below(300), columns = rng.below(12);
      const Single a = random_single(rng, n + rng.below(3), columns + 1),
                   x = random_single(rng, n, 1);
      Indices idx(static_cast<std::size_t>(columns));
      for (Index& i : idx) i = rng.below(columns + 1);
      std::vector<float> out(idx.size()), alone(1);
      kernels().single.gathered_dots(n, columns, x.data(), a.data(), a.outerStride(), idx.data(),
                                     out.data());
      for (std::size_t j = 0; j < idx.size(); ++j) {
        const Vector terms = a.col(idx[j]).head(n).cast<double>().cwiseProduct(x.cast<double>());
        const double bound = kUnitRoundoff * (static_cast<double>(n) + 8.0) * terms.lpNorm<1>();
        CHECK(std::abs(static_cast<double>(out[j]) - terms.sum()) <= bound);
        kernels().single.gathered_dots(n, 1, x.data(), a.data(), a.outerStride(), &idx[j],
                                       alone.data());
        CHECK(out[j] == alone[0]);  // whatever is computed beside it
      }
    }
  });
}

TEST(single_products_do_not_depend_on_neighbours_or_pieces) {
  for_each_isa([](Isa) {
    Rng rng(33);
    for (int trial = 0; trial < 150; ++trial) {
      const Index depth = trial % 10 ? rng.below(80) : 250 + rng.below(300);
      const Problem p = random_problem(rng, depth);
      Single whole = p.start;
      multiply(1.0f, p.a, p.matrix, p.which, {depth}, 0.5f, whole);
      const Index i = rng.below(p.a.rows()), h = 1 + rng.below(p.a.rows() - i),
                  w = 1 + rng.below(whole.cols());
      Single part = p.start.block(i, 0, h, w);
      multiply(1.0f, p.a.middleRows(i, h), p.matrix, p.which, in_two(rng, depth), 0.5f, part);
      CHECK(same_single_bits(part, whole.block(i, 0, h, w)));
      const Indices last(1, p.which.back());
      part = p.start.rightCols(1);
      multiply(1.0f, p.a, p.matrix, last, in_two(rng, depth), 0.5f, part);
      CHECK(same_single_bits(part, whole.rightCols(1)));
    }
  });
}

TEST(single_avx2_and_avx512_loops_agree_to_the_last_bit) {
  if (!isa_supported(Isa::avx512)) SKIP("this processor has no AVX-512");
  const Isa before = active_isa();
  Rng rng(34);
  for (int trial = 0; trial < 200; ++trial) {
    const Index depth = trial % 10 ? rng.below(80) : 250 + rng.below(300);
    const Problem p = random_problem(rng, depth);
    const Single x = random_single(rng, depth, 1);
    const auto run = [&](Isa isa) {
      set_isa(isa);
      Single out(p.start.rows() + 1, p.start.cols());
      Single product = p.start;
      multiply(0.3f, p.a, p.matrix, p.which, {depth}, 1.5f, product);
      out.topRows(p.start.rows()) = product;
      std::vector<float> dots(p.which.size());
      kernels().single.gathered_dots(depth, product.cols(), x.data(), p.matrix.data(),
                                     p.matrix.outerStride(), p.which.data(), dots.data());
      for (std::size_t j = 0; j < dots.size(); ++j)
        out(product.rows(), static_cast<Index>(j)) = dots[j];
      return out;
    };
    const bool same = same_single_bits(run(Isa::avx2), run(Isa::avx512));
    set_isa(before);
    CHECK(same);
  }
}
