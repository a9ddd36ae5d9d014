// The tree of a partition: its laws on ordinary, tied and degenerate rows.
#include <algorithm>
#include <limits>

#include "base/error.h"
#include "check.h"
#include "dense_reference.h"
#include "partition/partition_tree.h"

using namespace gpsieve;

namespace {

PartitionTree tree_of(const Matrix& x, const Vector& scale, Index leaf_rows, bool random = false,
                      std::uint64_t seed = 1) {
  Rng rng(seed);
  return PartitionTree::build(x, scale, {leaf_rows, random, 0.0}, rng);
}

PartitionTree tree_of(const Matrix& x, Index leaf_rows, bool random = false) {
  return tree_of(x, Vector::Ones(x.rows()), leaf_rows, random);
}

std::vector<Index> sizes(const PartitionTree& tree, const Matrix& x) {
  std::vector<Index> out;
  for (const Indices& rows : rows_by_leaf(tree.leaves_of(x), tree.leaf_count()))
    out.push_back(static_cast<Index>(rows.size()));
  return out;
}

bool same_cuts(const std::vector<Cut>& a, const std::vector<Cut>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Cut& s, const Cut& t) {
    return s.column == t.column && s.value == t.value && s.left == t.left && s.right == t.right &&
           s.margin == t.margin;
  });
}

}  // namespace

TEST(partition_every_row_is_in_one_leaf_of_the_size_asked_for) {
  const Matrix x = dense::points(3, 2000, 1);
  for (const bool random : {false, true})
    for (const Index leaf_rows : {1, 7, 100, 1000}) {
      const PartitionTree tree = tree_of(x, leaf_rows, random);
      const std::vector<Index> found = sizes(tree, x);
      Index total = 0;
      for (const Index size : found) {
        // Halves of a node with more than leaf_rows rows.
        CHECK(size >= (leaf_rows + 1) / 2 && size <= leaf_rows);
        total += size;
      }
      CHECK(total == 2000);
      CHECK(static_cast<Index>(found.size()) == tree.leaf_count());
    }
}

TEST(partition_rows_of_a_leaf_are_those_that_the_cuts_leave) {
  const Matrix x = dense::points(4, 500, 2);
  const PartitionTree tree = tree_of(x, 40);
  const Indices leaf = tree.leaves_of(x);
  // Every cut divides the rows of the leaves below it: those on its left have smaller values.
  for (Index c = 0; c < static_cast<Index>(tree.cuts().size()); ++c) {
    const Cut& cut = tree.cuts()[c];
    const auto below = [&](Index side) {
      std::vector<char> leaves(tree.leaf_count(), 0);
      Indices open{side};
      while (!open.empty()) {
        const Index at = open.back();
        open.pop_back();
        if (at < 0) {
          leaves[~at] = 1;
        } else {
          open.push_back(tree.cuts()[at].left);
          open.push_back(tree.cuts()[at].right);
        }
      }
      return leaves;
    };
    const auto left = below(cut.left), right = below(cut.right);
    Index on_left = 0, on_right = 0;
    for (Index i = 0; i < x.cols(); ++i) {
      if (left[leaf[i]]) CHECK(x(cut.column, i) <= cut.value), ++on_left;
      if (right[leaf[i]]) CHECK(x(cut.column, i) > cut.value), ++on_right;
    }
    CHECK(std::abs(on_left - on_right) <= 1);
  }
}

TEST(partition_cuts_the_column_with_the_largest_spread_in_lengthscales) {
  Matrix x = dense::points(2, 1000, 3);
  x.row(1) *= 3.0;
  CHECK(tree_of(x, 500).cuts()[0].column == 1);
  CHECK(tree_of(x, Eigen::Vector2d(1.0, 10.0), 500).cuts()[0].column == 0);
  CHECK(tree_of(x, Eigen::Vector2d(std::numeric_limits<double>::infinity(), 10.0), 500)
            .cuts()[0]
            .column == 1);
  // Far rows do not make a spread.
  x(0, 17) = 1e6;
  CHECK(tree_of(x, 500).cuts()[0].column == 1);
}

TEST(partition_columns_are_drawn_in_proportion_to_the_squared_spread) {
  Matrix x = dense::points(2, 400, 4);
  x.row(1) *= 2.0;
  Index first = 0;
  const Index draws = 2000;
  for (Index s = 0; s < draws; ++s)
    first +=
        tree_of(x, Vector::Ones(2), 200, true, static_cast<std::uint64_t>(s)).cuts()[0].column == 0;
  CHECK_NEAR(static_cast<double>(first) / static_cast<double>(draws), 0.2, 0.04);
}

