// log p(y | f) that the host computes, for several f at once. It has no hyper-parameters and is
// evaluated on the main thread only. What it returns is checked.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "likelihood/factories.h"
#include "likelihood/families/quantile_mixture.h"
#include "likelihood/families/row_integrals.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

class FunctionLikelihood final : public Likelihood {
 public:
  FunctionLikelihood(HostLikelihood host, Response response, bool concave)
      : host_(std::move(host)), response_(response), concave_(concave) {}

  Response response() const override { return response_; }
  bool log_concave() const override { return concave_; }
  double log_density(Observed y, double f) const override {
    return density(Vector::Constant(1, y), Vector::Constant(1, f))[0];
  }
  void log_densities(Observed y, VectorIn f, VectorOut out) const override {
    out = density(Vector::Constant(f.size(), y), f);
  }
  Tilted derivatives(Observed y, double f) const override {
    if (!host_.derivatives) return Likelihood::derivatives(y, f);
    const double value = log_density(y, f);
    if (value == -kInfinity) return {value, 0.0, 0.0};
    const Matrix d = host_.derivatives(Vector::Constant(1, y), Vector::Constant(1, f));
    if (!d.allFinite()) throw LikelihoodFailure("a derivative is not finite at " + place(y, f));
    return {value, d(0, 0), d(0, 1)};
  }

  Tilted tilted(Observed y, double mu, double var) const override {
    Vector log_z(1), d1(1), d2(1);
    tilted(Vector::Constant(1, y), Vector::Constant(1, mu), Vector::Constant(1, var), log_z, d1,
           d2);
    return {log_z[0], d1[0], d2[0]};
  }
  // Rows are integrated together. The default, which adapts to one row, has those again whose
  // tilted density is a needle in the Gaussian, those for which the common grid saw nothing, and
  // those without a variance; and, where the host has derivatives, those whose tilted density is
  // nearly the Gaussian or lies far from its centre. The second derivative may be next to nothing
  // there, so that the default would try to resolve the rounding errors of differences.
  void tilted(MatrixIn y, VectorIn mu, VectorIn var, VectorOut log_z, VectorOut d1,
              VectorOut d2) const override {
    constexpr double kNearlyGaussian = 0.01, kFar = 6.0, kNeedle = 1e-4;
    const bool together = (var.array() > 0.0).all() && mu.allFinite() && var.allFinite();
    if (together)
      tilted_rows(rows(), response_ == Response::real, y.col(0), mu, var, log_z, d1, d2);
    for (Index i = 0; i < y.rows(); ++i) {
      const double change = d2[i] * var[i];
      const bool plain =
          std::abs(change) >= kNearlyGaussian && std::abs(d1[i]) * std::sqrt(var[i]) <= kFar;
      const bool good = together && std::isfinite(log_z[i]) && std::isfinite(d1[i]) &&
                        1.0 + change >= kNeedle && (plain || !host_.derivatives);
      if (good) continue;
      const Tilted own = Likelihood::tilted(y(i, 0), mu[i], var[i]);
      log_z[i] = own.log_z;
      d1[i] = own.d1;
      d2[i] = own.d2;
    }
  }

  Predicted predict(double mu, double var) const override {
    const Matrix out = predict_rows(Vector::Constant(1, mu), Vector::Constant(1, var));
    return {out(0, 0), out(0, 1)};
  }
  double cdf(double y, double mu, double var) const override {
    return cdf_rows(Vector::Constant(1, y), Vector::Constant(1, mu), Vector::Constant(1, var))[0];
  }
  double quantile(double probability, double mu, double var) const override {
    return quantile_rows(Vector::Constant(1, probability), Vector::Constant(1, mu),
                         Vector::Constant(1, var))(0, 0);
  }

