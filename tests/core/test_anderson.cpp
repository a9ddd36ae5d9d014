// Anderson mixing on maps whose fixed point is known.
#include <cmath>

#include "check.h"
#include "linalg/anderson.h"

using namespace gpsieve;

namespace {

// Rounds until the largest residual of x <- g(x) is below 1e-12; 1000 if that never happens.
template <class Map>
int rounds_to_converge(Vector x, Index depth, const Map& g) {
  AndersonMixing mixing(depth);
  for (int round = 0; round < 1000; ++round) {
    const Vector residual = g(x) - x;
    if (residual.cwiseAbs().maxCoeff() < 1e-12) return round;
    x = mixing.next(x, residual);
  }
  return 1000;
}

}  // namespace

TEST(anderson_solves_a_linear_map_in_as_many_rounds_as_it_has_rates_and_two) {
  Vector rates(4);
  rates << 0.9, 0.5, -0.3, 0.1;
  const Vector offset = Vector::LinSpaced(4, 1.0, 2.0);
  const int rounds = rounds_to_converge(
      Vector::Zero(4), 5, [&](const Vector& x) { return Vector(rates.cwiseProduct(x) + offset); });
  CHECK(rounds <= 6);
}

TEST(anderson_converges_where_the_plain_iteration_diverges) {
  const auto g = [](const Vector& x) { return Vector(2.0 - 1.8 * x.array()); };
  CHECK(rounds_to_converge(Vector::Constant(3, 10.0), 5, g) < 10);
  const auto bent = [](const Vector& x) { return Vector(3.0 * (-x.array()).exp()); };
  CHECK(rounds_to_converge(Vector::Constant(1, 4.0), 5, bent) < 30);
}

TEST(anderson_stays_at_the_fixed_point) {
  AndersonMixing mixing(3);
  const Vector x = Vector::Constant(2, 7.0), none = Vector::Zero(2);
  CHECK(mixing.next(x, none) == x);
  CHECK(mixing.next(x, none) == x);
}
