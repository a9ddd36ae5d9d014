// Kernels on sparse rows: every number must be that of the same kernel on the inputs themselves.
#include "kernel_helpers.h"

using namespace gpsieve;
using namespace kernel_helpers;

namespace {

// Points, half of whose numbers are zero, two points that are equal and one that is zero.
const Matrix& half_empty() {
  static const Matrix points = [] {
    Matrix out = random_matrix(kDim, 30, 11);
    out = (out.array().abs() < 0.5).select(0.0, out);
    out.col(7) = out.col(3);
    out.col(9).setZero();
    return out;
  }();
  return points;
}

const Vector& centre() {
  static const Vector middle = (Vector(kDim) << 0.3, -0.2, 0.1).finished();
  return middle;
}

std::shared_ptr<const SparseRows> sparse(const Matrix& points, Vector middle) {
  std::vector<int> start(1, 0), column;
  std::vector<double> value;
  for (Index j = 0; j < points.cols(); ++j) {
    for (Index d = 0; d < points.rows(); ++d) {
      if (points(d, j) == 0.0) continue;
      column.push_back(static_cast<int>(d));
      value.push_back(points(d, j));
    }
    start.push_back(static_cast<int>(column.size()));
  }
  return std::make_shared<SparseRows>(points.rows(), start, column, value, std::move(middle));
}

Matrix row_numbers(Index first, Index n) {
  return Vector::LinSpaced(n, static_cast<double>(first), static_cast<double>(first + n - 1))
      .transpose();
}

bool uses(const KernelSpec& spec, const std::string& type) {
  if (spec.type == type) return true;
  for (const auto& child : spec.children)
    if (uses(child, type)) return true;
  return false;
}

bool takes_sparse_rows(const KernelSpec& spec) {
  for (const char* dense : {"separable", "periodic", "great_circle", "affine", "categorical",
                            "function", "warped", "mixed"})
    if (uses(spec, dense)) return false;
  return true;
}

}  // namespace

TEST(kernels_of_sparse_rows_are_those_of_the_inputs) {
  for (const Vector& middle : {Vector(), centre()}) {
    const Matrix x = middle.size() ? Matrix(half_empty().colwise() - middle) : half_empty();
    const Matrix a = row_numbers(0, 20), b = row_numbers(20, 10), all = row_numbers(0, 30);
    for (const auto& spec : representatives()) {
      if (!takes_sparse_rows(spec)) {
        CHECK_THROWS(make_kernel(spec, sparse(half_empty(), middle)), InvalidSpec);
        continue;
      }
      const auto dense = make_kernel(spec, kDim);
      const auto rows = make_kernel(spec, sparse(half_empty(), middle));
      check_same(cross(*rows, a, b), cross(*dense, x.leftCols(20), x.rightCols(10)), 1e-13);
      check_same(gram(*rows, all), gram(*dense, x), 1e-13);
      check_same(diagonal(*rows, all), diagonal(*dense, x), 1e-13);

      const Matrix g = random_matrix(20, 10, 5);
      Vector by_rows = Vector::Zero(rows->n_params()), by_inputs = by_rows;
      rows->cross_gradient(a, b, g, by_rows);
      rows->diagonal_gradient(b, g.row(0).transpose(), by_rows);
      dense->cross_gradient(x.leftCols(20), x.rightCols(10), g, by_inputs);
      dense->diagonal_gradient(x.rightCols(10), g.row(0).transpose(), by_inputs);
      check_same(by_rows, by_inputs, 1e-11);
    }
  }
}

TEST(a_number_of_sparse_rows_does_not_depend_on_its_block) {
  const Matrix all = row_numbers(0, 30);
  for (const auto& spec : representatives()) {
    if (!takes_sparse_rows(spec)) continue;
    const auto kernel = make_kernel(spec, sparse(half_empty(), centre()));
    const Matrix whole = cross(*kernel, all, all);
    CHECK(whole == whole.transpose());
    for (const Index j : {Index(0), Index(7), Index(29)})
      CHECK(cross(*kernel, all.middleCols(3, 20), all.col(j)) == whole.block(3, j, 20, 1));
  }
}

TEST(equal_sparse_rows_have_distance_zero_and_great_numbers_are_no_nan) {
  Matrix points = half_empty();
  const auto exact = make_kernel(rbf({0.1, 3.0, 0.7}), sparse(points, centre()));
  CHECK(cross(*exact, row_numbers(3, 1), row_numbers(7, 1))(0, 0) == 1.7);
  points *= 1e200;
  const auto kernel = make_kernel(rbf(), sparse(points, Vector()));
  const Matrix k = cross(*kernel, row_numbers(0, 30), row_numbers(0, 30));
  CHECK(k.allFinite());
  CHECK(k(3, 7) == 1.7 && k(0, 1) == 0.0);
}

TEST(damaged_sparse_rows_and_unknown_row_numbers_are_errors) {
  const auto make = [](std::vector<int> start, std::vector<int> column, std::vector<double> value) {
    return SparseRows(2, std::move(start), std::move(column), std::move(value), Vector());
  };
  CHECK(make({0, 1, 3}, {1, 0, 1}, {1.0, 2.0, 3.0}).size() == 2);
  CHECK_THROWS(make({}, {}, {}), InvalidSpec);
  CHECK_THROWS(make({0, 4}, {1, 0}, {1.0, 2.0}), InvalidSpec);
  CHECK_THROWS(make({0, 2, 1}, {1}, {1.0}), InvalidSpec);
  CHECK_THROWS(make({0, 1}, {2}, {1.0}), InvalidSpec);
  CHECK_THROWS(make({0, 1}, {-1}, {1.0}), InvalidSpec);
  CHECK_THROWS(make({0, 2}, {1, 0}, {1.0, 2.0}), InvalidSpec);
  CHECK_THROWS(make({0, 1}, {1}, {std::nan("")}), InvalidSpec);
  CHECK_THROWS(SparseRows(2, {0}, {}, {}, Vector::Constant(1, 1.0)), InvalidSpec);

  const auto kernel = make_kernel(rbf(), sparse(half_empty(), Vector()));
  const Matrix inside = row_numbers(0, 1);
  for (const double outside : {30.0, -1.0, 0.5, std::nan(""), kInf})
    CHECK_THROWS(cross(*kernel, inside, Matrix::Constant(1, 1, outside)), InvalidSpec);
  CHECK_THROWS(cross(*kernel, inside, half_empty().leftCols(2)), InvalidSpec);  // inputs
}

TEST(sparse_rows_have_no_gradient_in_the_inputs) {
  const Matrix a = row_numbers(0, 4), g = Matrix::Ones(4, 4);
  for (const auto& spec : representatives()) {
    if (spec.type != "rbf" && spec.type != "linear" && spec.type != "polynomial") continue;
    const auto kernel = make_kernel(spec, sparse(half_empty(), Vector()));
    Matrix grad = Matrix::Zero(1, 4);
    CHECK_THROWS(kernel->input_gradient(a, a, g, grad), InvalidSpec);
  }
}