  Matrix predict_rows(VectorIn mu, VectorIn var) const override {
    Matrix out(mu.size(), 2);
    for_blocks(mu, var, [&](Index first, VectorIn m, VectorIn v) {
      const auto put = [&](Index i, const Predicted& response) {
        out(first + i, 0) = response.mean;
        out(first + i, 1) = response.variance;
      };
      if (response_ == Response::count) {
        const RowCounts counts(rows(), m, v);
        for (Index i = 0; i < m.size(); ++i) put(i, counts.moments(i));
      } else if (host_.quantile) {
        for (Index i = 0; i < m.size(); ++i) put(i, mixture(m[i], v[i]).moments());
      } else {
        const std::vector<Predicted> found = moments_of_rows(rows(), m, v);
        for (Index i = 0; i < m.size(); ++i) put(i, found[static_cast<std::size_t>(i)]);
      }
    });
    return out;
  }
  Vector cdf_rows(VectorIn y, VectorIn mu, VectorIn var) const override {
    Vector out(mu.size());
    for_blocks(mu, var, [&](Index first, VectorIn m, VectorIn v) {
      const auto fill = [&](const auto& distribution) {
        for (Index i = 0; i < m.size(); ++i) out[first + i] = distribution.cdf(i, y[first + i]);
      };
      if (response_ == Response::count) return fill(RowCounts(rows(), m, v));
      if (!host_.quantile) return fill(RowDistributions(rows(), m, v));
      for (Index i = 0; i < m.size(); ++i) out[first + i] = mixture(m[i], v[i]).cdf(y[first + i]);
    });
    return out;
  }
  Matrix quantile_rows(VectorIn probabilities, VectorIn mu, VectorIn var) const override {
    for (Index j = 0; j < probabilities.size(); ++j) require_probability(probabilities[j]);
    Matrix out(mu.size(), probabilities.size());
    for_blocks(mu, var, [&](Index first, VectorIn m, VectorIn v) {
      const auto fill = [&](const auto& quantile_of) {
        for (Index i = 0; i < m.size(); ++i)
          for (Index j = 0; j < out.cols(); ++j)
            out(first + i, j) = quantile_of(i, probabilities[j]);
      };
      if (response_ == Response::count) {
        const RowCounts counts(rows(), m, v);
        return fill([&](Index i, double p) { return counts.quantile(i, p); });
      }
      if (!host_.quantile) {
        const RowDistributions found(rows(), m, v);
        return fill([&](Index i, double p) { return found.quantile(i, p); });
      }
      for (Index i = 0; i < m.size(); ++i) {
        const QuantileMixture of_row = mixture(m[i], v[i]);
        for (Index j = 0; j < out.cols(); ++j)
          out(first + i, j) = of_row.quantile(probabilities[j]);
      }
    });
    return out;
  }

  double predictive_entropy(double mu, double var) const override {
    return predictive_entropy_rows(Vector::Constant(1, mu), Vector::Constant(1, var))[0];
  }
  double information(double mu, double var) const override {
    return information_rows(Vector::Constant(1, mu), Vector::Constant(1, var))[0];
  }
  Vector predictive_entropy_rows(VectorIn mu, VectorIn var) const override {
    Vector out(mu.size());
    for_blocks(mu, var, [&](Index first, VectorIn m, VectorIn v) {
      const auto fill = [&](const auto& distribution) {
        for (Index i = 0; i < m.size(); ++i) out[first + i] = distribution.entropy(i);
      };
      if (response_ == Response::count) return fill(RowCounts(rows(), m, v));
      fill(RowDistributions(rows(), m, v));
    });
    return out;
  }
  Vector information_rows(VectorIn mu, VectorIn var) const override {
    const bool count = response_ == Response::count;
    const Vector known = count ? conditional_count_entropies(rows(), mu, var)
                               : conditional_entropies(rows(), mu, var);
    return (predictive_entropy_rows(mu, var) - known).cwiseMax(0.0);
  }

 private:
  static std::string place(double y, double f) {
    return "y = " + std::to_string(y) + ", f = " + std::to_string(f);
  }
  Vector density(const Vector& y, const Vector& f) const {
    const Vector out = host_.log_density(y, f);
    for (Index i = 0; i < f.size(); ++i)
      if (std::isnan(out[i]) || out[i] == kInfinity) {
        const char* found = std::isnan(out[i]) ? "NaN" : "infinite";
        throw LikelihoodFailure(std::string("the log density is ") + found + " at " +
                                place(y[i], f[i]));
      }
    return out;
  }
  RowDensity rows() const {
    return [this](const Vector& y, const Vector& f) { return density(y, f); };
  }
  // Integrals over responses take some megabytes a block; a density needs a positive variance.
  template <class Body>
  static void for_blocks(VectorIn mu, VectorIn var, const Body& body) {
    constexpr Index kRows = 250;
    constexpr double kLeast = 1e-20;
    for (Index first = 0; first < mu.size(); first += kRows) {
      const Index n = std::min(kRows, mu.size() - first);
      body(first, mu.segment(first, n), var.segment(first, n).cwiseMax(kLeast));
    }
  }
  QuantileMixture mixture(double mu, double var) const { return {host_.quantile, mu, var}; }

  HostLikelihood host_;
  Response response_;
  bool concave_;
};

bool flag(const LikelihoodSpec& spec, const char* name) {
  return given_values(spec, name).at(0) > 0.0;
}

}  // namespace

std::unique_ptr<Likelihood> make_function_likelihood(const LikelihoodSpec& spec) {
  if (!spec.host.log_density) throw InvalidSpec("likelihood 'function': the function is missing");
  const Response response = flag(spec, "counts") ? Response::count : Response::real;
  return std::make_unique<FunctionLikelihood>(spec.host, response, flag(spec, "log_concave"));
}

}  // namespace gpsieve
