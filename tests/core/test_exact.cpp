// The exact posterior from all rows: products with K + D, the preconditioner, conjugate gradients.
#include <Eigen/Cholesky>
#include <string>

#include "check.h"
#include "exact/exact_solution.h"
#include "exact/kernel_product.h"
#include "kernel_helpers.h"
#include "linalg/cholesky.h"
#include "posterior/joint_covariance.h"
#include "posterior/sparse_posterior.h"

namespace {

using namespace gpsieve;
using namespace kernel_helpers;

// Rows of which two are equal, with noise of different sizes, in four leaves.
struct Case {
  explicit Case(Index n = 60, double least_noise = 0.05, std::uint64_t seed = 3)
      : x(random_matrix(kDim, n, seed)), y(random_matrix(n, 1, seed + 1)), noise(n) {
    if (n > 5) x.col(5) = x.col(2);
    for (Index i = 0; i < n; ++i) noise(i) = least_noise * (1.0 + static_cast<double>(i % 3));
    for (Index i = 0; i < n; i += 7) inducing.push_back(i);
    Rng rng(seed);
    PartitionOptions options;
    options.leaf_rows = 20;
    tree = PartitionTree::build(x, Vector::Ones(kDim), options, rng);
    leaves = rows_by_leaf(tree.leaves_of(x), tree.leaf_count());
  }
  Matrix dense(const Kernel& kernel) const {
    Matrix k = gram(kernel, x);
    k.diagonal() += noise;
    return k;
  }

