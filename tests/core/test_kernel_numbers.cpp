// Scale, place, coincidence and overflow.
#include "kernel_helpers.h"

using namespace gpsieve;
using namespace kernel_helpers;

TEST(equal_ard_lengthscales_equal_one_lengthscale) {
  for (auto spec : representatives()) {
    const auto lengthscale = spec.values.find("lengthscale");
    if (lengthscale == spec.values.end()) continue;
    lengthscale->second = {0.7};
    const auto one = make_kernel(spec, kDim);
    lengthscale->second = {0.7, 0.7, 0.7};
    const auto ard = make_kernel(spec, kDim);
    const Matrix &x = some_points(), &z = other_points();
    check_same(cross(*ard, x, z), cross(*one, x, z), 0.0);

    const Matrix g = random_matrix(x.cols(), z.cols(), 10);
    Vector grad_one = Vector::Zero(one->n_params()), grad_ard = Vector::Zero(ard->n_params());
    one->cross_gradient(x, z, g, grad_one);
    ard->cross_gradient(x, z, g, grad_ard);
    CHECK_NEAR(grad_ard.segment(1, kDim).sum(), grad_one[1], 1e-12);
  }
}

// Moving and stretching inputs and lengthscales together changes nothing.
TEST(stationary_kernels_work_at_any_scale_and_place) {
  for (const auto& spec : representatives()) {
    if (spec.values.count("lengthscale") == 0 || spec.type == "linear") continue;
    const auto kernel = make_kernel(spec, kDim);
    const Matrix &x = some_points(), &z = other_points();
    const Matrix k = cross(*kernel, x, z), g = random_matrix(x.cols(), z.cols(), 11);
    Vector grad = Vector::Zero(kernel->n_params());
    kernel->cross_gradient(x, z, g, grad);

    for (const double scale : {1e-150, 1e150}) {
      KernelSpec stretched_spec = spec;
      const char* stretched_value = spec.type == "periodic" ? "period" : "lengthscale";
      for (double& value : stretched_spec.values[stretched_value]) value *= scale;
      const auto stretched = make_kernel(stretched_spec, kDim);
      check_same(cross(*stretched, scale * x, scale * z), k, 1e-13);
      Vector stretched_grad = Vector::Zero(kernel->n_params());
      stretched->cross_gradient(scale * x, scale * z, g, stretched_grad);
      check_same(stretched_grad, grad, 1e-11);
    }
    // 1e6 + x keeps 10 digits of x; what is asked for is that no more are lost.
    const Matrix far_x = x.array() + 1e6, far_z = z.array() + 1e6;
    const Matrix back_x = far_x.array() - 1e6, back_z = far_z.array() - 1e6;
    check_same(cross(*kernel, far_x, far_z), cross(*kernel, back_x, back_z), 1e-13);
    Vector far_grad = Vector::Zero(kernel->n_params()), back_grad = far_grad;
    kernel->cross_gradient(far_x, far_z, g, far_grad);
    kernel->cross_gradient(back_x, back_z, g, back_grad);
    check_same(far_grad, back_grad, 1e-11);
  }
}

TEST(periodic_kernels_repeat_exactly) {
  const auto kernel = make_kernel(
      leaf("periodic", {{"variance", {1}}, {"lengthscale", {0.9, 0.5, 2}}, {"period", {0.5}}}),
      kDim);
  // Sixteen binary digits and a billion periods fit in one number without rounding.
  const auto rounded = [](double v) { return std::round(v * 65536.0) / 65536.0; };
  const Matrix x = some_points().unaryExpr(rounded), z = other_points().unaryExpr(rounded);
  check_same(cross(*kernel, x.array() + std::ldexp(1.0, 29), z), cross(*kernel, x, z), 1e-15);
}

TEST(linear_kernel_works_at_any_scale) {
  const Matrix& x = some_points();
  const Matrix k = gram(*make_kernel(leaf("linear", {{"variance", {1}}}), kDim), x);
  for (const double scale : {1e-150, 1e150}) {
    const auto kernel = make_kernel(leaf("linear", {{"variance", {1.0 / scale / scale}}}), kDim);
    check_same(gram(*kernel, scale * x), k, 1e-13);
  }
}

TEST(near_points_keep_all_digits_of_their_distance) {
  // |x|^2 + |z|^2 - 2 x'z alone would leave r = 1e-7 with no digit at all.
  const auto kernel =
      make_kernel(leaf("matern", {{"nu", {0.5}}, {"variance", {1}}, {"lengthscale", {1e-7}}}), 2);
  Matrix x(2, 3);
  x << 0.0, 1.0, 1.0 + 1e-7, 0.0, 1.0, 1.0;
  const Matrix k = cross(*kernel, x, x);
  CHECK_NEAR(k(1, 2), std::exp(-(x(0, 2) - x(0, 1)) / 1e-7), 1e-14);
  CHECK(k(1, 1) == 1.0 && k(0, 1) == 0.0);

  Vector grad = Vector::Zero(2);
  kernel->cross_gradient(x, x, Matrix::Ones(3, 3), grad);
  const double r = (x(0, 2) - x(0, 1)) / 1e-7;
  CHECK_NEAR(grad[1], 2.0 * r * std::exp(-r), 1e-13);
}

TEST(duplicates_have_exactly_the_variance_and_finite_gradients) {
  for (const auto& spec : representatives()) {
    if (spec.values.count("lengthscale") == 0 || spec.type == "linear") continue;
    const auto kernel = make_kernel(spec, kDim);
    Matrix x(kDim, 4);
    x.colwise() = Vector(some_points().col(3));
    const double variance = spec.values.at("variance")[0];
    CHECK(cross(*kernel, x, x) == Matrix::Constant(4, 4, variance));
    Vector grad = Vector::Zero(kernel->n_params());
    kernel->cross_gradient(x, x, Matrix::Ones(4, 4), grad);
    CHECK_NEAR(grad[0], 16.0 * variance, 1e-14);
    for (Index i = 1; i < grad.size(); ++i) CHECK_NEAR(grad[i], 0.0, 1e-14);
    Matrix inputs = Matrix::Zero(kDim, 4);
    kernel->input_gradient(x, x, Matrix::Ones(4, 4), inputs);
    check_same(inputs, Matrix::Zero(kDim, 4), 1e-13);
  }
}

TEST(overflowing_distances_give_zero_never_nan) {
  Matrix x(kDim, 4);
  x << 1e200, -1e200, 1e200, 0.5, 1e200, 1e200, 1e200, 0.5, 0.0, 1e300, 0.0, 0.5;
  const Matrix g = Matrix::Ones(4, 4);
  for (const auto& spec : representatives()) {
    if (spec.values.count("lengthscale") == 0 || spec.type == "periodic" || spec.type == "linear")
      continue;
    const auto kernel = make_kernel(spec, kDim);
    const double variance = spec.values.at("variance")[0];
    const Matrix k = cross(*kernel, x, x);
    for (Index j = 0; j < 4; ++j)
      for (Index i = 0; i < 4; ++i) {
        const bool same = i == j || i + j == 2;  // points 0 and 2 coincide
        const double limit = spec.type == "rational_quadratic" ? 1e-100 : 0.0;
        CHECK(same ? k(i, j) == variance : k(i, j) >= 0.0 && k(i, j) <= limit);
      }
    Vector grad = Vector::Zero(kernel->n_params());
    kernel->cross_gradient(x, x, g, grad);
    CHECK(grad.allFinite());
    Matrix inputs = Matrix::Zero(kDim, 4);
    kernel->input_gradient(x, x, g, inputs);
    CHECK(inputs.allFinite());
  }
}
