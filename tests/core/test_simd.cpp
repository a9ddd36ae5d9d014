#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/error.h"
#include "isa_helpers.h"
#include "linalg/products.h"
#include "simd/kernels.h"
#include "simd/profiles.h"

using namespace gpsieve;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNaN = std::numeric_limits<double>::quiet_NaN();

using Profile = void (*)(const double*, double*, Index, double);

std::vector<double> profile_of(Profile profile, const std::vector<double>& r2, double variance) {
  std::vector<double> k(r2.size());
  profile(r2.data(), k.data(), static_cast<Index>(r2.size()), variance);
  return k;
}

// Every innermost loop, on numbers that are the same on every processor.
std::uint64_t hash_of_loops() {
  std::uint64_t hash = 0xcbf29ce484222325u;  // FNV-1a
  const auto mix = [&](const Matrix& m) {
    for (Index i = 0; i < m.size(); ++i) {
      std::uint64_t word;
      std::memcpy(&word, m.data() + i, sizeof word);
      hash = (hash ^ word) * 0x100000001b3u;
    }
  };
  Rng rng(5);
  for (const Index n : {1, 2, 3, 5, 8, 17, 64, 130, 300}) {
    const Matrix a = random_matrix(rng, n, 37), b = random_matrix(rng, 37, n);
    Matrix u = random_matrix(rng, n, n), c = random_matrix(rng, n, n), z = a, w = a;
    u.diagonal().array() += 3.0 + static_cast<double>(n);
    gemm(0.3, a, Op::plain, b, Op::plain, 1.5, c);
    mix(c);
    gemm(1.0, u, Op::transposed, a, Op::plain, 0.0, z);
    mix(z);
    trsm(Side::left, Triangle::upper, Op::plain, u, z);
    trmm(Side::left, Triangle::upper, Op::transposed, u, w);
    mix(z);
    mix(w);
    Vector y(n), s(37), k(n);
    gemv(0.7, a, Op::plain, random_matrix(rng, 37, 1).col(0), 0.0, y);
    column_squared_norms(a, s);
    mix(y);
    mix(s);
    const Vector r2 = 40.0 * (y.array() + 1.0);
    for (auto profile : {profile_rbf, profile_matern12, profile_matern32, profile_matern52}) {
      profile(r2.data(), k.data(), n, 1.3);
      mix(k);
    }
    const Vector at = 8.0 * y;
    Matrix site(n, 5);
    kernels().normal_sites(at.data(), n,
                           {site.col(0).data(), site.col(1).data(), site.col(2).data(),
                            site.col(3).data(), site.col(4).data()});
    mix(site);
    kernels().normal_cdf(at.data(), k.data(), n, 1.3);
    mix(k);
  }
  return hash;
}

// Spilled vectors lie where the caller left the stack, and a Windows stack is aligned to 16 bytes.
template <int kBytes>
__attribute__((noinline)) std::uint64_t hash_on_a_shifted_stack() {
  volatile unsigned char shift[kBytes];
  shift[0] = 0;
  const std::uint64_t hash = hash_of_loops();
  return hash + shift[0];
}

}  // namespace

TEST(isa_names_round_trip_and_unknown_ones_are_refused) {
  for (Isa isa : kAllIsas) CHECK(isa_from_name(isa_name(isa)) == isa);
  CHECK_THROWS(isa_from_name("sse9"), InvalidSpec);
}

TEST(isa_can_be_set_exactly_where_supported) {
  const Isa before = active_isa();
  CHECK(before == best_isa());
  for (Isa isa : kAllIsas) {
    CHECK(set_isa(isa) == isa_supported(isa));
    CHECK((active_isa() == isa) == isa_supported(isa));
  }
  CHECK(isa_supported(Isa::portable));
  set_isa(before);
}

TEST(fused_loops_have_the_bits_recorded_on_another_processor_whatever_the_stack) {
  for_each_isa([](Isa isa) {
    if (isa == Isa::portable) return;
    for (const std::uint64_t hash : {hash_on_a_shifted_stack<16>(), hash_on_a_shifted_stack<32>(),
                                     hash_on_a_shifted_stack<48>(), hash_on_a_shifted_stack<64>()})
      CHECK(hash == 0xbcc0c30149360810u);
  });
}