  Matrix x;
  Vector y, noise;
  Indices inducing;
  PartitionTree tree{kDim};
  std::vector<Indices> leaves;
};

Context on(int threads) {
  Context ctx;
  ctx.threads = threads;
  return ctx;
}

constexpr double kAll = 1e18;  // bytes

// exact/theory.md (1) as it is written, with the jitter that the preconditioner needed.
struct DensePic {
  DensePic(const Kernel& kernel, const Case& of, const PicPreconditioner& pic, Points points)
      : used(), leaf_of_row(of.tree.leaves_of(of.x)), leaf_of_point(of.tree.leaves_of(points)) {
    for (const Index row : of.inducing)
      if (cross(kernel, of.x.col(row), of.x.col(row))(0, 0) > 0.0) used.push_back(row);
    const Matrix u = gather_columns(of.x, used.data(), static_cast<Index>(used.size()));
    Matrix uu = cross(kernel, u, u);
    uu.diagonal().array() += pic.jitter();
    const Eigen::LLT<Matrix> factor(uu);
    const auto projected = [&](Points z) {
      return used.empty() ? Matrix(0, z.cols())
                          : Matrix(factor.matrixL().solve(cross(kernel, u, z)));
    };
    const Matrix w = projected(of.x), v = projected(points);
    m = w.transpose() * w;
    between = w.transpose() * v;
    prior = v.transpose() * v;
    const Matrix k = gram(kernel, of.x), k_points = cross(kernel, of.x, points),
                 own = gram(kernel, points);
    for (Index j = 0; j < m.cols(); ++j)
      for (Index i = 0; i < m.rows(); ++i)
        if (leaf_of_row[i] == leaf_of_row[j]) m(i, j) = k(i, j);
    m.diagonal() += of.noise;
    m.diagonal().array() += pic.leaf_jitter();
    for (Index j = 0; j < points.cols(); ++j) {
      for (Index i = 0; i < m.rows(); ++i)
        if (leaf_of_row[i] == leaf_of_point[j]) between(i, j) = k_points(i, j);
      for (Index i = 0; i < points.cols(); ++i)
        if (leaf_of_point[i] == leaf_of_point[j]) prior(i, j) = own(i, j);
    }
    inverse = Eigen::LLT<Matrix>(m).solve(Matrix::Identity(m.rows(), m.cols()));
    covariance = prior - between.transpose() * inverse * between;
  }
  Indices used, leaf_of_row, leaf_of_point;
  Matrix m, between, prior, inverse, covariance;
};

TEST(products_with_the_kernel_matrix_are_those_of_the_dense_one) {
  for_every_kernel([](const KernelSpec&, Kernel& kernel) {
    const Case of(600);
    const BoundKernel bound(kernel, of.x);
    const Matrix p = random_matrix(600, 3, 9), expected = of.dense(kernel) * p;
    Matrix out(600, 3);
    KernelProduct(bound, of.noise, 0.0, on(1)).multiply(p, out, on(1));
    check_same(out, expected, 1e-11);
  });
}

TEST(kept_blocks_and_threads_change_no_bit_of_a_product) {
  const Index n = 1100;
  const Case of(n);
  const auto kernel = make_kernel(tree("sum", {rbf(), host()}), kDim);
  const auto safe = make_kernel(tree("sum", {rbf(), leaf("linear", {{"variance", {1.4}}})}), kDim);
  for (const Kernel* each : {kernel.get(), safe.get()}) {
    const BoundKernel bound(*each, of.x);
    const Matrix p = random_matrix(n, 2, 9);
    Matrix first(n, 2), again(n, 2);
    KernelProduct(bound, of.noise, 0.0, on(1)).multiply(p, first, on(1));
    for (const double bytes : {0.0, 8.0 * 2e5, kAll})
      for (const int threads : {1, 2, 4}) {
        const KernelProduct product(bound, of.noise, bytes, on(threads));
        CHECK((product.kept_share() > 0.0) == (bytes > 0.0));
        CHECK((product.kept_share() == 1.0) == (bytes == kAll));
        product.multiply(p, again, on(threads));
        CHECK(again == first);
      }
    // One of the right-hand sides alone.
    Matrix alone(n, 1);
    KernelProduct(bound, of.noise, kAll, on(2)).multiply(p.col(1), alone, on(2));
    CHECK(alone.col(0) == first.col(1));
  }
}

TEST(shares_of_a_product_add_up_to_the_bits_of_the_whole) {
  for (const Index n : {Index{60}, Index{1100}, Index{9000}}) {
    const Case of(n);
    const auto kernel = make_kernel(rbf(), kDim);
    const BoundKernel bound(*kernel, of.x);
    const Matrix p = random_matrix(n, 2, 9);
    Matrix whole(n, 2);
    KernelProduct(bound, of.noise, 0.0, on(2)).multiply(p, whole, on(2));
    for (const Index shares : {1, 2, 3, 8, 16, 20}) {
      PairwiseSum sum;
      double kept = 0.0;
      for (Index share = 0; share < shares; ++share) {
        const std::vector<SliceRange> own = slices_of_share(share, shares);
        const double bytes = share % 2 == 0 ? kAll : 0.0;
        const KernelProduct product(bound, of.noise, bytes, on(1), own);
        kept += product.kept_share();
        for (const SliceRange& range : own) sum.add(product.multiply_slices(range, p, on(1)));
      }
      CHECK(sum.total() == whole);
      CHECK(kept > 0.0 || n == 60);
      CHECK(shares > 1 || kept == 1.0);
    }
  }
}

TEST(shares_of_a_product_are_all_slices_in_their_order) {
  for (Index shares = 1; shares <= 40; ++shares) {
    Index next = 0, ranges = 0;
    for (Index share = 0; share < shares; ++share)
      for (const SliceRange& range : slices_of_share(share, shares)) {
        CHECK(range.first == next && range.first % range.count == 0);
        next += range.count;
        ++ranges;
      }
    CHECK(next == kProductSlices);
    CHECK((ranges & (ranges - 1)) == 0);
  }
  CHECK_THROWS(slices_of_share(2, 2), InvalidSpec);
}

TEST(the_preconditioner_is_the_dense_matrix) {
  for_every_kernel([](const KernelSpec& spec, Kernel& kernel) {
    const Case of;
    const BoundKernel bound(kernel, of.x);
    PicPreconditioner pic(bound, of.noise, of.inducing, of.leaves, on(1));
    // Rows of noise, or of levels that all differ, share nothing, mapped or not.
    const std::string& type =
        spec.type == "warped" || spec.type == "mixed" ? spec.children[0].type : spec.type;
    CHECK(pic.inducing_size() > 0 || type == "white" || type == "gap_noise" ||
          type == "categorical");
    const Matrix points = random_matrix(kDim, 15, 8);
    const DensePic dense(kernel, of, pic, points);
    Matrix r = random_matrix(60, 3, 11);
    const Matrix expected = dense.inverse * r;
    pic.solve(r, 2);
    check_same(r, expected, 1e-10);
    check_same(pic.inverse_diagonal(on(2)), dense.inverse.diagonal(), 1e-10);
    const Eigen::LLT<Matrix> factor(dense.m);
    const double log_determinant = 2.0 * Matrix(factor.matrixL()).diagonal().array().log().sum();
    CHECK_NEAR(pic.log_determinant(), log_determinant, 1e-10);

    // Draws from N(0, M): the map from standard normal numbers is a root of M.
    const Index m = pic.inducing_size();
    const Matrix root = pic.draws(Matrix::Identity(m + 60, m + 60));
    check_same(root * root.transpose(), dense.m, 1e-10);

    // Variances and covariances of predictions, posterior/theory.md (15) to (17).
    SparsePosterior posterior;
    posterior.local = pic.take_variance();
    posterior.local.tree = of.tree;
    for (Index i = 0; i < 60; ++i) posterior.basis.push_back(i);
    posterior.weights = Vector::Zero(60);
    Matrix mean(15, 1), variance(15, 1);
    predict_marginals(kernel, of.x, {posterior}, points, true, mean, variance, on(2));
    check_same(variance, dense.covariance.diagonal(), 1e-10);
    check_same(joint_covariances(kernel, of.x, {posterior}, points, on(2))[0], dense.covariance,
               1e-10);
  });
}

TEST(the_weights_are_those_of_the_cholesky_factor) {
  for_every_kernel([](const KernelSpec&, Kernel& kernel) {
    const Case of(150);
    const Eigen::LLT<Matrix> factor(of.dense(kernel));
    const Vector expected = factor.solve(of.y);
    const Matrix points = random_matrix(kDim, 15, 8);
    const Matrix k = cross(kernel, points, of.x);
    for (const auto& goal : {std::make_pair(1e-8, 1e-6), std::make_pair(1e-12, 1e-10)}) {
      ExactOptions options;
      options.tree = of.tree;
      options.inducing = 30;
      options.tol = goal.first;
      options.probes = 3;
      const ExactSolution found = solve_exactly(kernel, of.x, of.y, of.noise, options, on(2));
      CHECK(found.converged && found.residual <= 1.5 * goal.first);
      check_same(k * found.weights, k * expected, goal.second);
    }
  });
}

TEST(threads_and_memory_change_no_bit_of_a_solution) {
  const Case of(700);
  const auto kernel =
      make_kernel(tree("sum", {rbf(), leaf("linear", {{"variance", {1.4}}})}), kDim);
  ExactOptions options;
  options.tree = of.tree;
  options.inducing = 80;
  options.probes = 2;
  const ExactSolution first = solve_exactly(*kernel, of.x, of.y, of.noise, options, on(1));
  for (const double bytes : {0.0, 8.0 * 2e5, kAll})
    for (const int threads : {1, 2, 4}) {
      options.max_bytes = bytes;
      const ExactSolution again =
          solve_exactly(*kernel, of.x, of.y, of.noise, options, on(threads));
      CHECK(again.weights == first.weights && again.inverse_diagonal == first.inverse_diagonal);
      CHECK(again.log_determinant.value == first.log_determinant.value);
      CHECK(again.variance.factor == first.variance.factor && again.steps == first.steps);
    }
  // Probes share the products and change nothing of the weights.
  options.probes = 0;
  CHECK(solve_exactly(*kernel, of.x, of.y, of.noise, options, on(2)).weights == first.weights);
}

TEST(the_log_determinant_is_within_its_standard_error) {
  const Case of(400);
  const auto kernel =
      make_kernel(tree("sum", {rbf({0.3}), leaf("constant", {{"variance", {1}}})}), kDim);
  const Eigen::LLT<Matrix> factor(of.dense(*kernel));
  const double expected = 2.0 * Matrix(factor.matrixL()).diagonal().array().log().sum();
  ExactOptions options;
  options.tree = of.tree;
  options.inducing = 40;
  options.probes = 20;
  double outside = 0.0, pic = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    options.seed = seed;
    const ExactSolution found = solve_exactly(*kernel, of.x, of.y, of.noise, options, on(2));
    const double error = found.log_determinant.value - expected;
    CHECK(found.log_determinant.standard_error > 0.0);
    CHECK(std::abs(error) < 4.0 * found.log_determinant.standard_error);
    if (std::abs(error) > 2.0 * found.log_determinant.standard_error) outside += 1.0;
    // That of the preconditioner alone is much farther off.
    options.probes = 0;
    pic = solve_exactly(*kernel, of.x, of.y, of.noise, options, on(2)).log_determinant.value;
    CHECK(std::abs(pic - expected) > 5.0 * std::abs(error));
    options.probes = 20;
  }
  CHECK(outside <= 3.0);
}