TEST(partition_does_not_depend_on_units_or_threads) {
  const Matrix x = dense::points(3, 20000, 5);
  const Vector scale = Eigen::Vector3d(1.0, 0.7, 2.0);
  const PartitionTree tree = tree_of(x, scale, 300, true);
  Matrix stretched = x;
  stretched.row(1) *= 8.0;
  Vector longer = scale;
  longer[1] *= 8.0;
  const PartitionTree other = tree_of(stretched, longer, 300, true);
  CHECK(tree.leaves_of(x) == other.leaves_of(stretched));
  CHECK(tree.leaves_of(x, 1) == tree.leaves_of(x, 4));
  CHECK(same_cuts(tree.cuts(), tree_of(x, scale, 300, true).cuts()));
  CHECK(!same_cuts(tree.cuts(), tree_of(x, scale, 300, true, 2).cuts()));
}

TEST(partition_mirrored_rows_have_mirrored_leaves) {
  const Matrix x = dense::points(2, 1024, 6);
  const PartitionTree tree = tree_of(x, 100), mirrored = tree_of(-x, 100);
  const Indices a = tree.leaves_of(x), b = mirrored.leaves_of(-x);
  for (Index i = 0; i < x.cols(); ++i) CHECK(b[i] == tree.leaf_count() - 1 - a[i]);
}

TEST(partition_equal_rows_stay_together) {
  Matrix x(2, 900);
  for (Index i = 0; i < x.cols(); ++i) {
    x(0, i) = static_cast<double>(i % 3);
    x(1, i) = 5.0;  // constant
  }
  const PartitionTree tree = tree_of(x, 10);
  CHECK(tree.leaf_count() == 3);
  for (const Index size : sizes(tree, x)) CHECK(size == 300);
  // A cut lies between two values, so that new values have a nearest side.
  CHECK_NEAR(tree.cuts()[0].value, std::round(tree.cuts()[0].value - 0.5) + 0.5, 0.0);
  x.setConstant(1.0);
  CHECK(tree_of(x, 10).leaf_count() == 1);
  CHECK(tree_of(x, 10, true).leaf_count() == 1);
}

TEST(partition_uneven_indicators_are_cut_where_nothing_else_can_be) {
  Matrix x = Matrix::Zero(2, 1000);
  x.row(0).head(100).setOnes();  // a tenth of the rows
  x.row(1).head(30).setOnes();   // too rare to be cut
  const PartitionTree tree = tree_of(x, 50);
  CHECK(tree.leaf_count() == 3);  // rare among all rows, not among the hundred
  CHECK(tree.cuts()[0].column == 0 && tree.cuts()[1].column == 1);
  CHECK(sizes(tree, x) == (std::vector<Index>{900, 70, 30}));
  // An even cut goes first, though its spread is smaller.
  Matrix with_number(3, 1000);
  with_number.topRows(2) = x;
  with_number.row(2) = 0.01 * dense::points(1, 1000, 7);
  CHECK(tree_of(with_number, 500).cuts()[0].column == 2);
}

TEST(partition_of_few_rows_is_one_leaf) {
  const Matrix x = dense::points(2, 50, 8);
  CHECK(tree_of(x, 50).leaf_count() == 1);
  CHECK(tree_of(x, 49).leaf_count() == 2);
  CHECK(tree_of(Matrix(2, 0), 10).leaf_count() == 1);
  CHECK(PartitionTree(2).leaf_of(Vector::Zero(2)) == 0);
}

TEST(partition_routes_neighbouring_and_extreme_numbers) {
  Matrix x(1, 4);
  x << 1.0, std::nextafter(1.0, 2.0), 1.0, std::nextafter(1.0, 2.0);
  CHECK(tree_of(x, 2).leaf_count() == 2);
  CHECK(sizes(tree_of(x, 2), x) == (std::vector<Index>{2, 2}));
  x << -1e308, 1e308, -1e308, 1e308;
  const PartitionTree far = tree_of(x, Vector::Constant(1, 1e10), 2);
  CHECK(far.leaf_count() == 2 && far.cuts()[0].value == 0.0);
  CHECK(far.leaf_of(Vector::Constant(1, std::nan(""))) == 1);
}

