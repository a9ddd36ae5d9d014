#include <Rcpp.h>

#include "context_r.h"
#include "convert.h"
#include "convert_meanfield.h"
#include "convert_problem.h"
#include "learning/learn_on_blocks.h"
#include "models/meanfield/block_evidence.h"

using namespace gpsieve;

namespace {

BlockLearning block_learning(const Rcpp::List& list) {
  BlockLearning out;
  const Rcpp::LogicalVector free = list["free"];
  out.free.assign(free.begin(), free.end());
  const Rcpp::IntegerVector parameter = list["lengthscale_of"], column = list["column"];
  for (R_xlen_t i = 0; i < parameter.size(); ++i)
    out.lengthscales.emplace_back(parameter[i] - 1, column[i] - 1);
  out.block_rows = static_cast<Index>(Rcpp::as<double>(list["block_rows"]));
  out.first_rows = static_cast<Index>(Rcpp::as<double>(list["first_rows"]));
  out.steps = static_cast<Index>(Rcpp::as<double>(list["steps"]));
  out.rate = Rcpp::as<double>(list["rate"]);
  for (const int group : Rcpp::IntegerVector(list["group"])) out.prior.group.push_back(group - 1);
  out.prior.level = vector(list["level"]);
  out.prior.spread = vector(list["spread"]);
  out.begin = vector(list["begin"]);
  out.near = Rcpp::as<bool>(list["near"]);
  out.random = Rcpp::as<bool>(list["random"]);
  out.seed = static_cast<std::uint64_t>(Rcpp::as<double>(list["seed"]));
  return out;
}

}  // namespace

// The log hyper-parameters that learning on blocks of rows ends with, kernel first, and the
// penalised evidence per row of every step.
// [[Rcpp::export(rng = false)]]
Rcpp::List core_learn_on_blocks(Rcpp::List kernel_spec, Rcpp::List likelihood_spec, Rcpp::List rows,
                                Rcpp::List options, Rcpp::List learning, Rcpp::List settings) {
  const Problem p(kernel_spec, likelihood_spec, rows);
  const BlockLearning how = block_learning(learning);
  const std::size_t noise = static_cast<std::size_t>(p.kernel->n_params());
  MeanfieldBlocks objective(*p.kernel, *p.likelihood, {p.x, p.y, p.prior_mean, p.cases},
                            meanfield_options(options),
                            static_cast<Index>(Rcpp::as<double>(learning["machines"])),
                            noise < how.free.size() && how.free[noise]);
  const BlockLearned found = learn_on_blocks(objective, p.x, how, context(settings));
  return Rcpp::List::create(Rcpp::_["theta"] = wrap_vector(found.params),
                            Rcpp::_["objective"] = wrap_vector(found.objective),
                            Rcpp::_["value"] = found.value, Rcpp::_["converged"] = found.converged);
}