TEST(degenerate_cases_are_solved) {
  const auto kernel = make_kernel(rbf(), kDim);
  const auto solved = [&](const Case& of, const ExactOptions& options, double tolerance) {
    const ExactSolution found = solve_exactly(*kernel, of.x, of.y, of.noise, options, on(2));
    CHECK(found.converged);
    const Matrix k = gram(*kernel, of.x);
    const Vector expected = Eigen::LLT<Matrix>(of.dense(*kernel)).solve(of.y);
    check_same(k * found.weights, k * expected, tolerance);
    return found;
  };
  ExactOptions options;
  options.tol = 1e-10;
  {  // One leaf: the preconditioner is the matrix, and one step is enough.
    const Case of;
    options.tree = PartitionTree(kDim);
    options.inducing = 10;
    const ExactSolution found = solved(of, options, 1e-8);
    CHECK(found.steps <= 2);
    const Eigen::LLT<Matrix> factor(of.dense(*kernel));
    CHECK_NEAR(found.log_determinant.value,
               2.0 * Matrix(factor.matrixL()).diagonal().array().log().sum(), 1e-8);
  }
  {  // No inducing rows: leaves alone.
    const Case of;
    options.tree = of.tree;
    options.inducing = 0;
    solved(of, options, 1e-8);
  }
  {  // More inducing rows than rows.
    const Case of;
    options.tree = of.tree;
    options.inducing = 1000;
    CHECK(solved(of, options, 1e-8).steps <= 10);
  }
  {  // One row.
    const Case of(1);
    options.tree = PartitionTree(kDim);
    options.inducing = 5;
    solved(of, options, 1e-12);
  }
  {  // Equal rows.
    Case of;
    of.x = of.x.col(0).replicate(1, 60);
    options.tree = PartitionTree(kDim);
    solved(of, options, 1e-8);
  }
  {  // Nearly no noise: solved where the preconditioner is near, and otherwise said not to be.
    Case of(150, 1e-8);
    of.y = (3.0 * of.x.row(0) + of.x.row(1)).array().sin().transpose();
    options.tree = of.tree;
    options.tol = 1e-6;
    options.max_steps = 50;
    for (const Index inducing : {150, 40}) {
      options.inducing = inducing;
      const ExactSolution found = solve_exactly(*kernel, of.x, of.y, of.noise, options, on(2));
      CHECK(found.converged == (inducing == 150));
      CHECK(found.converged == (found.residual <= 1.5 * options.tol));
      CHECK(found.weights.allFinite() && (found.inverse_diagonal.array() > 0.0).all());
    }
  }
}