TEST(partition_comes_back_from_its_cuts_and_damaged_cuts_are_refused) {
  const Matrix x = dense::points(3, 600, 9);
  const PartitionTree tree = tree_of(x, 50);
  CHECK(PartitionTree(3, tree.cuts()).leaves_of(x) == tree.leaves_of(x));
  CHECK_THROWS(PartitionTree(1, tree.cuts()), InvalidSpec);
  for (std::size_t c = 0; c < tree.cuts().size(); ++c)
    for (int damage = 0; damage < 7; ++damage) {
      std::vector<Cut> cuts = tree.cuts();
      if (damage == 0) cuts[c].column = -1;
      if (damage == 1) cuts[c].value = std::nan("");
      if (damage == 2) cuts[c].left = 0;
      if (damage == 3) cuts[c].right = static_cast<Index>(cuts.size());
      if (damage == 4) std::swap(cuts[c].left, cuts[c].right);
      if (damage == 5) cuts.pop_back();
      if (damage == 6) cuts[c].margin = -1.0;
      CHECK_THROWS(PartitionTree(3, cuts), InvalidSpec);
    }
}

namespace {

PartitionTree with_margins(const Matrix& x, Index leaf_rows, double overlap) {
  Rng rng(1), apart(1);
  const Vector scale = Vector::Ones(x.rows());
  const double share =
      margin_share(x, scale, overlap, static_cast<double>(x.cols()), leaf_rows, apart);
  return PartitionTree::build(x, scale, {leaf_rows, false, share}, rng);
}

Vector weights_of(const PartitionTree& tree, const Vector& row) {
  Vector out = Vector::Zero(tree.leaf_count());
  for (const Visit& visit : tree.visits_of(row)) out[visit.machine] += visit.weight;
  return out;
}

}  // namespace

TEST(partition_without_margins_every_row_visits_its_leaf) {
  const Matrix x = dense::points(3, 9000, 11);  // more than a thread routes at a time
  const PartitionTree tree = tree_of(x, 500);
  const Indices leaf = tree.leaves_of(x);
  const std::vector<Visit> visits = tree.visits_of(x);
  CHECK(static_cast<Index>(visits.size()) == x.cols());
  for (std::size_t v = 0; v < visits.size(); ++v) {
    CHECK(visits[v].machine == leaf[visits[v].row] && visits[v].weight == 1.0);
    if (v == 0 || visits[v].machine != visits[v - 1].machine) continue;
    CHECK(visits[v].row > visits[v - 1].row);
  }
}

TEST(partition_machines_of_several_trees_follow_each_other) {
  const Matrix x = dense::points(2, 300, 13);
  const std::vector<PartitionTree> trees = {with_margins(x, 60, 0.4), tree_of(x, 100)};
  const std::vector<Visit> all = visits_of(trees, x);
  std::size_t v = 0;
  Index before = 0;
  for (const PartitionTree& tree : trees) {
    for (const Visit& visit : tree.visits_of(x)) {
      CHECK(v < all.size() && all[v].machine == before + visit.machine);
      CHECK(all[v].row == visit.row && all[v].weight == visit.weight);
      ++v;
    }
    before += tree.leaf_count();
  }
  CHECK(v == all.size());
}

TEST(partition_weights_add_up_to_one_and_change_gradually_at_the_cuts) {
  const Matrix x = dense::points(2, 4000, 12);
  const PartitionTree tree = with_margins(x, 500, 0.4);
  const Indices leaf = tree.leaves_of(x);
  for (Index i = 0; i < 200; ++i) {
    const Vector weight = weights_of(tree, x.col(i));
    CHECK_NEAR(weight.sum(), 1.0, 1e-14);
    CHECK(weight[leaf[i]] > 0.0);
  }
  for (const Cut& cut : tree.cuts()) {
    Vector at = x.col(17);
    double largest = 0.0;
    Vector before;
    // Steps of a hundredth of the margin: the weight changes by at most 1.5 / 200 of its range.
    for (int step = -120; step <= 120; ++step) {
      at[cut.column] = cut.value + 0.01 * step * cut.margin;
      const Vector now = weights_of(tree, at);
      if (step > -120) largest = std::max(largest, (now - before).cwiseAbs().maxCoeff());
      before = now;
    }
    CHECK(largest < 0.02);
  }
}

