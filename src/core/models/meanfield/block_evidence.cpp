#include "models/meanfield/block_evidence.h"

#include <algorithm>
#include <limits>

#include "models/meanfield/meanfield.h"

namespace gpsieve {
namespace {

constexpr double kUnknown = -1.0;
// c of theory.md (37)
constexpr double kRoundingErrors = 16.0;

// The elements of v at these places; an empty vector stays empty.
Vector elements(VectorIn v, const Indices& at) {
  Vector out(v.size() > 0 ? static_cast<Index>(at.size()) : 0);
  for (Index i = 0; i < out.size(); ++i) out(i) = v(at[static_cast<std::size_t>(i)]);
  return out;
}

Matrix part(const Matrix& m, const Indices& rows, const Indices& columns) {
  Matrix out(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
  for (Index k = 0; k < out.cols(); ++k)
    out.col(k) = elements(m.col(columns[static_cast<std::size_t>(k)]), rows);
  return out;
}

void set_part(const Matrix& values, const Indices& rows, const Indices& columns, Matrix& m) {
  for (Index k = 0; k < values.cols(); ++k)
    for (Index i = 0; i < values.rows(); ++i)
      m(rows[static_cast<std::size_t>(i)], columns[static_cast<std::size_t>(k)]) = values(i, k);
}

Matrix some_points(const Matrix& x, const Indices& at) {
  Matrix out(x.rows(), static_cast<Index>(at.size()));
  for (Index i = 0; i < out.cols(); ++i) out.col(i) = x.col(at[static_cast<std::size_t>(i)]);
  return out;
}

}  // namespace

MeanfieldBlocks::MeanfieldBlocks(Kernel& kernel, Likelihood& likelihood, const MeanfieldRows& rows,
                                 const MeanfieldOptions& options, Index machines_a_step,
                                 bool learns_noise)
    : kernel_(kernel),
      likelihood_(likelihood),
      rows_(rows),
      options_(options),
      machines_a_step_(std::min(machines_a_step, rows.prior_mean.size())),
      learns_noise_(learns_noise && likelihood.gaussian()) {
  if (likelihood.gaussian()) return;
  means_.setZero(rows.y.rows(), rows.prior_mean.size());
  cavity_.setConstant(rows.y.rows(), rows.prior_mean.size(), kUnknown);
}

Vector MeanfieldBlocks::params() const {
  Vector all(kernel_.n_params() + likelihood_.n_params());
  all << kernel_.params(), likelihood_.params();
  return all;
}

void MeanfieldBlocks::set_params(VectorIn params) {
  kernel_.set_params(params.head(kernel_.n_params()));
  likelihood_.set_params(params.tail(likelihood_.n_params()));
}

Indices MeanfieldBlocks::next_machines() {
  Indices machines;
  for (Index i = 0; i < machines_a_step_; ++i) {
    machines.push_back(next_machine_);
    next_machine_ = (next_machine_ + 1) % rows_.prior_mean.size();
  }
  return machines;
}

// The columns of the responses of machines.
Indices MeanfieldBlocks::columns_of(const Indices& machines) const {
  Indices columns;
  for (const Index machine : machines)
    for (Index k = 0; k < likelihood_.columns(); ++k)
      columns.push_back(machine * likelihood_.columns() + k);
  return columns;
}

MeanfieldStart MeanfieldBlocks::start(Points x, const Indices& rows,
                                      const Indices& machines) const {
  MeanfieldStart at;
  if (cavity_.size() == 0) return at;
  at.cavity = part(cavity_, rows, machines);
  if ((at.cavity.array() == kUnknown).all()) return {};
  at.means = part(means_, rows, machines);
  Vector prior(x.cols());
  kernel_.diagonal(x, prior);
  for (Index k = 0; k < at.cavity.cols(); ++k)
    at.cavity.col(k) = (at.cavity.col(k).array() == kUnknown).select(prior, at.cavity.col(k));
  return at;
}

BlockEvidence MeanfieldBlocks::evidence(const Indices& rows, const Context& ctx) {
  const Indices machines = next_machines();
  const Matrix x = some_points(rows_.x, rows), y = part(rows_.y, rows, columns_of(machines));
  const Vector prior_mean = elements(rows_.prior_mean, machines);
  const FitProblem block{
      kernel_,    likelihood_,
      x,          y,
      prior_mean, {elements(rows_.cases.weight, rows), elements(rows_.cases.offset, rows)}};
  const MeanfieldStart known = start(x, rows, machines);
  MeanfieldEvidence found = meanfield_evidence(block, options_, known, ctx);
  if (!found.converged && known.means.size() > 0)
    found = meanfield_evidence(block, options_, {}, ctx);
  if (cavity_.size() > 0 && found.converged && found.next.means.allFinite()) {
    set_part(found.next.means, rows, machines, means_);
    set_part(found.next.cavity, rows, machines, cavity_);
  }
  const double share =
      static_cast<double>(rows_.prior_mean.size()) / static_cast<double>(machines_a_step_);
  BlockEvidence at{share * found.value, share * found.gradient};
  if (learns_noise_) subtract_rounding(block, at);
  return at;
}

// theory.md (37)
void MeanfieldBlocks::subtract_rounding(const FitProblem& block, BlockEvidence& at) const {
  const Index n = block.x.cols();
  const double unit = kRoundingErrors * static_cast<double>(n * rows_.prior_mean.size()) *
                      std::numeric_limits<double>::epsilon() / block.likelihood.noise_variance();
  const Vector share = unit * block.cases.weights(n);
  Vector prior(n);
  block.kernel.diagonal(block.x, prior);
  const double error = share.dot(prior);
  Vector by_kernel = Vector::Zero(block.kernel.n_params());
  block.kernel.diagonal_gradient(block.x, share, by_kernel);
  at.value -= error;
  at.gradient.head(by_kernel.size()) -= by_kernel;
  at.gradient(by_kernel.size()) += error;
}

}  // namespace gpsieve