TEST(profiles_match_their_formulas) {
  auto r2 = sweep(0.0, 60.0, 1003);
  r2.insert(r2.end(), {1e-300, 1e4, 1e6, 1e300});
  for_each_isa([&](Isa) {
    const double variance = 2.5;
    const auto rbf = profile_of(profile_rbf, r2, variance);
    const auto m12 = profile_of(profile_matern12, r2, variance);
    const auto m32 = profile_of(profile_matern32, r2, variance);
    const auto m52 = profile_of(profile_matern52, r2, variance);
    for (std::size_t i = 0; i < r2.size(); ++i) {
      const double d = r2[i], s3 = std::sqrt(3.0 * d), s5 = std::sqrt(5.0 * d);
      const auto near = [](double value, double truth) {
        CHECK(std::abs(value - truth) <= 1e-13 * truth + 1e-300);
      };
      near(rbf[i], variance * std::exp(-0.5 * d));
      near(m12[i], variance * std::exp(-std::sqrt(d)));
      near(m32[i], s3 > 800.0 ? 0.0 : variance * (1.0 + s3) * std::exp(-s3));
      near(m52[i], s5 > 800.0 ? 0.0 : variance * (1.0 + s5 + s5 * s5 / 3.0) * std::exp(-s5));
    }
  });
}

TEST(profiles_at_the_ends) {
  for_each_isa([](Isa) {
    for (Profile profile : {Profile(profile_rbf), Profile(profile_matern12),
                            Profile(profile_matern32), Profile(profile_matern52)}) {
      const auto k = profile_of(profile, {0.0, -1e-12, kInf, kNaN}, 3.0);
      CHECK(k[0] == 3.0);
      CHECK(k[1] == 3.0);
      CHECK(k[2] == 0.0);
      CHECK(std::isnan(k[3]));
    }
  });
}

TEST(slopes_of_profiles_match_their_formulas) {
  auto r2 = sweep(1e-6, 60.0, 1003);
  r2.insert(r2.end(), {1e-300, 1e4, 1e300});
  const auto n = static_cast<Index>(r2.size());
  const double variance = 2.5;
  struct Case {
    Profile profile;
    void (*slope)(const double*, double*, double*, Index, double);
    double (*formula)(double r);
  };
  const std::vector<Case> cases{
      {profile_matern12, slope_matern12, [](double r) { return -0.5 * std::exp(-r) / r; }},
      {profile_matern32, slope_matern32,
       [](double r) { return -1.5 * std::exp(-std::sqrt(3.0) * r); }},
      {profile_matern52, slope_matern52, [](double r) {
         const double s = std::sqrt(5.0) * r;
         return s > 800.0 ? 0.0 : -5.0 / 6.0 * (1.0 + s) * std::exp(-s);
       }}};
  for_each_isa([&](Isa) {
    for (const Case& each : cases) {
      std::vector<double> k(r2.size()), slope(r2.size());
      each.slope(r2.data(), k.data(), slope.data(), n, variance);
      const auto values = profile_of(each.profile, r2, variance);
      for (std::size_t i = 0; i < r2.size(); ++i) {
        CHECK(k[i] == values[i]);
        const double truth = variance * each.formula(std::sqrt(r2[i]));
        CHECK(std::abs(slope[i] - truth) <= 1e-13 * std::abs(truth) + 1e-300);
      }
      std::vector<double> ends{0.0, kInf}, at_ends(2), slopes(2);
      each.slope(ends.data(), at_ends.data(), slopes.data(), 2, variance);
      CHECK(at_ends[0] == variance && at_ends[1] == 0.0);
      CHECK(std::isfinite(slopes[0]) && slopes[1] == 0.0);
    }
    std::vector<double> zero{0.0}, k(1), slope(1);
    slope_matern12(zero.data(), k.data(), slope.data(), 1, variance);
    CHECK(slope[0] == 0.0);
  });
}

TEST(add_norms_finds_a_small_sum_wherever_it_is) {
  for_each_isa([](Isa) {
    for (const Index n : {1, 3, 8, 13, 64})
      for (Index small = -1; small < n; ++small)
        for (const double value : {-7.0, -7.0 + 1e-9, kInf, kNaN}) {
          std::vector<double> norms(n, 4.0), r2(n, 1.0);
          if (small >= 0) r2[small] = value;
          if (small >= 0 && value == kInf) norms[small] = kInf;
          const bool found = kernels().add_norms(r2.data(), norms.data(), 3.0, n, 1e-4);
          CHECK(found == (small >= 0));
          for (Index i = 0; i < n; ++i) CHECK(i == small || r2[i] == 8.0);
          if (small >= 0 && std::isfinite(value)) CHECK(r2[small] == value + 7.0);
        }
  });
}

