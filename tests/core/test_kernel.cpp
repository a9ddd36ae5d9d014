// Laws that every registered kernel obeys, and the corners where covariance code breaks.
#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "check.h"
#include "kernel/bound_kernel.h"
#include "kernel/kernel.h"

using namespace gpsieve;

namespace {

constexpr Index kDim = 3;
const double kInf = std::numeric_limits<double>::infinity();
const double kPi = std::acos(-1.0);

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Rng rng(seed);
  Matrix out(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) out(i, j) = 2.0 * rng.uniform() - 1.0;
  return out;
}

KernelSpec leaf(const std::string& type, std::map<std::string, std::vector<double>> values) {
  KernelSpec spec;
  spec.type = type;
  spec.values = std::move(values);
  return spec;
}

KernelSpec tree(const std::string& type, std::vector<KernelSpec> children, Indices dims = {}) {
  KernelSpec spec;
  spec.type = type;
  spec.children = std::move(children);
  spec.dims = std::move(dims);
  return spec;
}

KernelSpec rbf(std::vector<double> lengthscale = {0.8}, double variance = 1.7) {
  return leaf("rbf", {{"variance", {variance}}, {"lengthscale", std::move(lengthscale)}});
}

// exp(-|x - z|_1), as a host would compute it.
KernelSpec host(double scale = 1.0) {
  KernelSpec spec;
  spec.type = "function";
  spec.function = [scale](Points a, Points b, MatrixOut k) {
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < a.cols(); ++i)
        k(i, j) = scale * std::exp(-(a.col(i) - b.col(j)).cwiseAbs().sum());
  };
  return spec;
}

// Specs for inputs of dimension kDim, at least one for every registered type.
std::vector<KernelSpec> representatives() {
  const KernelSpec white = leaf("white", {{"variance", {0.3}}});
  const KernelSpec constant = leaf("constant", {{"variance", {0.6}}});
  const KernelSpec linear = leaf("linear", {{"variance", {1.4}}});
  std::vector<KernelSpec> all = {
      rbf(),
      rbf({0.8, 1.3, 0.6}),
      linear,
      leaf("polynomial",
           {{"degree", {3}}, {"variance", {1.2}}, {"offset", {0.7}}, {"scale", {0.5}}}),
      leaf("polynomial", {{"degree", {2}}, {"variance", {1.2}}, {"offset", {0}}, {"scale", {0.5}}}),
      leaf("polynomial", {{"degree", {1}}, {"variance", {1.2}}, {"offset", {1}}, {"scale", {2}}}),
      leaf("periodic", {{"variance", {1.3}}, {"lengthscale", {0.9}}, {"period", {0.7}}}),
      leaf("periodic", {{"variance", {1.3}}, {"lengthscale", {0.9, 0.5, 2}}, {"period", {1.6}}}),
      leaf("rational_quadratic", {{"variance", {1.3}}, {"lengthscale", {0.9}}, {"alpha", {0.7}}}),
      leaf("rational_quadratic",
           {{"variance", {1.3}}, {"lengthscale", {0.9, 0.5, 2}}, {"alpha", {3}}}),
      constant,
      white,
      tree("sum", {rbf(), constant, white}),
      tree("sum", {rbf()}),
      tree("product", {rbf({0.8, 1.3, 0.6}), linear}),
      tree("product", {rbf(), linear, tree("sum", {constant, white, rbf({2.0}, 1.0)})}),
      tree("on", {rbf({0.8, 1.3})}, {2, 0}),
      tree("on", {tree("product", {linear, rbf()})}, {1}),
      host(),
  };
  for (const double nu : {0.5, 1.5, 2.5}) {
    all.push_back(leaf("matern", {{"nu", {nu}}, {"variance", {1.3}}, {"lengthscale", {0.9}}}));
    all.push_back(
        leaf("matern", {{"nu", {nu}}, {"variance", {1.3}}, {"lengthscale", {0.9, 0.5, 2}}}));
  }
  return all;
}

