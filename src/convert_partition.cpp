#include "convert_partition.h"

#include <utility>

#include "base/error.h"

namespace gpsieve {
namespace {

// In R a side is the number of a cut, counted from 1, or minus the number of a leaf.
int wrap_side(Index side) { return static_cast<int>(side < 0 ? side : side + 1); }
Index side(int number) { return number < 0 ? number : static_cast<Index>(number) - 1; }

}  // namespace

Rcpp::List wrap_tree(const PartitionTree& tree) {
  const R_xlen_t count = static_cast<R_xlen_t>(tree.cuts().size());
  Rcpp::IntegerVector column(count), left(count), right(count);
  Rcpp::NumericVector cut(count), margin(count);
  for (R_xlen_t i = 0; i < count; ++i) {
    const Cut& at = tree.cuts()[i];
    column[i] = static_cast<int>(at.column) + 1;
    cut[i] = at.value;
    margin[i] = at.margin;
    left[i] = wrap_side(at.left);
    right[i] = wrap_side(at.right);
  }
  return Rcpp::List::create(Rcpp::_["column"] = column, Rcpp::_["cut"] = cut,
                            Rcpp::_["margin"] = margin, Rcpp::_["left"] = left,
                            Rcpp::_["right"] = right);
}

PartitionTree tree(const Rcpp::List& list, Index p) {
  const Rcpp::IntegerVector column = list["column"], left = list["left"], right = list["right"];
  const Rcpp::NumericVector cut = list["cut"], margin = list["margin"];
  for (const R_xlen_t size : {left.size(), right.size(), cut.size(), margin.size()})
    if (size != column.size()) throw InvalidSpec("the partition of the fit lacks a part of a cut");
  std::vector<Cut> cuts;
  for (R_xlen_t i = 0; i < column.size(); ++i)
    cuts.push_back(
        {static_cast<Index>(column[i]) - 1, cut[i], margin[i], side(left[i]), side(right[i])});
  return PartitionTree(p, std::move(cuts));
}

}  // namespace gpsieve
