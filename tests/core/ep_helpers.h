// Problems for expectation propagation on inducing inputs: a kernel, data, factors, and a run of
// passes over all rows.
#ifndef GPSIEVE_TESTS_EP_HELPERS_H
#define GPSIEVE_TESTS_EP_HELPERS_H

#include <string>

#include "dense_reference.h"
#include "models/ep/pairwise_factors.h"
#include "sparse_ep/evidence.h"
#include "sparse_ep/likelihood_factors.h"
#include "sparse_ep/run_to_convergence.h"

namespace ep {

using namespace gpsieve;

// A likelihood by name, with responses it describes.
struct Case {
  std::string name;
  std::map<std::string, std::vector<double>> values;
};
inline std::vector<Case> all_cases() {
  return {{"probit", {{"noise", {0.7}}}},
          {"logit", {}},
          {"poisson", {}},
          {"student", {{"df", {4.0}}, {"scale", {0.4}}}},
          {"gaussian", {{"variance", {0.2}}}}};
}
inline LikelihoodMaker maker(const Case& of) {
  return [of] { return dense::likelihood(of.name, of.values); };
}
inline Matrix responses(const Case& of, const Matrix& x, std::uint64_t seed) {
  if (of.name == "probit" || of.name == "logit") return dense::labels(x, seed);
  const Vector y = dense::numbers(x, seed);
  if (of.name != "poisson") return y;
  return y.unaryExpr([](double v) { return std::floor(std::exp(1.0 + v)); });
}

// `y` must outlive the factors.
inline std::unique_ptr<Factors> factors(const Case& of, MatrixIn y, double power = 1.0,
                                        double prior_mean = 0.0) {
  return likelihood_factors(maker(of), power, y, Vector::Constant(y.cols(), prior_mean));
}
inline std::unique_ptr<Factors> probit_factors(MatrixIn y, double prior_mean = 0.0) {
  return factors({"probit", {{"noise", {1.0}}}}, y, 1.0, prior_mean);
}

// Every row's class: which third of a smooth function's range it is in.
inline Indices classes(const Matrix& x, std::uint64_t seed) {
  const Vector f = dense::numbers(x, seed, 0.6);
  Indices label;
  for (Index i = 0; i < f.size(); ++i) label.push_back(f[i] < -0.5 ? 0 : (f[i] < 0.5 ? 1 : 2));
  return label;
}

// Inducing inputs, all rows and EP on them, alive together.
struct Run {
  Run(const Kernel& kernel, const Matrix& x, const Matrix& z, const Factors& factors,
      Schedule schedule = Schedule::ep, double jitter = 1e-8, const Context& context = Context())
      : ctx(context),
        inducing(kernel, z, jitter, context.threads),
        rows(inducing, x, RowSet::range(0, x.cols())),
        ep(schedule, factors, z.cols(), false) {}
  Run(const Run&) = delete;

  Run& passes(int count, double damping = 1.0) {
    for (int pass = 0; pass < count; ++pass) ep.update(rows, {damping, false}, ctx);
    return *this;
  }
  bool converge(double tolerance = 1e-11, int most = 500) {
    return gpsieve::run_to_convergence(ep, rows, {most, tolerance, 1.0}, ctx).reached;
  }
  double log_z() { return sparse_ep_evidence(ep, rows, 1.0, GradientForm::none, false, ctx).log_z; }
  dense::Marginals predict(const Matrix& at, double prior_mean = 0.0, Index latent = 0) const {
    return dense::predict(inducing.kernel(), inducing.inputs(),
                          inducing.posterior(ep.q(latent), prior_mean), at);
  }
  // v and s of all rows.
  std::pair<Matrix, Vector> whitened(const Matrix& x) const {
    std::pair<Matrix, Vector> out{Matrix(inducing.size(), x.cols()), Vector(x.cols())};
    inducing.whiten(x, out.first, out.second);
    return out;
  }

  Context ctx;
  Inducing inducing;
  WhitenedRows rows;
  SparseEp ep;
};

inline Matrix gram_with_jitter(const Inducing& inducing) {
  Matrix k_uu = dense::gram(inducing.kernel(), inducing.inputs());
  k_uu.diagonal().array() += inducing.jitter();
  return k_uu;
}

inline void check_near(const Matrix& a, const Matrix& b, double tolerance) {
  CHECK(a.rows() == b.rows() && a.cols() == b.cols());
  for (Index j = 0; j < a.cols(); ++j) dense::check_near(a.col(j), b.col(j), tolerance);
}

// The full matrix of which T's lower triangle is kept.
inline Matrix full(const NaturalFactor& factor) {
  Matrix t = factor.t;
  t.triangularView<Eigen::StrictlyUpper>() = t.transpose();
  return t;
}
inline void check_near(const NaturalFactor& a, const NaturalFactor& b, double tolerance) {
  const double size = std::max(1.0, full(b).cwiseAbs().maxCoeff());
  CHECK((full(a) - full(b)).cwiseAbs().maxCoeff() <= tolerance * size);
  dense::check_near(a.r, b.r, tolerance);
}

// Differences of a smooth function along one coordinate, exact up to its fifth derivative.
template <class Function>
double slope(const Function& f, double h) {
  return (f(-2.0 * h) - 8.0 * f(-h) + 8.0 * f(h) - f(2.0 * h)) / (12.0 * h);
}

}  // namespace ep

#endif