TEST(sums_over_pairs_match_plain_loops) {
  for_each_isa([](Isa) {
    Rng rng(4);
    for (const Index n : {0, 1, 3, 8, 13, 64, 67}) {
      const Matrix x = random_matrix(rng, n + 1, 3);  // one number more, which stays as it is
      Vector squares = Vector::Constant(n + 1, 0.25), slopes = squares;
      kernels().add_squares(x.col(0).data(), -1.5, n, squares.data());
      kernels().add_differences(x.col(0).data(), x.col(1).data(), 0.7, x.col(2).data(), n,
                                squares.data(), slopes.data());
      for (Index i = 0; i < n; ++i) {
        const double z = x(i, 0), t = 0.7 * z - x(i, 1);
        CHECK_NEAR(squares[i], 0.25 - 1.5 * z * z + z * (t - x(i, 1)), 1e-14);
        CHECK_NEAR(slopes[i], 0.25 + x(i, 2) * t, 1e-14);
      }
      CHECK(squares[n] == 0.25 && slopes[n] == 0.25);
    }
  });
}

TEST(products_match_plain_loops) {
  for_each_isa([](Isa) {
    Rng rng(2);
    for (int trial = 0; trial < 200; ++trial) {
      const Index n = trial % 20 ? rng.below(70) : 200 + rng.below(300), columns = rng.below(12);
      const Matrix a = random_matrix(rng, n + rng.below(3), columns + 1);
      const Vector x = random_matrix(rng, n, 1);
      Vector out(columns), gathered(columns), alone(1);
      kernels().dots(n, columns, x.data(), a.data(), a.outerStride(), out.data());
      Indices idx(columns);
      for (Index& i : idx) i = rng.below(columns + 1);
      kernels().gathered_dots(n, columns, x.data(), a.data(), a.outerStride(), idx.data(),
                              gathered.data());
      for (Index j = 0; j < columns; ++j) {
        CHECK_NEAR(out[j], a.col(j).head(n).dot(x), 1e-12);
        CHECK_NEAR(gathered[j], a.col(idx[j]).head(n).dot(x), 1e-12);
        kernels().dots(n, 1, x.data(), a.col(idx[j]).data(), 0, alone.data());
        CHECK(same_bits(gathered[j], alone[0]));
      }
    }
  });
}

TEST(avx2_and_avx512_loops_agree_to_the_last_bit) {
  if (!isa_supported(Isa::avx512)) SKIP("this processor has no AVX-512");
  const Isa before = active_isa();
  Rng rng(3);
  for (int trial = 0; trial < 300; ++trial) {
    const Index n = rng.below(100);
    const Matrix a = random_matrix(rng, n, 7), x = random_matrix(rng, n, 1) * 800.0;
    const auto run = [&](Isa isa) {
      set_isa(isa);
      Matrix out = Matrix::Zero(n + 7, 14);
      profile_rbf(x.data(), out.col(1).data(), n, 1.3);
      profile_matern12(x.data(), out.col(2).data(), n, 1.3);
      profile_matern32(x.data(), out.col(3).data(), n, 1.3);
      profile_matern52(x.data(), out.col(4).data(), n, 1.3);
      slope_matern12(x.data(), out.col(5).data(), out.col(6).data(), n, 1.3);
      slope_matern32(x.data(), out.col(7).data(), out.col(8).data(), n, 1.3);
      slope_matern52(x.data(), out.col(9).data(), out.col(10).data(), n, 1.3);
      out.col(11).head(n) = a.col(0);
      out(n, 11) = kernels().add_norms(out.col(11).data(), x.data(), 1.0, n, 0.5);
      kernels().add_squares(x.data(), 0.3, n, out.col(12).data());
      kernels().add_differences(x.data(), a.data(), 0.7, x.data(), n, out.col(12).data(),
                                out.col(13).data());
      kernels().dots(n, 7, x.data(), a.data(), n, out.col(0).data() + n);
      return out;
    };
    const bool same = same_bits(run(Isa::avx2), run(Isa::avx512));
    set_isa(before);
    CHECK(same);
  }
}
