#include "partition/partition_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"

namespace gpsieve {
namespace {

// The spread of a column in a node is that of at most so many of its rows, drawn with replacement.
constexpr Index kSpreadRows = 1024;
// The spread is the distance between the quantiles at this share and at one minus it.
constexpr double kTail = 0.05;
// A cut that leaves at least this share of the rows on either side is taken at once.
constexpr double kBalanced = 0.25;
// Where no column has such a cut the most even one is taken if it leaves this share on either side.
constexpr double kLeast = kTail;
constexpr Index kRoutedRows = 4096;  // rows that a thread routes at a time

struct Candidate {
  Index column = -1;
  double value = 0.0, margin = 0.0;
  double share = 0.0;  // of the node's rows on the smaller side
};

// Distance between the outer quantiles of each column over some rows, in lengthscales.
Vector spreads(Points x, VectorIn scale, const Index* rows, Index size, Rng& rng) {
  const Index count = std::min(size, kSpreadRows);
  Indices drawn(count);
  for (Index i = 0; i < count; ++i) drawn[i] = rows[count == size ? i : rng.below(size)];
  const Index low = static_cast<Index>(kTail * static_cast<double>(count));
  const Index high = count - 1 - low;
  Vector out(x.rows());
  std::vector<double> values(count);
  for (Index j = 0; j < out.size(); ++j) {
    for (Index i = 0; i < count; ++i) values[i] = x(j, drawn[i]);
    std::nth_element(values.begin(), values.begin() + low, values.end());
    const double from = values[low];
    std::nth_element(values.begin() + low, values.begin() + high, values.end());
    out[j] = (values[high] - from) / scale[j];
  }
  return out;
}

Indices all_rows(Index n) {
  Indices rows(n);
  std::iota(rows.begin(), rows.end(), Index{0});
  return rows;
}

class Builder {
 public:
  Builder(Points x, VectorIn scale, const PartitionOptions& options, Rng& rng)
      : x_(x), scale_(scale), options_(options), rng_(rng), rows_(all_rows(x.cols())) {}

  std::vector<Cut> build() {
    struct Node {
      Index begin, end;  // of rows_
      Index parent;      // the cut above; -1: none
      bool left;
    };
    std::vector<Node> open{{0, static_cast<Index>(rows_.size()), -1, true}};
    Index leaves = 0;
    while (!open.empty()) {
      const Node node = open.back();
      open.pop_back();
      const Candidate best = node.end - node.begin > options_.leaf_rows
                                 ? candidate(node.begin, node.end)
                                 : Candidate();
      const Index self = best.column < 0 ? ~leaves++ : static_cast<Index>(cuts_.size());
      if (node.parent >= 0) (node.left ? cuts_[node.parent].left : cuts_[node.parent].right) = self;
      if (self < 0) continue;
      cuts_.push_back({best.column, best.value, best.margin, 0, 0});
      const auto middle =
          std::stable_partition(rows_.begin() + node.begin, rows_.begin() + node.end,
                                [&](Index row) { return x_(best.column, row) <= best.value; });
      const Index cut = middle - rows_.begin();
      open.push_back({cut, node.end, self, false});
      open.push_back({node.begin, cut, self, true});
    }
    return std::move(cuts_);
  }

 private:
  // The columns that differ within the node, in the order in which they are tried.
  Indices order(const Vector& spread) {
    Indices columns;
    for (Index j = 0; j < spread.size(); ++j)
      if (spread[j] > 0.0) columns.push_back(j);
    if (!options_.random_columns) {
      std::stable_sort(columns.begin(), columns.end(),
                       [&](Index a, Index b) { return spread[a] > spread[b]; });
      return columns;
    }
    if (columns.empty()) return columns;
    // Columns drawn one after the other without replacement, with probability in proportion to the
    // squared spread: the order of exponential waiting times with these rates.
    const double largest = spread.maxCoeff();
    Vector waiting(spread.size());
    for (const Index j : columns) {
      const double relative = spread[j] / largest;
      waiting[j] = -std::log1p(-rng_.uniform()) / (relative * relative);
    }
    std::stable_sort(columns.begin(), columns.end(),
                     [&](Index a, Index b) { return waiting[a] < waiting[b]; });
    return columns;
  }

