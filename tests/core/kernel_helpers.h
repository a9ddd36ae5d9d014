// Kernels to test, naive formulas, and laws that run over all of them.
#ifndef GPSIEVE_TESTS_KERNEL_HELPERS_H
#define GPSIEVE_TESTS_KERNEL_HELPERS_H

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/rng.h"
#include "check.h"
#include "kernel/bound_kernel.h"
#include "kernel/kernel.h"

namespace kernel_helpers {

using namespace gpsieve;

constexpr Index kDim = 3;
const double kInf = std::numeric_limits<double>::infinity();
const double kPi = std::acos(-1.0);

inline Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Rng rng(seed);
  Matrix out(rows, cols);
  for (Index j = 0; j < cols; ++j)
    for (Index i = 0; i < rows; ++i) out(i, j) = 2.0 * rng.uniform() - 1.0;
  return out;
}

inline KernelSpec leaf(const std::string& type, std::map<std::string, std::vector<double>> values) {
  KernelSpec spec;
  spec.type = type;
  spec.values = std::move(values);
  return spec;
}

inline KernelSpec tree(const std::string& type, std::vector<KernelSpec> children,
                       Indices dims = {}) {
  KernelSpec spec;
  spec.type = type;
  spec.children = std::move(children);
  spec.dims = std::move(dims);
  return spec;
}

inline KernelSpec rbf(std::vector<double> lengthscale = {0.8}, double variance = 1.7) {
  return leaf("rbf", {{"variance", {variance}}, {"lengthscale", std::move(lengthscale)}});
}

// exp(-|x - z|_1), as a host would compute it.
inline KernelSpec host(double scale = 1.0) {
  KernelSpec spec;
  spec.type = "function";
  spec.function = [scale](Points a, Points b, MatrixOut k) {
    for (Index j = 0; j < b.cols(); ++j)
      for (Index i = 0; i < a.cols(); ++i)
        k(i, j) = scale * std::exp(-(a.col(i) - b.col(j)).cwiseAbs().sum());
  };
  return spec;
}

// Two of the inputs as longitude and latitude on both sides of the date line.
inline KernelSpec great_circle(double nu, double arc, double radius, double lengthscale) {
  return leaf("great_circle", {{"nu", {nu}},
                               {"variance", {1.3}},
                               {"lengthscale", {lengthscale}},
                               {"radius", {radius}},
                               {"arc", {arc}},
                               {"origin", {175, 10}},
                               {"unit", {60, 40}}});
}

// Levels, as numbers of which the tests have equal and different ones.
inline KernelSpec categorical(double correlation) {
  return leaf("categorical", {{"variance", {1.3}}, {"correlation", {correlation}}});
}

// A kernel of two warped inputs.
inline KernelSpec warped(KernelSpec child, Indices dims) {
  KernelSpec spec = tree("warped", {std::move(child)}, std::move(dims));
  spec.values = {
      {"skew", {0.4, -0.3}}, {"tail", {0.8, 1.2}}, {"center", {0.1, -0.2}}, {"spread", {0.7, 0.4}}};
  return spec;
}

// A kernel of three mixed inputs, in an order of their own.
inline KernelSpec mixed(KernelSpec child) {
  KernelSpec spec = tree("mixed", {std::move(child)}, {2, 0, 1});
  spec.values = {{"mixing", {0.4, -0.3, 0.8, 0.2, -0.6, 0.1}}};
  return spec;
}

inline bool has_input_gradient(const KernelSpec& spec) { return spec.type != "function"; }