// The definitions, one pair of points at a time and without any of the code under test.
double naive(const KernelSpec& spec, const Vector& x, const Vector& z, bool same) {
  const auto number = [&](const char* name) { return spec.values.at(name)[0]; };
  const auto scale = [&](Index d) {
    const auto& all = spec.values.at("lengthscale");
    return all.size() == 1 ? all[0] : all[d];
  };
  const auto squared = [&] {
    double sum = 0.0;
    for (Index d = 0; d < x.size(); ++d) sum += std::pow((x[d] - z[d]) / scale(d), 2);
    return sum;
  };
  if (spec.type == "rbf") return number("variance") * std::exp(-squared() / 2.0);
  if (spec.type == "matern") {
    const double r = std::sqrt(squared()), nu = number("nu");
    if (nu == 0.5) return number("variance") * std::exp(-r);
    if (nu == 1.5)
      return number("variance") * (1.0 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
    return number("variance") * (1.0 + std::sqrt(5.0) * r + 5.0 * r * r / 3.0) *
           std::exp(-std::sqrt(5.0) * r);
  }
  if (spec.type == "rational_quadratic")
    return number("variance") *
           std::pow(1.0 + squared() / (2.0 * number("alpha")), -number("alpha"));
  if (spec.type == "linear") return number("variance") * x.dot(z);
  if (spec.type == "polynomial")
    return number("variance") *
           std::pow(number("offset") + number("scale") * x.dot(z), number("degree"));
  if (spec.type == "periodic") {
    double sum = 0.0;
    for (Index d = 0; d < x.size(); ++d)
      sum += std::pow(std::sin(kPi * (x[d] - z[d]) / number("period")) / scale(d), 2);
    return number("variance") * std::exp(-2.0 * sum);
  }
  if (spec.type == "constant") return number("variance");
  if (spec.type == "white") return same ? number("variance") : 0.0;
  if (spec.type == "sum") {
    double total = 0.0;
    for (const auto& child : spec.children) total += naive(child, x, z, same);
    return total;
  }
  if (spec.type == "product") {
    double total = 1.0;
    for (const auto& child : spec.children) total *= naive(child, x, z, same);
    return total;
  }
  if (spec.type == "on") {
    Vector part_x(spec.dims.size()), part_z(spec.dims.size());
    for (Index d = 0; d < part_x.size(); ++d) {
      part_x[d] = x[spec.dims[d]];
      part_z[d] = z[spec.dims[d]];
    }
    return naive(spec.children[0], part_x, part_z, same);
  }
  if (spec.type == "function") return std::exp(-(x - z).cwiseAbs().sum());
  throw std::logic_error("no definition of " + spec.type);
}

bool has_input_gradient(const KernelSpec& spec) { return spec.type != "function"; }

void check_same(const Matrix& a, const Matrix& b, double tolerance) {
  CHECK(a.rows() == b.rows() && a.cols() == b.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i) CHECK_NEAR(a(i, j), b(i, j), tolerance);
}

Matrix cross(const Kernel& kernel, const Matrix& a, const Matrix& b) {
  Matrix k = Matrix::Constant(a.cols(), b.cols(), std::nan(""));  // outputs are overwritten
  kernel.cross(a, b, k);
  return k;
}
Matrix gram(const Kernel& kernel, const Matrix& a) {
  Matrix k = Matrix::Constant(a.cols(), a.cols(), std::nan(""));
  kernel.gram(a, k);
  return k;
}
Vector diagonal(const Kernel& kernel, const Matrix& a) {
  Vector k = Vector::Constant(a.cols(), std::nan(""));
  kernel.diagonal(a, k);
  return k;
}

// Central differences of a scalar, fourth order: the tolerance tests the gradient, not the rule.
Vector differences(Vector at, double step, const std::function<double(const Vector&)>& f) {
  Vector gradient(at.size());
  for (Index i = 0; i < at.size(); ++i) {
    const double centre = at[i];
    const auto shifted = [&](double by) {
      at[i] = centre + by;
      const double value = f(at);
      at[i] = centre;
      return value;
    };
    gradient[i] =
        (8.0 * (shifted(step) - shifted(-step)) - (shifted(2 * step) - shifted(-2 * step))) /
        (12.0 * step);
  }
  return gradient;
}

void check_gradient(const Vector& found, const Vector& expected) {
  CHECK(found.size() == expected.size());
  if (found.size() == 0) return;
  const double scale = std::max(1e-3, expected.cwiseAbs().maxCoeff());
  for (Index i = 0; i < found.size(); ++i) CHECK_NEAR(found[i] / scale, expected[i] / scale, 1e-7);
}

// Runs a law on every representative and says whose law was broken.
void for_every_kernel(const std::function<void(const KernelSpec&, Kernel&)>& law) {
  for (const auto& spec : representatives()) {
    const auto kernel = make_kernel(spec, kDim);
    try {
      law(spec, *kernel);
    } catch (const std::exception& e) {
      throw std::logic_error(spec.type + ": " + e.what());
    }
  }
}

const Matrix& some_points() {
  static const Matrix x = random_matrix(kDim, 23, 1);
  return x;
}
// Shares two points with some_points().
const Matrix& other_points() {
  static const Matrix z = [] {
    Matrix points = random_matrix(kDim, 9, 2);
    points.col(4) = some_points().col(7);
    points.col(8) = some_points().col(0);
    return points;
  }();
  return z;
}

}  // namespace

