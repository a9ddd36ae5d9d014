#include "likelihood/predictions.h"

#include <algorithm>

#include "base/error.h"
#include "base/parallel.h"
#include "math/argmax_probability.h"

namespace gpsieve {

Matrix log_probabilities(const Likelihood& likelihood, VectorIn mean, VectorIn variance) {
  Matrix out(mean.size(), 2);
  for (Index i = 0; i < out.rows(); ++i) {
    out(i, 0) = likelihood.tilted(1.0, mean[i], variance[i]).log_z;
    out(i, 1) = likelihood.tilted(-1.0, mean[i], variance[i]).log_z;
  }
  return out;
}

Vector log_densities(const Likelihood& likelihood, MatrixIn y, VectorIn mean, VectorIn variance) {
  if (y.cols() != likelihood.columns())
    throw InvalidSpec("the response has not as many columns as the likelihood");
  Vector log_z(y.rows()), d1(y.rows()), d2(y.rows());
  likelihood.tilted(y, mean, variance, log_z, d1, d2);
  return log_z;
}

Matrix log_argmax_probabilities(double noise, MatrixIn mean, MatrixIn variance,
                                const Context& ctx) {
  // An integral takes some 0.1 ms, so that a few rows are worth a thread.
  constexpr Index kRowsPerTask = 4, kRowsPerPoll = 32;
  const Matrix m = mean.transpose();
  const Matrix v = variance.transpose().array() + 0.5 * noise;
  Matrix out(m.cols(), m.rows());
  const Index together = kRowsPerPoll * std::max(1, ctx.threads);
  for (Index first = 0; first < out.rows(); first += together) {
    parallel_blocks(ctx.threads, std::min(together, out.rows() - first), kRowsPerTask,
                    [&](Index from, Index to) {
                      for (Index i = first + from; i < first + to; ++i)
                        for (Index k = 0; k < out.cols(); ++k)
                          out(i, k) = log_argmax_probability(k, m.col(i), v.col(i));
                    });
    ctx.check();
  }
  return out;
}

namespace {

// Calls f(first, n) for groups of rows and looks for an interrupt after each. Densities of the host
// are evaluated for all rows of a group together.
template <class Function>
void in_groups(Index rows, Index together, const Context& ctx, const Function& f) {
  for (Index first = 0; first < rows; first += together, ctx.check())
    f(first, std::min(together, rows - first));
}

constexpr Index kRowsPerPoll = 1024;

}  // namespace

Matrix response_moments(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                        const Context& ctx) {
  Matrix out(mean.size(), 2);
  in_groups(out.rows(), kRowsPerPoll, ctx, [&](Index first, Index n) {
    out.middleRows(first, n) =
        likelihood.predict_rows(mean.segment(first, n), variance.segment(first, n));
  });
  return out;
}

Vector response_cdf(const Likelihood& likelihood, VectorIn y, VectorIn mean, VectorIn variance,
                    const Context& ctx) {
  Vector out(mean.size());
  in_groups(out.size(), kRowsPerPoll, ctx, [&](Index first, Index n) {
    out.segment(first, n) = likelihood.cdf_rows(y.segment(first, n), mean.segment(first, n),
                                                variance.segment(first, n));
  });
  return out;
}

Matrix response_quantiles(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                          VectorIn probs, const Context& ctx) {
  Matrix out(mean.size(), probs.size());
  in_groups(out.rows(), kRowsPerPoll, ctx, [&](Index first, Index n) {
    out.middleRows(first, n) =
        likelihood.quantile_rows(probs, mean.segment(first, n), variance.segment(first, n));
  });
  return out;
}

Vector response_entropies(const Likelihood& likelihood, VectorIn mean, VectorIn variance,
                          bool information, const Context& ctx) {
  constexpr Index kTogether = 16;  // integrals over counts take some milliseconds
  Vector out(mean.size());
  in_groups(out.size(), kTogether, ctx, [&](Index first, Index n) {
    const auto mu = mean.segment(first, n), var = variance.segment(first, n);
    out.segment(first, n) = information ? likelihood.information_rows(mu, var)
                                        : likelihood.predictive_entropy_rows(mu, var);
  });
  return out;
}

}  // namespace gpsieve
