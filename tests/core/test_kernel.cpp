// Laws of every registered kernel.
#include "kernel/bound_kernel.h"
#include "kernel_helpers.h"

using namespace gpsieve;
using namespace kernel_helpers;

void add_types(const KernelSpec& spec, std::set<std::string>& types) {
  types.insert(spec.type);
  for (const auto& child : spec.children) add_types(child, types);
}

TEST(every_registered_kernel_has_a_representative) {
  std::set<std::string> covered;
  for (const auto& spec : representatives()) add_types(spec, covered);
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
    const bool stationary =
        spec.values.count("lengthscale") == 1 && spec.type != "periodic" && spec.type != "linear";
    for (const bool overflow : {false, true}) {
      if (overflow && !stationary) continue;
      const Matrix& points = overflow ? with_overflow : x;
      const BoundKernel bound(kernel, points);
      CHECK(bound.size() == points.cols());
      Matrix block(5, 3);
      bound.block(a.data(), 5, b.data(), 3, block);
      check_same(block, cross(kernel, pick(points, a), pick(points, b)), 1e-13);

      const auto left = bound.select(a.data(), 5), right = bound.select(b.data(), 3);
      Matrix selected(5, 2);  // the first two only
      right->block(*left, selected);
      check_same(selected, block.leftCols(2), 0.0);
      selected.setZero();
      right->block(a.data(), 5, selected);
      check_same(selected, block.leftCols(2), 0.0);

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

// A block, and one that shares points with another.
TEST(evaluated_blocks_have_the_values_and_gradients_of_the_kernel) {
  for_every_kernel([](const KernelSpec& spec, Kernel& kernel) {
    const Matrix z = random_matrix(kDim, 9, 7), equal = z;
    for (const Matrix* each : {&some_points(), &equal, &z}) {
      const Matrix &x = *each, copy = x;
      const Matrix g = random_matrix(x.cols(), z.cols(), 8);
      Matrix gram_values(x.cols(), x.cols()), values(x.cols(), z.cols());
      const auto gram_block = kernel.evaluate_block(x, x, gram_values);
      for (const bool shares : {false, true}) {
        values.setConstant(0.25);
        const auto block =
            shares ? gram_block->with(z, values) : kernel.evaluate_block(x, z, values);
        CHECK(values == cross(kernel, copy, z));
        Vector expected = Vector::Constant(kernel.n_params(), 0.25), grad = expected;
        kernel.cross_gradient(x, z, g, expected);
        Matrix none(0, 0);
        block->add_gradients(g, grad, none);
        check_same(grad, expected, 1e-13);
        if (!has_input_gradient(spec)) continue;
        Matrix inputs_expected = Matrix::Constant(kDim, x.cols(), 0.25), inputs = inputs_expected;
        kernel.input_gradient(z, x, g.transpose(), inputs_expected);
        grad.setConstant(0.25);
        block->add_gradients(g, grad, inputs);
        check_same(grad, expected, 1e-13);
        check_same(inputs, inputs_expected, 1e-13);
      }
    }
  });
}

// Some of the points b are equal to points a, and one block has none.
TEST(a_row_of_blocks_has_the_gradients_of_its_blocks_whatever_the_threads) {
  for_every_kernel([](const KernelSpec& spec, Kernel& kernel) {
    const Matrix& a = some_points();
    Matrix b = random_matrix(kDim, 11, 7);
    b.col(4) = a.col(1);
    const Matrix g = random_matrix(a.cols(), b.cols(), 8);
    const Indices first{0, 3, 3, 10, 11};
    Matrix values(a.cols(), b.cols()), gram_values(a.cols(), a.cols());
    const auto gram_block = kernel.evaluate_block(a, a, gram_values);
    std::vector<std::unique_ptr<EvaluatedBlock>> blocks;
    EvaluatedBlock::Row row;
    const auto part = [&](auto& of, std::size_t i) {
      return of.middleCols(first[i], first[i + 1] - first[i]);
    };
    for (std::size_t i = 0; i + 1 < first.size(); ++i) {
      blocks.push_back(gram_block->with(part(b, i), part(values, i)));
      row.push_back(blocks.back().get());
      CHECK(blocks.back()->cols() == first[i + 1] - first[i]);
    }
    const Index by_inputs = has_input_gradient(spec) ? a.cols() : 0;
    Vector expected = Vector::Constant(kernel.n_params(), 0.25);
    const Vector start = expected;
    Matrix inputs_expected = Matrix::Constant(kDim, by_inputs, 0.25);
    const Matrix inputs_start = inputs_expected;
    for (std::size_t i = 0; i < blocks.size(); ++i)
      blocks[i]->add_gradients(part(g, i), expected, inputs_expected);
    Vector one_thread;
    Matrix inputs_one_thread;
    for (const int threads : {1, 2, 5}) {
      Vector grad = start;
      Matrix inputs = inputs_start;
      row.front()->add_gradients_of(row, g, grad, inputs, threads);
      check_same(grad, expected, 1e-12);
      if (by_inputs > 0) check_same(inputs, inputs_expected, 1e-12);
      if (threads == 1) {
        one_thread = grad;
        inputs_one_thread = inputs;
      }
      CHECK(grad == one_thread);
      CHECK(inputs == inputs_one_thread);
    }
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
