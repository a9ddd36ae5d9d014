// What kernels refuse, and functions of the host as kernels.
#include "kernel/bound_kernel.h"
#include "kernel_helpers.h"

using namespace gpsieve;
using namespace kernel_helpers;

TEST(functions_are_checked_and_kept_on_the_main_thread) {
  const Matrix& x = some_points();
  CHECK(!make_kernel(host(), kDim)->thread_safe());
  CHECK(!make_kernel(tree("sum", {rbf(), tree("on", {host()}, {1})}), kDim)->thread_safe());
  CHECK(make_kernel(tree("sum", {rbf(), rbf()}), kDim)->thread_safe());
  CHECK_THROWS(cross(*make_kernel(host(kInf), kDim), x, x), KernelFailure);

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
    } catch (const KernelFailure& e) {
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
  CHECK_THROWS(gram(*make_kernel(lopsided, kDim), x), KernelFailure);
}

TEST(invalid_specs_are_errors_that_name_the_entry) {
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
  const auto on_sphere = [](const KernelSpec& spec) { return tree("on", {spec}, {0, 1}); };
  const auto refused_inside = [](const KernelSpec& spec, const std::string& part) {
    try {
      make_kernel(spec, kDim);
    } catch (const InvalidSpec& e) {
      return std::string(e.what()).find("'great_circle': " + part) != std::string::npos;
    }
    return false;
  };
  CHECK(refused(great_circle(0.5, 0, 1, 1), "longitude and latitude, found 3 inputs"));
  CHECK(refused_inside(on_sphere(great_circle(1.5, 1, 1, 1)), "nu must be 0.5 on the arc"));
  CHECK(refused_inside(on_sphere(great_circle(0.5, 0, 0, 1)), "radius must be a positive"));
  KernelSpec nowhere = great_circle(0.5, 0, 1, 1);
  nowhere.values["unit"] = {1, kInf};
  CHECK(refused_inside(on_sphere(nowhere), "unit must be finite"));
  nowhere.values["unit"] = {1};
  CHECK(refused_inside(on_sphere(nowhere), "unit must have length 2, found 1"));
  CHECK(refused(categorical(1), "correlation must be less than 1, found 1"));
  CHECK(refused(categorical(-0.1), "correlation must be zero or a positive"));
  KernelSpec placed = categorical(0.5);
  placed.values["angle"] = {1, 2};
  CHECK(refused(placed, "angles need a single input, found 3"));
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
