// The normal functions against long double arithmetic and against each other.
#include <algorithm>
#include <limits>
#include <vector>

#include "check.h"
#include "isa_helpers.h"
#include "math/constants.h"
#include "math/gamma.h"
#include "math/normal.h"

using namespace gpsieve;

namespace {

using Long = long double;

struct LongSite {
  Long log_cdf, r, delta, q, omega;
};

// Central range by erfc, far tail by a continued fraction ten times longer than the one tested.
LongSite reference(Long z) {
  const Long log_sqrt_2pi = 0.918938533204672741780329736406L;
  if (z > -6) {
    const Long tail = std::erfc(std::abs(z) / std::sqrt(Long(2))) / 2;
    const Long r = std::exp(-z * z / 2 - log_sqrt_2pi) / (z < 0 ? tail : 1 - tail);
    const Long delta = r + z;
    return {z < 0 ? std::log(tail) : std::log1p(-tail), r, delta, r * delta, 1 - r * delta};
  }
  Long t = -z;
  for (int k = 500; k >= 3; --k) t = k / t - z;
  const Long c1 = 2 / t, delta = 1 / (c1 - z), r = delta - z;
  return {-z * z / 2 - log_sqrt_2pi - std::log(r), r, delta, r * delta, delta * (c1 - delta)};
}

std::vector<double> grid() {
  std::vector<double> z;
  for (int i = -2000; i <= 1600; ++i) z.push_back(0.025 * i + 1e-3);
  for (double x = 40.0; x <= 1.1e8; x *= 1.7) z.push_back(-x);
  for (double x = 1e-300; x < 1.0; x *= 1e3) {
    z.push_back(x);
    z.push_back(-x);
  }
  return z;
}

bool close(double value, Long truth, double tolerance) {
  const Long subnormal = std::numeric_limits<double>::min();
  return std::abs(value - truth) <= tolerance * std::abs(truth) + 1e-12L * subnormal;
}

}  // namespace

TEST(normal_site_functions_have_small_relative_error) {
  for_each_isa([](Isa) {
    for (double z : grid()) {
      const normal::Site s = normal::site(z);
      const LongSite truth = reference(z);
      CHECK(close(s.log_cdf, truth.log_cdf, 1e-15));
      CHECK(close(s.r, truth.r, 1e-15));
      CHECK(close(s.q, truth.q, 2e-15));
      CHECK(close(s.delta, truth.delta, 1e-15));
      CHECK(close(s.omega, truth.omega, 4e-15));
      CHECK(same_bits(normal::log_cdf(z), s.log_cdf));
    }
  });
}

TEST(normal_site_does_not_depend_on_position_or_neighbours) {
  const std::vector<double> z = grid();
  for_each_isa([&](Isa) {
    normal::SiteBlock block;
    for (Index n : {1, 2, 3, 7, 8, 9, 31, 256})
      for (std::size_t begin = 0; begin + 256 <= z.size(); begin += 501) {
        std::fill(std::begin(block.q), std::end(block.q), 7.0);
        std::copy_n(z.begin() + static_cast<std::ptrdiff_t>(begin), n, block.z);
        if (n > 3) block.z[n - 2] = std::nan("");
        block.evaluate(n);
        for (Index i = 0; i < n; ++i) {
          const normal::Site alone = normal::site(block.z[i]), s = block[i];
          CHECK(std::isnan(alone.q)
                    ? std::isnan(s.q) && std::isnan(s.log_cdf)
                    : same_bits(s.log_cdf, alone.log_cdf) && same_bits(s.r, alone.r) &&
                          same_bits(s.q, alone.q) && same_bits(s.delta, alone.delta) &&
                          same_bits(s.omega, alone.omega));
        }
        for (Index i = n; i < normal::SiteBlock::kSize; ++i) CHECK(block.q[i] == 7.0);
      }
  });
}

TEST(normal_site_functions_keep_their_ranges) {
  for_each_isa([](Isa) {
    for (double z : grid()) {
      const normal::Site s = normal::site(z);
      CHECK(s.delta > 0.0);
      CHECK(s.omega > 0.0 && s.omega <= 1.0);
      CHECK(s.q >= 0.0 && s.q <= 1.0);
      CHECK(z > 38.0 || s.q > 0.0);
      CHECK(z < -6e7 || s.q < 1.0);
      CHECK(s.log_cdf <= 0.0);
      CHECK(s.r >= 0.0 && s.r >= -z);
      CHECK_NEAR(s.q + s.omega, 1.0, 1e-15);
    }
  });
}