// Specs for inputs of dimension kDim, at least one for every registered type.
inline std::vector<KernelSpec> representatives() {
  const KernelSpec white = leaf("white", {{"variance", {0.3}}});
  const KernelSpec constant = leaf("constant", {{"variance", {0.6}}});
  const KernelSpec linear = leaf("linear", {{"variance", {1.4}}});
  const KernelSpec linear_ard =
      leaf("linear", {{"variance", {1.4}}, {"lengthscale", {0.8, 1.3, 0.6}}});
  std::vector<KernelSpec> all = {
      rbf(),
      rbf({0.8, 1.3, 0.6}),
      linear,
      linear_ard,
      leaf("linear", {{"variance", {1.4}}, {"lengthscale", {0.7}}}),
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
      leaf("affine", {{"variance", {0.8}}, {"slope", {1.5}}, {"angle", {0.6}}}),
      tree("on", {leaf("affine", {{"variance", {2}}, {"slope", {0.5}}, {"angle", {2.5}}})}, {1}),
      categorical(0),
      tree("on", {categorical(0.4)}, {2}),
      tree("product", {categorical(0.4), rbf()}),
      tree("on", {great_circle(0.5, 1, 1, 0.7)}, {2, 0}),
      tree("on", {great_circle(0.5, 1, 6371, 9000)}, {2, 0}),
  };
  for (const KernelSpec& inner : std::vector<KernelSpec>(all))
    if (has_input_gradient(inner)) {
      all.push_back(warped(inner, {2, 0}));
      all.push_back(mixed(inner));
    }
  all.push_back(warped(mixed(rbf({0.8, 1.3, 0.6})), {2, 0}));
  for (const double nu : {0.5, 1.5, 2.5}) {
    all.push_back(
        warped(leaf("matern", {{"nu", {nu}}, {"variance", {1.3}}, {"lengthscale", {0.9, 0.5, 2}}}),
               {0, 1}));
    all.push_back(leaf("matern", {{"nu", {nu}}, {"variance", {1.3}}, {"lengthscale", {0.9}}}));
    all.push_back(
        leaf("matern", {{"nu", {nu}}, {"variance", {1.3}}, {"lengthscale", {0.9, 0.5, 2}}}));
    all.push_back(tree("on", {great_circle(nu, 0, 6371, 4000)}, {0, 2}));
    all.push_back(leaf("separable", {{"nu", {nu}}, {"variance", {1.3}}, {"lengthscale", {0.9}}}));
    all.push_back(
        leaf("separable", {{"nu", {nu}}, {"variance", {1.3}}, {"lengthscale", {0.9, 0.5, 2}}}));
  }
  return all;
}

// The definitions, one pair of points at a time and without any of the code under test.
inline double naive(const KernelSpec& spec, const Vector& x, const Vector& z, bool same) {
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
  const auto matern = [&](double r) {
    const double nu = number("nu");
    if (nu == 0.5) return number("variance") * std::exp(-r);
    if (nu == 1.5)
      return number("variance") * (1.0 + std::sqrt(3.0) * r) * std::exp(-std::sqrt(3.0) * r);
    return number("variance") * (1.0 + std::sqrt(5.0) * r + 5.0 * r * r / 3.0) *
           std::exp(-std::sqrt(5.0) * r);
  };
  if (spec.type == "matern") return matern(std::sqrt(squared()));
  if (spec.type == "separable") {
    double product = number("variance");
    for (Index d = 0; d < x.size(); ++d)
      product *= matern(std::abs(x[d] - z[d]) / scale(d)) / number("variance");
    return product;
  }
  if (spec.type == "great_circle") {
    const auto radians = [&](const Vector& point, Index d) {
      return (spec.values.at("origin")[d] + spec.values.at("unit")[d] * point[d]) * kPi / 180.0;
    };
    // The haversine formula.
    const double haversine = std::pow(std::sin((radians(x, 1) - radians(z, 1)) / 2.0), 2) +
                             std::cos(radians(x, 1)) * std::cos(radians(z, 1)) *
                                 std::pow(std::sin((radians(x, 0) - radians(z, 0)) / 2.0), 2);
    const double half_chord = std::sqrt(haversine);
    const double distance =
        2.0 * number("radius") * (number("arc") > 0.0 ? std::asin(half_chord) : half_chord);
    return matern(distance / number("lengthscale"));
  }
  if (spec.type == "rational_quadratic")
    return number("variance") *
           std::pow(1.0 + squared() / (2.0 * number("alpha")), -number("alpha"));
  if (spec.type == "linear") {
    const bool scaled = spec.values.count("lengthscale") > 0;
    double sum = 0.0;
    for (Index d = 0; d < x.size(); ++d) sum += x[d] * z[d] / (scaled ? scale(d) * scale(d) : 1.0);
    return number("variance") * sum;
  }
  if (spec.type == "affine")
    return number("variance") + number("slope") * x.dot(z) +
           std::cos(number("angle")) * (x.sum() + z.sum()) *
               std::sqrt(number("variance") * number("slope") / static_cast<double>(x.size()));
  if (spec.type == "categorical") {
    if (x == z) return number("variance");
    const double rho = number("variance") * number("correlation");
    if (spec.values.count("angle") == 0) return rho;
    const auto& angle = spec.values.at("angle");
    const auto known = [&](double level) {
      return level >= 1.0 && level <= static_cast<double>(angle.size()) &&
             level == std::floor(level);
    };
    if (!known(x[0]) || !known(z[0])) return 0.0;
    return rho * std::cos(angle[static_cast<std::size_t>(x[0]) - 1] -
                          angle[static_cast<std::size_t>(z[0]) - 1]);
  }
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
  if (spec.type == "warped") {
    Vector moved_x = x, moved_z = z;
    for (std::size_t d = 0; d < spec.dims.size(); ++d) {
      const double centre = spec.values.at("center")[d], unit = spec.values.at("spread")[d];
      for (Vector* each : {&moved_x, &moved_z}) {
        double& at = (*each)[spec.dims[d]];
        at =
            centre + unit * std::sinh(spec.values.at("tail")[d] * std::asinh((at - centre) / unit) -
                                      spec.values.at("skew")[d]);
      }
    }
    return naive(spec.children[0], moved_x, moved_z, same);
  }
  if (spec.type == "mixed") {
    Vector moved_x = x, moved_z = z;
    std::size_t at = 0;
    for (const Index d : spec.dims)
      for (const Index c : spec.dims)
        if (c != d) {
          const double weight = spec.values.at("mixing")[at++];
          moved_x[d] += weight * x[c];
          moved_z[d] += weight * z[c];
        }
    return naive(spec.children[0], moved_x, moved_z, same);
  }
  if (spec.type == "function") return std::exp(-(x - z).cwiseAbs().sum());
  throw std::logic_error("no definition of " + spec.type);
}