  // The cut of a column that is nearest to the median: between two values that differ, so that
  // equal values stay together.
  Candidate median_cut(Index column, Index begin, Index end) {
    const Index size = end - begin;
    values_.resize(size);
    for (Index i = 0; i < size; ++i) values_[i] = x_(column, rows_[begin + i]);
    const auto middle = values_.begin() + (size - 1) / 2;
    std::nth_element(values_.begin(), middle, values_.end());
    const double median = *middle;
    Index below = 0, equal = 0;
    double before = -std::numeric_limits<double>::infinity(), after = -before;
    for (const double value : values_) {
      if (value < median) {
        ++below;
        before = std::max(before, value);
      } else if (value > median) {
        after = std::min(after, value);
      } else {
        ++equal;
      }
    }
    // The rows with the median's value go to the side where they leave the sides more even.
    const Index above = size - below - equal;
    const bool to_left = std::min(below + equal, above) >= std::min(below, above + equal);
    const Index smaller = to_left ? std::min(below + equal, above) : std::min(below, above + equal);
    if (smaller == 0) return {};
    const double low = to_left ? median : before, high = to_left ? after : median;
    const double half = 0.5 * low + 0.5 * high;
    const double value = half >= low && half < high ? half : low;
    return {column, value, margin(value), static_cast<double>(smaller) / static_cast<double>(size)};
  }

  // The distance from the cut within which the share of the rows lies on either side, the smaller
  // one where the sides differ; of the rows whose values are values_.
  double margin(double cut) {
    const double share = options_.in_margin;
    if (!(share > 0.0)) return 0.0;
    const double last = static_cast<double>(values_.size() - 1);
    const auto quantile = [&](double at_share) {
      const auto at = values_.begin() + static_cast<Index>(std::clamp(at_share, 0.0, 1.0) * last);
      std::nth_element(values_.begin(), at, values_.end());
      return *at;
    };
    const double low = quantile(0.5 - share), high = quantile(0.5 + share);
    return std::max(0.0, std::min(cut - low, high - cut));
  }

  Candidate candidate(Index begin, Index end) {
    Candidate best;
    const Vector spread = spreads(x_, scale_, rows_.data() + begin, end - begin, rng_);
    for (const Index column : order(spread)) {
      const Candidate found = median_cut(column, begin, end);
      if (found.share > best.share) best = found;
      if (best.share >= kBalanced) break;
    }
    return best.share >= kLeast ? best : Candidate();
  }

  Points x_;
  VectorIn scale_;
  const PartitionOptions& options_;
  Rng& rng_;
  Indices rows_;
  std::vector<double> values_;
  std::vector<Cut> cuts_;
};

void require_scales(Points x, VectorIn scale) {
  if (scale.size() != x.rows() || !(scale.array() > 0.0).all())
    throw InvalidSpec("a partition needs a positive lengthscale for each input");
}

// Copies what hangs at a side of a tree, in the order in which build() makes it, with a tree of
// `parts`, if there are any, in the place of each leaf. Returns the side in the copy.
Index copy_side(const PartitionTree& tree, Index side, const std::vector<PartitionTree>* parts,
                std::vector<Cut>& out, Index& leaves) {
  if (side < 0) {
    if (parts == nullptr) return ~leaves++;
    const PartitionTree& part = (*parts)[~side];
    return copy_side(part, part.cuts().empty() ? ~Index{0} : 0, nullptr, out, leaves);
  }
  const std::size_t self = out.size();
  Cut cut = tree.cuts()[side];
  out.push_back(cut);
  cut.left = copy_side(tree, cut.left, parts, out, leaves);
  cut.right = copy_side(tree, cut.right, parts, out, leaves);
  out[self] = cut;
  return static_cast<Index>(self);
}

}  // namespace

double margin_share(Points x, VectorIn scale, double overlap, double rows, Index leaf_rows,
                    Rng& rng) {
  require_scales(x, scale);
  if (!(overlap >= 0.0 && overlap <= 1.0))
    throw InvalidSpec("the overlap of a partition must be a share from 0 to 1");
  const double halvings = std::ceil(std::log2(rows / static_cast<double>(leaf_rows)));
  if (!(overlap > 0.0) || !(halvings > 0.0)) return 0.0;
  const Indices all = all_rows(x.cols());
  const Vector squares = spreads(x, scale, all.data(), x.cols(), rng).array().square();
  const double columns = squares.sum() * squares.sum() / squares.squaredNorm();
  // Without any spread nothing is cut.
  if (!std::isfinite(columns)) return 0.0;
  return 0.5 * std::expm1(std::log1p(overlap / columns) / halvings);
}

PartitionTree PartitionTree::build(Points x, VectorIn scale, const PartitionOptions& options,
                                   Rng& rng) {
  require_scales(x, scale);
  if (!(options.in_margin >= 0.0 && options.in_margin <= 0.5))
    throw InvalidSpec("at most half of a node's rows lie on a side of its cut");
  if (options.leaf_rows < 1) throw InvalidSpec("a leaf must have room for a row");
  PartitionTree tree(x.rows());
  tree.cuts_ = Builder(x, scale, options, rng).build();
  return tree;
}

PartitionTree::PartitionTree(Index p, std::vector<Cut> cuts) : p_(p), cuts_(std::move(cuts)) {
  // The walk of build(), from the left to the right: what comes next is known at every side.
  const Index count = static_cast<Index>(cuts_.size());
  Index next_cut = 1, next_leaf = 0;
  std::vector<Index> open;
  const auto visit = [&](Index side) {
    const bool expected = side < 0 ? ~side == next_leaf++ : side == next_cut++;
    if (!expected || side >= count) throw InvalidSpec("the partition of the fit is not a tree");
    if (side >= 0) open.push_back(side);
  };
  if (count > 0) open.push_back(0);
  // A cut is visited twice: first its left side, with all that hangs there, then its right side.
  std::vector<char> left_done(count, 0);
  while (!open.empty()) {
    const Index at = open.back();
    const Cut& cut = cuts_[at];
    if (cut.column < 0 || cut.column >= p_ || !std::isfinite(cut.value) || !(cut.margin >= 0.0))
      throw InvalidSpec("a cut of the fit's partition is damaged");
    if (left_done[at]) {
      open.pop_back();
      visit(cut.right);
    } else {
      left_done[at] = 1;
      visit(cut.left);
    }
  }
  if (next_leaf != (count > 0 ? count + 1 : 0) || next_cut != std::max<Index>(count, 1))
    throw InvalidSpec("the partition of the fit is not a tree");
}

PartitionTree PartitionTree::grafted(const std::vector<PartitionTree>& parts) const {
  if (static_cast<Index>(parts.size()) != leaf_count())
    throw InvalidSpec("every leaf of a partition needs a tree in its place");
  std::vector<Cut> cuts;
  Index leaves = 0;
  copy_side(*this, cuts_.empty() ? ~Index{0} : 0, &parts, cuts, leaves);
  return PartitionTree(p_, std::move(cuts));
}

Index PartitionTree::leaf_of(VectorIn row) const {
  if (cuts_.empty()) return 0;
  Index at = 0;
  while (at >= 0) {
    const Cut& cut = cuts_[at];
    at = row[cut.column] <= cut.value ? cut.left : cut.right;
  }
  return ~at;
}

Indices PartitionTree::leaves_of(Points x, int threads) const {
  if (x.rows() != p_) throw InvalidSpec("the rows and the partition differ in width");
  Indices out(x.cols());
  parallel_blocks(threads, x.cols(), kRoutedRows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) out[i] = leaf_of(x.col(i));
  });
  return out;
}