TEST(every_registered_kernel_has_a_representative) {
  std::set<std::string> covered;
  for (const auto& spec : representatives()) covered.insert(spec.type);
  for (const auto& type : registered_kernels())
    if (covered.count(type) == 0) throw std::logic_error("no representative of " + type);
  CHECK(covered.size() == registered_kernels().size());
}

TEST(kernel_blocks_follow_the_definitions) {
  for_every_kernel([](const KernelSpec& spec, Kernel& kernel) {
    const Matrix &x = some_points(), &z = other_points();
    const Matrix k = cross(kernel, x, z), full = gram(kernel, x);
    const Vector own = diagonal(kernel, x);
    for (Index i = 0; i < x.cols(); ++i) {
      for (Index j = 0; j < z.cols(); ++j)
        CHECK_NEAR(k(i, j), naive(spec, x.col(i), z.col(j), false), 1e-13);
      for (Index j = 0; j < x.cols(); ++j)
        CHECK_NEAR(full(i, j), naive(spec, x.col(i), x.col(j), i == j), 1e-13);
      CHECK_NEAR(own[i], naive(spec, x.col(i), x.col(i), true), 1e-13);
    }
  });
}

TEST(kernel_gram_is_symmetric_with_the_exact_diagonal) {
  for_every_kernel([](const KernelSpec&, Kernel& kernel) {
    const Matrix k = gram(kernel, some_points());
    CHECK(k == k.transpose());
    CHECK(k.diagonal() == diagonal(kernel, some_points()));
  });
}

TEST(kernel_gram_is_positive_definite_after_a_tiny_jitter) {
  for_every_kernel([](const KernelSpec&, Kernel& kernel) {
    Matrix x = random_matrix(kDim, 40, 3);
    x.rightCols(5) = x.leftCols(5);  // duplicates make it singular, never indefinite
    Matrix k = gram(kernel, x);
    k.diagonal().array() += 1e-10 * k.diagonal().mean();
    CHECK(Eigen::LLT<Matrix>(k).info() == Eigen::Success);
  });
}

TEST(kernel_blocks_are_parts_of_larger_blocks) {
  for_every_kernel([](const KernelSpec&, Kernel& kernel) {
    const Matrix &x = some_points(), &z = other_points();
    const Matrix whole = cross(kernel, x, z);
    Matrix strided = Matrix::Zero(x.cols() + 3, z.cols());
    kernel.cross(x, z, strided.middleRows(2, x.cols()));  // outer stride beyond the rows
    check_same(strided.middleRows(2, x.cols()), whole, 0.0);
    check_same(cross(kernel, x.middleCols(5, 7), z), whole.middleRows(5, 7), 1e-14);
    check_same(cross(kernel, x, z.col(4)), whole.col(4), 1e-14);
  });
}

TEST(bound_kernels_give_blocks_by_row_number) {
  const Matrix& x = some_points();
  Matrix with_overflow = x;
  with_overflow.col(5).setConstant(1e200);
  const Indices a = {7, 0, 7, 22, 5}, b = {3, 7, 19};
  const auto pick = [](const Matrix& points, const Indices& rows) {
    Matrix some(points.rows(), static_cast<Index>(rows.size()));
    for (Index i = 0; i < some.cols(); ++i) some.col(i) = points.col(rows[i]);
    return some;
  };
  for_every_kernel([&](const KernelSpec& spec, Kernel& kernel) {
    const bool stationary = spec.values.count("lengthscale") == 1 && spec.type != "periodic";
    for (const bool overflow : {false, true}) {
      if (overflow && !stationary) continue;
      const Matrix& points = overflow ? with_overflow : x;
      const BoundKernel bound(kernel, points);
      CHECK(bound.size() == points.cols());
      Matrix block(5, 3);
      bound.block(a.data(), 5, b.data(), 3, block);
      check_same(block, cross(kernel, pick(points, a), pick(points, b)), 1e-13);

      const Matrix full = gram(kernel, points);
      for (const Index begin : {0, 4, 20}) {
        Vector column(points.cols() - begin);
        bound.column(7, begin, column);
        check_same(column, full.col(7).tail(column.size()), 1e-13);
        if (begin <= 7) CHECK(column[7 - begin] == full(7, 7));
      }
    }
  });
}

