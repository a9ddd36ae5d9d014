// Kernels of levels that have an angle each: their points are numbers of levels.
#include "kernel_helpers.h"

using namespace gpsieve;
using namespace kernel_helpers;

namespace {

KernelSpec placed_levels() {
  return leaf("categorical",
              {{"variance", {1.7}}, {"correlation", {0.6}}, {"angle", {0.4, 1.9, 3.5}}});
}

// Three levels, repeated, and three numbers that are none: 0, 4 and 1.5.
const Matrix& levels() {
  static const Matrix x = (Matrix(1, 9) << 1, 2, 3, 2, 0, 4, 1.5, 3, 0).finished();
  return x;
}

}  // namespace

TEST(placed_levels_follow_the_definition) {
  const auto kernel = make_kernel(placed_levels(), 1);
  const Matrix &x = levels(), k = cross(*kernel, x, x);
  for (Index i = 0; i < x.cols(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      CHECK_NEAR(k(i, j), naive(placed_levels(), x.col(i), x.col(j), i == j), 1e-15);
  CHECK(k == k.transpose());
  Matrix with_jitter = k;
  with_jitter.diagonal().array() += 1e-10;
  CHECK(Eigen::LLT<Matrix>(with_jitter).info() == Eigen::Success);
}

TEST(gradients_of_placed_levels_match_differences) {
  const auto kernel = make_kernel(placed_levels(), 1);
  const Matrix& x = levels();
  const Matrix g = random_matrix(x.cols(), x.cols(), 5);
  const Vector theta = kernel->params();
  CHECK(theta.size() == 5);
  Vector grad = Vector::Zero(theta.size());
  kernel->cross_gradient(x, x, g, grad);
  check_gradient(grad, differences(theta, 3e-4, [&](const Vector& at) {
                   kernel->set_params(at);
                   return cross(*kernel, x, x).cwiseProduct(g).sum();
                 }));
}

TEST(the_correlation_of_levels_is_learned_by_its_odds) {
  const auto kernel = make_kernel(categorical(0.2), 1);
  CHECK_NEAR(kernel->params()[1], std::log(0.25), 1e-15);
  CHECK(make_kernel(categorical(0), 1)->n_params() == 1);
}