TEST(normal_site_functions_survive_any_double) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for_each_isa([](Isa) {
    for (double z : {-1e300, -1e155, -1e9, 39.0, 1e8, 1e300}) {
      const normal::Site s = normal::site(z);
      CHECK(!std::isnan(s.log_cdf) && std::isfinite(s.r) && std::isfinite(s.delta));
      CHECK(s.q >= 0.0 && s.q <= 1.0 && s.omega >= 0.0 && s.omega <= 1.0);
    }
    CHECK(normal::site(1e300).delta == 1e300);
    CHECK(normal::site(-1e300).r == 1e300);
    CHECK(normal::site(-kInf).log_cdf == -kInf && normal::site(-kInf).q == 1.0);
    CHECK(normal::cdf(-kInf) == 0.0 && normal::cdf(kInf) == 1.0);
    CHECK(std::isnan(normal::site(std::nan("")).q));
    CHECK(std::isnan(normal::site(std::nan("")).log_cdf));
    CHECK(std::isnan(normal::cdf(std::nan(""))));
  });
}

TEST(normal_site_functions_are_derivatives_of_log_cdf) {
  for (double z : {-30.0, -8.0, -3.001, -2.999, -1.0, 0.0, 2.0, 5.0}) {
    const double h = 1e-4;
    const double slope = (normal::log_cdf(z + h) - normal::log_cdf(z - h)) / (2.0 * h);
    const double curvature = (normal::site(z + h).r - normal::site(z - h).r) / (2.0 * h);
    CHECK_NEAR(slope, normal::site(z).r, 1e-8);
    CHECK_NEAR(-curvature, normal::site(z).q, 1e-8);
  }
}

TEST(normal_cdf_is_relative_in_the_lower_tail) {
  for_each_isa([](Isa) {
    for (double z = -37.0; z < 37.0; z += 0.0037) {
      const Long truth = std::erfc(-Long(z) / std::sqrt(Long(2))) / 2;
      CHECK(close(normal::cdf(z), truth, 1e-15));
      CHECK_NEAR(normal::cdf(z) + normal::cdf(-z), 1.0, 1e-15);
    }
    CHECK(normal::cdf(-1e300) == 0.0 && normal::cdf(1e300) == 1.0);
  });
}

TEST(normal_quantile_inverts_the_cdf) {
  for (double p = 1e-300; p < 0.49; p *= 1.9) {
    const double z = normal::quantile(p);
    CHECK(close(normal::log_cdf(z), std::log(Long(p)), 4e-15));
  }
  for (double gap : {0.3, 0.1, 1e-3, 1e-6, 1e-9, 0x1p-40}) {
    const double z = normal::quantile(0.5 + gap);
    const double exact_gap = (0.5 + gap) - 0.5;
    CHECK(close(0.5 * std::erf(z / std::sqrt(2.0)), exact_gap, 1e-15));
    CHECK(normal::quantile(0.5 - exact_gap) == -z);
  }
  CHECK_NEAR(normal::quantile(0.975), 1.959963984540054235, 1e-15);
  CHECK(normal::quantile(0.5) == 0.0);
  CHECK(normal::quantile(0.0) == -std::numeric_limits<double>::infinity());
  CHECK(normal::quantile(1.0) == std::numeric_limits<double>::infinity());
  CHECK(std::isnan(normal::quantile(-0.1)) && std::isnan(normal::quantile(std::nan(""))));
}

TEST(log_gamma_and_its_neighbours) {
  double log_factorial = 0.0;
  for (int n = 1; n <= 100; ++n) {
    CHECK_NEAR(log_gamma(n), log_factorial, 2e-14);
    log_factorial += std::log(n);
  }
  CHECK_NEAR(log_gamma(0.5), 0.572364942924700087, 2e-14);
  for (double x : {0.01, 0.7, 3.3, 15.9, 16.1, 1e6}) {
    const double leading = (x - 0.5) * std::log(x) - x + kLogSqrt2Pi;
    CHECK_NEAR(log_gamma(x), leading + stirling_error(x), 1e-14);
    CHECK_NEAR(log_gamma(x + 1.0), log_gamma(x) + std::log(x), 1e-13);
  }
  for (double u : {-30.0, -0.5, -0.1, -1e-3, 1e-8, 0.09999, 0.1, 2.0})
    CHECK(close(exp_minus_linear(u), std::expm1(Long(u)) - u, std::abs(u) < 1e-6 ? 1e-10 : 5e-15));
  CHECK_NEAR(exp_minus_linear(1e-8) / 0.5e-16, 1.0 + 1e-8 / 3.0, 1e-15);
}