// theory.md (4)
void PartitionTree::add_visits(VectorIn row, Index number, std::vector<Visit>& out) const {
  struct Side {
    Index at;
    double weight;
  };
  std::vector<Side> open{{cuts_.empty() ? ~Index{0} : 0, 1.0}};
  while (!open.empty()) {
    const Side side = open.back();
    open.pop_back();
    if (side.at < 0) {
      out.push_back({number, ~side.at, side.weight});
      continue;
    }
    const Cut& cut = cuts_[side.at];
    const double distance = row[cut.column] - cut.value;
    double right = distance <= 0.0 ? 0.0 : 1.0;
    if (std::abs(distance) < cut.margin) {
      const double t = 0.5 + 0.5 * (distance / cut.margin);
      right = t * t * (3.0 - 2.0 * t);
    }
    if (right > 0.0) open.push_back({cut.right, side.weight * right});
    if (right < 1.0) open.push_back({cut.left, side.weight * (1.0 - right)});
  }
}

std::vector<Visit> PartitionTree::visits_of(Points x, int threads) const {
  if (x.rows() != p_) throw InvalidSpec("the rows and the partition differ in width");
  const Index n = x.cols(), blocks = (n + kRoutedRows - 1) / kRoutedRows;
  std::vector<std::vector<Visit>> of_block(blocks);
  parallel_blocks(threads, n, kRoutedRows, [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) add_visits(x.col(i), i, of_block[begin / kRoutedRows]);
  });
  // Counting sort by leaf, which keeps the rows of a leaf in order.
  Indices next(leaf_count() + 1, 0);
  for (const auto& visits : of_block)
    for (const Visit& visit : visits) ++next[visit.machine + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Visit> out(next.back());
  for (const auto& visits : of_block)
    for (const Visit& visit : visits) out[next[visit.machine]++] = visit;
  return out;
}

std::vector<Visit> visits_of(const std::vector<PartitionTree>& trees, Points x, int threads) {
  std::vector<Visit> out;
  Index before = 0;
  for (const PartitionTree& tree : trees) {
    for (Visit visit : tree.visits_of(x, threads)) {
      visit.machine += before;
      out.push_back(visit);
    }
    before += tree.leaf_count();
  }
  return out;
}

std::vector<Indices> rows_by_leaf(const Indices& leaf_of_row, Index leaf_count) {
  std::vector<Indices> out(leaf_count);
  for (Index i = 0; i < static_cast<Index>(leaf_of_row.size()); ++i)
    out[leaf_of_row[i]].push_back(i);
  return out;
}

}  // namespace gpsieve