TEST(partition_at_a_cut_both_sides_count_alike_and_beyond_the_margin_one) {
  const Matrix x = dense::points(1, 1000, 13);
  const PartitionTree tree = with_margins(x, 500, 0.2);
  const Cut& cut = tree.cuts()[0];
  const auto weight = [&](double value) { return weights_of(tree, Vector::Constant(1, value)); };
  CHECK_NEAR(weight(cut.value)[0], 0.5, 1e-14);
  CHECK(weight(cut.value - cut.margin) == Eigen::Vector2d(1.0, 0.0));
  CHECK(weight(cut.value + cut.margin) == Eigen::Vector2d(0.0, 1.0));
  CHECK_NEAR(weight(cut.value + 0.3 * cut.margin)[0], weight(cut.value - 0.3 * cut.margin)[1],
             1e-14);
}

TEST(partition_overlap_is_the_share_of_rows_that_visit_twice) {
  for (const Index leaf_rows : {5000, 2500, 1250}) {
    const Matrix x = dense::points(1, 10000, 14);
    const double visits = static_cast<double>(with_margins(x, leaf_rows, 0.3).visits_of(x).size());
    // The margin is that of the side where it is smaller: a little less than asked for.
    CHECK(visits > 1.2 * 10000 && visits <= 1.31 * 10000);
  }
  // Of two columns with the same spread each has half of it.
  const Matrix both = dense::points(2, 10000, 15);
  const double visits = static_cast<double>(with_margins(both, 2500, 0.3).visits_of(both).size());
  CHECK(visits > 1.1 * 10000 && visits <= 1.16 * 10000);
}

TEST(partition_margins_leave_the_cuts_as_they_are) {
  const Matrix x = dense::points(3, 5000, 16);
  for (const bool random : {false, true}) {
    Rng one(3), other(3);
    const auto plain = PartitionTree::build(x, Vector::Ones(3), {300, random, 0.0}, one).cuts();
    auto wide = PartitionTree::build(x, Vector::Ones(3), {300, random, 0.05}, other).cuts();
    for (Cut& cut : wide) {
      CHECK(cut.margin > 0.0);
      cut.margin = 0.0;
    }
    CHECK(same_cuts(plain, wide));
  }
}

TEST(partition_columns_of_few_values_need_no_margin_that_holds_rows) {
  Matrix x(1, 1000);
  for (Index i = 0; i < x.cols(); ++i) x(0, i) = static_cast<double>(i % 4);
  const PartitionTree tree = with_margins(x, 300, 0.5);
  CHECK(tree.leaf_count() == 4);
  for (const Visit& visit : tree.visits_of(x)) CHECK(visit.weight == 1.0);
}

TEST(partition_grafted_trees_divide_the_leaves) {
  const Matrix x = dense::points(3, 4000, 17);
  const PartitionTree coarse = tree_of(x, 1500);
  const auto rows = rows_by_leaf(coarse.leaves_of(x), coarse.leaf_count());
  std::vector<PartitionTree> parts;
  for (const Indices& own : rows) {
    Matrix part(3, static_cast<Index>(own.size()));
    for (Index i = 0; i < part.cols(); ++i) part.col(i) = x.col(own[i]);
    parts.push_back(tree_of(part, 300));
  }
  const PartitionTree whole = coarse.grafted(parts);
  // The leaf of a row is that of its part's tree, after the leaves of the parts before.
  for (Index i = 0; i < x.cols(); ++i) {
    const Index part = coarse.leaf_of(x.col(i));
    Index before = 0;
    for (Index t = 0; t < part; ++t) before += parts[t].leaf_count();
    CHECK(whole.leaf_of(x.col(i)) == before + parts[part].leaf_of(x.col(i)));
  }
  const std::vector<PartitionTree> none(coarse.leaf_count(), PartitionTree(3));
  CHECK(same_cuts(coarse.grafted(none).cuts(), coarse.cuts()));
  CHECK(same_cuts(PartitionTree(3).grafted({whole}).cuts(), whole.cuts()));
  CHECK_THROWS(coarse.grafted({whole}), InvalidSpec);
}

TEST(partition_refuses_scales_that_are_not_positive) {
  const Matrix x = dense::points(2, 10, 10);
  CHECK_THROWS(tree_of(x, Eigen::Vector2d(1.0, 0.0), 5), InvalidSpec);
  CHECK_THROWS(tree_of(x, Eigen::Vector2d(1.0, std::nan("")), 5), InvalidSpec);
  CHECK_THROWS(tree_of(x, Vector::Ones(3), 5), InvalidSpec);
  CHECK_THROWS(tree_of(x, 0), InvalidSpec);
  CHECK_THROWS(with_margins(x, 5, -0.1), InvalidSpec);
  CHECK_THROWS(tree_of(x, 5).leaves_of(dense::points(3, 4, 1)), InvalidSpec);
}
