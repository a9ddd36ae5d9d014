// The header that the units of the package begin with.
#include "../../src/toolchain/contraction.h"
#include "check.h"

namespace {

double multiply_add(double a, double b, double c) { return a * b + c; }

template <typename Scalar>
Scalar multiply_add_of(Scalar a, Scalar b, Scalar c) {
  return a * b + c;
}

}  // namespace

// a^2 has one digit more than a double holds. A single instruction for a * a + c keeps that digit.
// Fails without the header where processors have the instruction (make core-arm64).
TEST(products_are_rounded_before_they_are_added) {
  // Volatile: the compiler must not compute with the value.
  volatile double start = 1.0 + 0x1p-30;
  const double a = start, rounded = 1.0 + 0x1p-29;
  CHECK(multiply_add(a, a, -rounded) == 0.0);
  CHECK(multiply_add_of(a, a, -rounded) == 0.0);
  volatile float start_single = 1.0f + 0x1p-13f;
  const float b = start_single;
  CHECK(multiply_add_of(b, b, -(1.0f + 0x1p-12f)) == 0.0f);
}