TEST(what_cannot_be_solved_is_refused) {
  const Case of;
  const auto kernel = make_kernel(rbf(), kDim);
  ExactOptions options;
  options.tree = PartitionTree(kDim);
  Vector none = of.noise;
  none(3) = 0.0;
  CHECK_THROWS(solve_exactly(*kernel, of.x, of.y, none, options, on(1)), InvalidSpec);
  options.tol = 0.0;
  CHECK_THROWS(solve_exactly(*kernel, of.x, of.y, of.noise, options, on(1)), InvalidSpec);
  options.tol = 1e-10;
  options.tree = of.tree;
  options.inducing = 2;
  options.max_steps = 1;
  CHECK(!solve_exactly(*kernel, of.x, of.y, of.noise, options, on(1)).converged);
}

TEST(an_interrupt_ends_a_solution) {
  const Case of(300);
  const auto kernel = make_kernel(rbf(), kDim);
  ExactOptions options;
  options.tree = of.tree;
  struct Stop {};
  for (const int after : {1, 4, 8}) {
    int polls = 0;
    Context ctx = on(2);
    ctx.poll = [&] {
      if (++polls == after) throw Stop();
    };
    CHECK_THROWS(solve_exactly(*kernel, of.x, of.y, of.noise, options, ctx), Stop);
  }
}

}  // namespace