inline void check_same(const Matrix& a, const Matrix& b, double tolerance) {
  CHECK(a.rows() == b.rows() && a.cols() == b.cols());
  for (Index j = 0; j < a.cols(); ++j)
    for (Index i = 0; i < a.rows(); ++i) CHECK_NEAR(a(i, j), b(i, j), tolerance);
}

inline Matrix cross(const Kernel& kernel, const Matrix& a, const Matrix& b) {
  Matrix k = Matrix::Constant(a.cols(), b.cols(), std::nan(""));  // outputs are overwritten
  kernel.cross(a, b, k);
  return k;
}
inline Matrix gram(const Kernel& kernel, const Matrix& a) {
  Matrix k = Matrix::Constant(a.cols(), a.cols(), std::nan(""));
  kernel.gram(a, k);
  return k;
}
inline Vector diagonal(const Kernel& kernel, const Matrix& a) {
  Vector k = Vector::Constant(a.cols(), std::nan(""));
  kernel.diagonal(a, k);
  return k;
}

// Central differences of a scalar, fourth order: the tolerance tests the gradient, not the rule.
inline Vector differences(Vector at, double step, const std::function<double(const Vector&)>& f) {
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

inline void check_gradient(const Vector& found, const Vector& expected) {
  CHECK(found.size() == expected.size());
  if (found.size() == 0) return;
  const double scale = std::max(1e-3, expected.cwiseAbs().maxCoeff());
  for (Index i = 0; i < found.size(); ++i) CHECK_NEAR(found[i] / scale, expected[i] / scale, 1e-7);
}

// Runs a law on every representative and says whose law was broken.
inline void for_every_kernel(const std::function<void(const KernelSpec&, Kernel&)>& law) {
  for (const auto& spec : representatives()) {
    const auto kernel = make_kernel(spec, kDim);
    try {
      law(spec, *kernel);
    } catch (const std::exception& e) {
      throw std::logic_error(spec.type + ": " + e.what());
    }
  }
}

inline const Matrix& some_points() {
  static const Matrix x = random_matrix(kDim, 23, 1);
  return x;
}
// Shares two points with some_points().
inline const Matrix& other_points() {
  static const Matrix z = [] {
    Matrix points = random_matrix(kDim, 9, 2);
    points.col(4) = some_points().col(7);
    points.col(8) = some_points().col(0);
    return points;
  }();
  return z;
}

}  // namespace kernel_helpers

#endif