TEST(kernel_parameters_make_the_round_trip) {
  for_every_kernel([](const KernelSpec& spec, Kernel& kernel) {
    const Vector theta = kernel.params();
    CHECK(theta.size() == kernel.n_params());
    Vector moved = theta;
    for (Index i = 0; i < moved.size(); ++i) moved[i] += 0.1 * static_cast<double>(i + 1);
    kernel.set_params(moved);
    check_same(kernel.params(), moved, 1e-15);
    kernel.set_params(theta);
    check_same(cross(kernel, some_points(), other_points()),
               cross(*make_kernel(spec, kDim), some_points(), other_points()), 1e-14);
    CHECK_THROWS(kernel.set_params(Vector::Zero(theta.size() + 1)), InvalidSpec);
    if (theta.size() == 0) return;
    CHECK_THROWS(kernel.set_params(Vector::Constant(theta.size(), 1e4)), NumericalFailure);
    CHECK_THROWS(kernel.set_params(Vector::Constant(theta.size(), -1e4)), NumericalFailure);
    CHECK_THROWS(kernel.set_params(Vector::Constant(theta.size(), std::nan(""))), NumericalFailure);
  });
}

TEST(kernel_parameters_stand_in_the_documented_order) {
  const auto natural = [](const KernelSpec& spec) -> Vector {
    return make_kernel(spec, kDim)->params().array().exp();
  };
  Vector expected(5);
  expected << 2.0, 3.0, 4.0, 5.0, 6.0;
  check_same(natural(leaf("rational_quadratic",
                          {{"alpha", {6}}, {"lengthscale", {3, 4, 5}}, {"variance", {2}}})),
             expected, 1e-14);
  check_same(
      natural(leaf("periodic", {{"period", {6}}, {"lengthscale", {3, 4, 5}}, {"variance", {2}}})),
      expected, 1e-14);
  check_same(
      natural(
          tree("sum", {leaf("polynomial",
                            {{"degree", {2}}, {"scale", {4}}, {"offset", {3}}, {"variance", {2}}}),
                       tree("on", {rbf({6.0}, 5.0)}, {1})})),
      expected, 1e-14);
  check_same(natural(leaf("polynomial",
                          {{"degree", {2}}, {"scale", {3}}, {"offset", {0}}, {"variance", {2}}})),
             expected.head(2), 1e-14);
}

TEST(kernel_parameter_gradients_match_differences) {
  for_every_kernel([](const KernelSpec&, Kernel& kernel) {
    const Matrix &x = some_points(), &z = other_points();
    const Matrix g_cross = random_matrix(x.cols(), z.cols(), 4);
    const Matrix g_gram = random_matrix(x.cols(), x.cols(), 5);  // not symmetric
    const Vector g_diagonal = random_matrix(x.cols(), 1, 6);
    const Vector theta = kernel.params();
    const auto numeric = [&](const std::function<double()>& value) {
      return differences(theta, 3e-4, [&](const Vector& at) {
        kernel.set_params(at);
        const double result = value();
        kernel.set_params(theta);
        return result;
      });
    };
    const Vector start = Vector::Constant(theta.size(), 0.25);  // gradients are added, not set

    Vector grad = start;
    kernel.cross_gradient(x, z, g_cross, grad);
    check_gradient(grad - start,
                   numeric([&] { return cross(kernel, x, z).cwiseProduct(g_cross).sum(); }));
    grad = start;
    kernel.gram_gradient(x, g_gram, grad);
    check_gradient(grad - start,
                   numeric([&] { return gram(kernel, x).cwiseProduct(g_gram).sum(); }));
    grad = start;
    kernel.diagonal_gradient(x, g_diagonal, grad);
    check_gradient(grad - start, numeric([&] { return diagonal(kernel, x).dot(g_diagonal); }));
  });
}

