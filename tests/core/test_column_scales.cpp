// Centres and spreads of columns against plain sums, over several panels of rows.
#include "check.h"
#include "dense_reference.h"
#include "isa_helpers.h"
#include "math/column_scales.h"

using namespace gpsieve;

namespace {

void check_identical(const ColumnScales& a, const ColumnScales& b) {
  CHECK(a.rows == b.rows && a.weight == b.weight && a.not_finite == b.not_finite);
  CHECK(same_bits(a.mean, b.mean) && same_bits(a.squares, b.squares) && same_bits(a.unit, b.unit));
  CHECK(same_bits(a.lowest, b.lowest) && same_bits(a.highest, b.highest));
}

// 2.5 panels of three columns, one of them constant in the first panel.
Matrix some_columns() {
  Matrix x = dense::points(3, 10240, 1).transpose();
  x.col(1).array() = 1e3 + 1e-3 * x.col(1).array();
  x.col(2).head(kScalePanel).setConstant(0.5);
  return x;
}

}  // namespace

TEST(the_scales_of_several_panels_are_plain_sums) {
  const Matrix x = some_columns();
  const Index n = x.rows();
  const ColumnScales found = column_scales(x.data(), n, 3);
  CHECK(found.rows == n && found.weight == static_cast<double>(n) && found.not_finite == -1);
  const Vector scales = found.scales();
  for (Index j = 0; j < 3; ++j) {
    const double mean = x.col(j).mean();
    const double squares = (x.col(j).array() - mean).square().sum();
    CHECK_NEAR(found.mean[j], mean, 1e-14);
    CHECK_NEAR(scales[j] / std::sqrt(squares / static_cast<double>(n - 1)), 1.0, 1e-12);
    CHECK(found.lowest[j] == x.col(j).minCoeff() && found.highest[j] == x.col(j).maxCoeff());
  }
}

TEST(scales_have_the_same_bits_however_the_panels_arrive) {
  const Matrix x = some_columns();
  const Index n = x.rows();
  const Vector weight = dense::points(n, 1, 2).cwiseAbs().array() + 0.5;
  for (const double* weights : {static_cast<const double*>(nullptr), weight.data()}) {
    const ColumnScales whole = column_scales(x.data(), n, 3, weights);
    ColumnScales parts(3);
    parts.extend(x.data(), n, kScalePanel, weights);
    parts.extend(x.data() + kScalePanel, n, n - kScalePanel,
                 weights ? weights + kScalePanel : nullptr);
    check_identical(parts, whole);
  }
}

TEST(scales_of_weighted_panels_are_those_of_the_copies) {
  const Matrix x = some_columns();
  const Index n = x.rows();
  Vector weight(n);
  Indices rows;
  for (Index i = 0; i < n; ++i) {
    weight(i) = static_cast<double>(1 + i % 2);
    for (Index copy = 0; copy <= i % 2; ++copy) rows.push_back(i);
  }
  const Matrix copies = dense::columns(x.transpose(), rows).transpose();
  const ColumnScales once = column_scales(x.data(), n, 3, weight.data());
  const ColumnScales often = column_scales(copies.data(), copies.rows(), 3);
  dense::check_near(once.mean, often.mean, 1e-14);
  dense::check_near(once.scales(), often.scales(), 1e-12);
}

TEST(scales_neither_overflow_nor_divide_by_zero) {
  Matrix x(2 * kScalePanel, 4);
  for (Index i = 0; i < x.rows(); ++i) {
    x(i, 0) = i % 2 == 0 ? 1.6e308 : -1.6e308;
    x(i, 1) = i % 2 == 0 ? 1e-300 : -1e-300;
    x(i, 2) = 0.1;                           // constant, with a mean that rounds
    x(i, 3) = i < kScalePanel ? -1.0 : 1.0;  // constant in each panel
  }
  const double n = static_cast<double>(x.rows());
  const ColumnScales found = column_scales(x.data(), x.rows(), 4);
  CHECK_NEAR(found.scale(0) / 1.6e308, std::sqrt(n / (n - 1.0)), 1e-12);
  CHECK_NEAR(found.scale(1) / 1e-300, std::sqrt(n / (n - 1.0)), 1e-12);
  CHECK(found.scale(2) == 1.0);
  CHECK_NEAR(found.scale(3), std::sqrt(n / (n - 1.0)), 1e-12);
  CHECK(column_scales(x.data(), 1, 1).scale(0) == 1.0);  // one row has no spread
}

TEST(the_first_column_that_is_not_finite_is_found_in_any_panel) {
  Matrix x = some_columns();
  x(9000, 1) = std::nan("");
  CHECK(column_scales(x.data(), x.rows(), 3).not_finite == 1);
  x(9001, 0) = -std::numeric_limits<double>::infinity();
  CHECK(column_scales(x.data(), x.rows(), 3).not_finite == 0);
}

TEST(scaled_points_are_the_transposed_scaled_columns) {
  for (const Index rows : {0, 1, 63, 64, 65, 200}) {
    const Matrix x = dense::points(3, rows, 5).transpose();
    const Vector centre = Vector::LinSpaced(3, -1.0, 2.0), scale = Vector::LinSpaced(3, 0.3, 7.0);
    Matrix columns(rows, 3);
    scale_columns(x.data(), rows, 3, centre, scale, columns.data());
    CHECK(scaled_points(x.data(), rows, 3, centre, scale) == columns.transpose());
  }
}

TEST(scaled_columns_have_mean_zero_and_spread_one) {
  const Matrix x = some_columns();
  const ColumnScales of = column_scales(x.data(), x.rows(), 3);
  Matrix out(x.rows(), 3);
  scale_columns(x.data(), x.rows(), 3, of.mean, of.scales(), out.data());
  const ColumnScales now = column_scales(out.data(), out.rows(), 3);
  // The second column, 1000 and a thousandth of noise, keeps ten digits.
  dense::check_near(now.mean, Vector::Zero(3), 1e-9);
  dense::check_near(now.scales(), Vector::Ones(3), 1e-9);
}
