#include <Rcpp.h>

#include <limits>

#include "base/error.h"
#include "base/rng.h"
#include "context_r.h"
#include "convert.h"
#include "convert_partition.h"
#include "convert_posterior.h"
#include "convert_problem.h"
#include "partition/partition_tree.h"
#include "posterior/mixture.h"

using namespace gpsieve;

namespace {

std::vector<PartitionTree> all_trees(const Rcpp::List& lists, Index p) {
  std::vector<PartitionTree> out;
  for (R_xlen_t i = 0; i < lists.size(); ++i) out.push_back(tree(lists[i], p));
  return out;
}

Rcpp::List wrap_visits(const std::vector<Visit>& visits) {
  const R_xlen_t count = static_cast<R_xlen_t>(visits.size());
  Rcpp::IntegerVector row(count), machine(count);
  Rcpp::NumericVector weight(count);
  for (R_xlen_t i = 0; i < count; ++i) {
    row[i] = static_cast<int>(visits[i].row) + 1;
    machine[i] = static_cast<int>(visits[i].machine) + 1;
    weight[i] = visits[i].weight;
  }
  return Rcpp::List::create(Rcpp::_["row"] = row, Rcpp::_["machine"] = machine,
                            Rcpp::_["weight"] = weight);
}

std::vector<Visit> visits(const Rcpp::List& list, Index rows, Index machines) {
  const Rcpp::IntegerVector row = list["row"], machine = list["machine"];
  const Rcpp::NumericVector weight = list["weight"];
  std::vector<Visit> out;
  for (R_xlen_t i = 0; i < row.size(); ++i) {
    if (row[i] < 1 || row[i] > rows || machine[i] < 1 || machine[i] > machines)
      throw InvalidSpec("a row asks a machine that the fit does not have");
    out.push_back({static_cast<Index>(row[i]) - 1, static_cast<Index>(machine[i]) - 1, weight[i]});
  }
  return out;
}

}  // namespace

// A tree on the rows of x, whose columns are in units of `scale`.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_partition_tree(Rcpp::NumericMatrix x, Rcpp::NumericVector scale, Rcpp::List options,
                               double seed, double stream) {
  Rng rng(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(stream));
  const PartitionOptions chosen{static_cast<Index>(Rcpp::as<double>(options["leaf_rows"])),
                                Rcpp::as<bool>(options["random_columns"]),
                                Rcpp::as<double>(options["in_margin"])};
  return wrap_tree(PartitionTree::build(points(x), vector(scale), chosen, rng));
}

// The share of a node's rows on either side of its cut that visit both sides; x holds some of the
// `rows` rows that are divided.
// [[Rcpp::export(rng = false)]]
double core_margin_share(Rcpp::NumericMatrix x, Rcpp::NumericVector scale, double overlap,
                         double rows, double leaf_rows, double seed, double stream) {
  Rng rng(static_cast<std::uint64_t>(seed), static_cast<std::uint64_t>(stream));
  return margin_share(points(x), vector(scale), overlap, rows, static_cast<Index>(leaf_rows), rng);
}

// A tree on p columns with a tree in the place of each of its leaves.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_grafted_tree(Rcpp::List coarse, Rcpp::List parts, int p) {
  return wrap_tree(tree(coarse, p).grafted(all_trees(parts, p)));
}

// The leaf that each row of x belongs to, from 1.
// [[Rcpp::export(rng = false)]]
Rcpp::IntegerVector core_leaves(Rcpp::List one, Rcpp::NumericMatrix x, Rcpp::List settings) {
  const Matrix rows = points(x);
  const Indices leaves = tree(one, rows.rows()).leaves_of(rows, context(settings).threads);
  Rcpp::IntegerVector out(static_cast<R_xlen_t>(leaves.size()));
  for (R_xlen_t i = 0; i < out.size(); ++i) out[i] = static_cast<int>(leaves[i]) + 1;
  return out;
}

// Which machines the rows of x ask, with which weights: list(row, machine, weight), in order of the
// machines, those of the first tree first.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_visits(Rcpp::List trees, Rcpp::NumericMatrix x, Rcpp::List settings) {
  return wrap_visits(visits_of(all_trees(trees, x.ncol()), points(x), context(settings).threads));
}

// Latent marginals at every visit: list(mean, variance) as core_predict() returns them for rows.
// The posteriors of a machine's `latents` latent functions follow each other.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_predict_visits(Rcpp::List kernel_spec, Rcpp::NumericMatrix basis,
                               Rcpp::List posterior_list, int latents, Rcpp::List visit_list,
                               Rcpp::NumericMatrix x, bool want_variance, Rcpp::List settings) {
  if (basis.ncol() != x.ncol())
    throw InvalidSpec("the fit's basis and the new rows differ in width");
  const InputKernel k(kernel_spec, x.ncol());
  const Matrix shared = k.points(basis);
  const auto asked = visits(visit_list, x.nrow(), posterior_list.size() / latents);
  const auto machine_at = [&](Index machine) {
    Rcpp::List own(latents);
    for (int c = 0; c < latents; ++c) own[c] = posterior_list[machine * latents + c];
    return machine_of(shared, want_variance ? posteriors(own, k, basis.nrow(), x.ncol(), x.nrow())
                                            : posterior_means(own, basis.nrow(), x.ncol()));
  };
  const Index rows = static_cast<Index>(asked.size());
  Matrix mean(rows, latents), variance(want_variance ? rows : 0, latents);
  predict_visits(*k, machine_at, k.points(x), asked, want_variance, mean, variance,
                 context(settings));
  return Rcpp::List::create(Rcpp::_["mean"] = wrap_matrix(mean),
                            Rcpp::_["variance"] = want_variance
                                                      ? Rcpp::RObject(wrap_matrix(variance))
                                                      : Rcpp::RObject(R_NilValue));
}

// The mixtures of n rows, from the marginals at their visits: list(mean, variance).
// [[Rcpp::export(rng = false)]]
Rcpp::List core_mix_visits(Rcpp::List visit_list, Rcpp::NumericMatrix mean,
                           Rcpp::Nullable<Rcpp::NumericMatrix> variance, int n) {
  const auto asked = visits(visit_list, n, std::numeric_limits<Index>::max());
  const Index latents = mean.ncol();
  const Matrix at_visits =
      variance.isNull() ? Matrix(0, latents) : matrix(Rcpp::NumericMatrix(variance.get()));
  Matrix mixed_mean(n, latents), mixed_variance(variance.isNull() ? 0 : n, latents);
  mix_visits(asked, matrix(mean), at_visits, mixed_mean, mixed_variance);
  return Rcpp::List::create(Rcpp::_["mean"] = wrap_matrix(mixed_mean),
                            Rcpp::_["variance"] = variance.isNull()
                                                      ? Rcpp::RObject(R_NilValue)
                                                      : Rcpp::RObject(wrap_matrix(mixed_variance)));
}