TEST(kernel_input_gradients_match_differences) {
  for_every_kernel([](const KernelSpec& spec, Kernel& kernel) {
    const Matrix& x = some_points();
    const Matrix z = random_matrix(kDim, 9, 7);  // no shared points: Matern 1/2 has a kink there
    const Matrix g = random_matrix(x.cols(), z.cols(), 8);
    const Vector g_own = random_matrix(z.cols(), 1, 9);
    const Matrix start = Matrix::Constant(kDim, z.cols(), 0.25);
    Matrix grad = start;
    if (!has_input_gradient(spec)) {
      CHECK_THROWS(kernel.input_gradient(x, z, g, grad), InvalidSpec);
      CHECK_THROWS(kernel.diagonal_input_gradient(z, g_own, grad), InvalidSpec);
      return;
    }
    const auto numeric = [&](const std::function<double(const Matrix&)>& value) {
      const Eigen::Map<const Vector> flat(z.data(), z.size());
      return differences(flat, 3e-4, [&](const Vector& at) {
        return value(Eigen::Map<const Matrix>(at.data(), z.rows(), z.cols()));
      });
    };
    const auto moved = [&](const Matrix& all) -> Vector {
      const Matrix difference = all - start;
      return Eigen::Map<const Vector>(difference.data(), difference.size());
    };
    kernel.input_gradient(x, z, g, grad);
    check_gradient(moved(grad), numeric([&](const Matrix& at) {
                     return cross(kernel, x, at).cwiseProduct(g).sum();
                   }));
    grad = start;
    kernel.diagonal_input_gradient(z, g_own, grad);
    check_gradient(moved(grad),
                   numeric([&](const Matrix& at) { return diagonal(kernel, at).dot(g_own); }));
  });
}

TEST(kernels_accept_empty_sets_of_points) {
  for_every_kernel([](const KernelSpec& spec, Kernel& kernel) {
    const Matrix none(kDim, 0), &x = some_points();
    CHECK(gram(kernel, none).size() == 0);
    CHECK(diagonal(kernel, none).size() == 0);
    CHECK(cross(kernel, none, x).size() == 0);
    CHECK(cross(kernel, x, none).size() == 0);
    Vector grad = Vector::Zero(kernel.n_params());
    kernel.cross_gradient(none, x, Matrix(0, x.cols()), grad);
    kernel.cross_gradient(x, none, Matrix(x.cols(), 0), grad);
    kernel.gram_gradient(none, Matrix(0, 0), grad);
    CHECK(grad == Vector::Zero(kernel.n_params()));
    if (!has_input_gradient(spec)) return;
    Matrix inputs = Matrix::Zero(kDim, x.cols());
    kernel.input_gradient(none, x, Matrix(0, x.cols()), inputs);
    CHECK(inputs == Matrix::Zero(kDim, x.cols()));
  });
}

TEST(kernels_accept_one_point_of_one_dimension) {
  const Matrix x = Matrix::Constant(1, 1, 0.4), z = Matrix::Constant(1, 1, -0.3);
  for (const auto& spec : representatives()) {
    const auto lengthscale = spec.values.find("lengthscale");
    const bool ard = lengthscale != spec.values.end() && lengthscale->second.size() > 1;
    if (ard || !spec.children.empty()) continue;
    const auto kernel = make_kernel(spec, 1);
    CHECK_NEAR(cross(*kernel, x, z)(0, 0), naive(spec, x.col(0), z.col(0), false), 1e-14);
    CHECK_NEAR(gram(*kernel, x)(0, 0), naive(spec, x.col(0), x.col(0), true), 1e-14);
  }
}

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
    if (spec.values.count("lengthscale") == 0) continue;
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
    if (spec.values.count("lengthscale") == 0) continue;
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
    if (spec.values.count("lengthscale") == 0 || spec.type == "periodic") continue;
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

TEST(functions_are_checked_and_kept_on_the_main_thread) {
  const Matrix& x = some_points();
  CHECK(!make_kernel(host(), kDim)->thread_safe());
  CHECK(!make_kernel(tree("sum", {rbf(), tree("on", {host()}, {1})}), kDim)->thread_safe());
  CHECK(make_kernel(tree("sum", {rbf(), rbf()}), kDim)->thread_safe());
  CHECK_THROWS(cross(*make_kernel(host(kInf), kDim), x, x), NumericalFailure);

  KernelSpec spoilt = host();
  spoilt.function = [](Points a, Points b, MatrixOut k) {
    k.setOnes();
    for (Index i = 0; i < a.cols(); ++i)
      if (a(0, i) == some_points()(0, 19)) k.row(i).setConstant(std::nan(""));
    for (Index j = 0; j < b.cols(); ++j)
      if (b(0, j) == some_points()(0, 19)) k.col(j).setConstant(std::nan(""));
  };
  const auto kernel = make_kernel(spoilt, kDim);
  const auto complaint = [](const std::function<void()>& action) -> std::string {
    try {
      action();
    } catch (const NumericalFailure& e) {
      const std::string message = e.what();
      return message.substr(message.find("returned"));
    }
    return "nothing";
  };
  CHECK(complaint([&] { cross(*kernel, x, other_points()); }) ==
        "returned NaN for row 20 of x and row 1 of z");
  CHECK(complaint([&] { diagonal(*kernel, x); }) == "returned NaN for row 20");
  const BoundKernel bound(*kernel, x);
  Vector column(5);
  CHECK(complaint([&] { bound.column(2, 17, column); }) == "returned NaN for row 3 with row 20");
  CHECK(complaint([&] { bound.column(19, 17, column); }) == "returned NaN for row 18 with row 20");
  const Index row = 19;
  Matrix block(1, 1);
  CHECK(complaint([&] { bound.block(&row, 1, &row, 1, block); }) == "returned NaN for row 20");

  KernelSpec lopsided = host();
  lopsided.function = [](Points a, Points, MatrixOut k) {
    k = a.row(0).transpose().replicate(1, k.cols());
  };
  CHECK_THROWS(gram(*make_kernel(lopsided, kDim), x), InvalidSpec);
}

TEST(specs_that_make_no_sense_are_refused_by_name) {
  const auto refused = [](const KernelSpec& spec, const std::string& part) {
    try {
      make_kernel(spec, kDim);
    } catch (const InvalidSpec& e) {
      const std::string message = e.what();
      if (message.find(spec.type) != std::string::npos && message.find(part) != std::string::npos)
        return true;
      throw std::logic_error("unexpected message: " + message);
    }
    return false;
  };
  CHECK(refused(leaf("rfb", {}), "no kernel of type"));
  CHECK(refused(leaf("rbf", {{"variance", {1}}}), "lengthscale is missing"));
  CHECK(refused(rbf({1.0}, -2.5), "variance must be a positive finite number, found -2.5"));
  CHECK(refused(rbf({1.0}, kInf), "variance"));
  CHECK(refused(rbf({1.0}, std::nan("")), "variance"));
  CHECK(refused(rbf({1.0, 2.0}), "lengthscale must have length 1 or 3"));
  CHECK(refused(rbf({1.0, 0.0, 2.0}), "lengthscale must be positive and finite, found 0"));
  CHECK(refused(rbf({}), "lengthscale"));
  CHECK(refused(leaf("white", {{"variance", {1, 2}}}), "single number, found 2"));
  CHECK(refused(leaf("white", {{"variance", {1}}, {"lenghtscale", {1}}}), "lenghtscale"));
  CHECK(refused(leaf("matern", {{"nu", {2}}, {"variance", {1}}, {"lengthscale", {1}}}),
                "nu must be 0.5, 1.5 or 2.5, found 2"));
  for (const double degree : {0.0, 1.5, -1.0, 1e6})
    CHECK(refused(leaf("polynomial",
                       {{"degree", {degree}}, {"variance", {1}}, {"offset", {1}}, {"scale", {1}}}),
                  "degree"));
  CHECK(refused(
      leaf("polynomial", {{"degree", {2}}, {"variance", {1}}, {"offset", {-1}}, {"scale", {1}}}),
      "offset must be zero or a positive finite number, found -1"));
  CHECK(refused(tree("sum", {}), "at least one child"));
  CHECK(refused(tree("product", {}), "at least one child"));
  CHECK(refused(tree("on", {rbf(), rbf()}, {0}), "one child, found 2"));
  CHECK(refused(tree("on", {rbf()}, {}), "dims"));
  CHECK(refused(tree("on", {rbf()}, {3}), "1..3, found 4"));
  CHECK(refused(tree("on", {rbf()}, {-1}), "found 0"));
  CHECK(refused(leaf("function", {}), "function is missing"));
}
