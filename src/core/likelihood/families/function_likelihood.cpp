// log p(y | f) that the host computes, for many pairs of y and f at once. It has no
// hyper-parameters and is evaluated on the main thread only. What it returns is checked.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"
#include "likelihood/factories.h"
#include "math/constants.h"

namespace gpsieve {
namespace {

class FunctionLikelihood final : public Likelihood {
 public:
  FunctionLikelihood(DensityFunction function, Response response, bool concave, bool derivatives)
      : function_(std::move(function)),
        response_(response),
        concave_(concave),
        has_derivatives_(derivatives) {}

  Response response() const override { return response_; }
  bool log_concave() const override { return concave_; }
  double log_density(double y, double f) const override {
    return evaluate(y, Vector::Constant(1, f))(0, 0);
  }
  // The points of the central differences of the default, in one call.
  Tilted derivatives(double y, double f) const override {
    if (has_derivatives_) {
      const Matrix at = evaluate(y, Vector::Constant(1, f));
      if (at(0, 0) == -kInfinity) return {-kInfinity, 0.0, 0.0};
      if (!std::isfinite(at(0, 1)) || !std::isfinite(at(0, 2)))
        throw LikelihoodFailure("a derivative is not finite at " + place(y, f));
      return {at(0, 0), at(0, 1), at(0, 2)};
    }
    const double step = kStep * std::max(1.0, kStep * std::abs(f));
    Vector points(5);
    for (Index i = 0; i < 5; ++i) points[i] = f + static_cast<double>(i - 2) * step;
    const Matrix l = evaluate(y, points);
    const double centre = l(2, 0), near = l(3, 0) - l(1, 0), far = l(4, 0) - l(0, 0);
    const double sum = 16.0 * (l(3, 0) + l(1, 0)) - (l(4, 0) + l(0, 0)) - 30.0 * centre;
    if (!std::isfinite(near) || !std::isfinite(far)) return {centre, 0.0, 0.0};
    return {centre, (8.0 * near - far) / (12.0 * step), sum / (12.0 * step * step)};
  }

 private:
  // Errors are of order step^4, and of order eps / step^2 by rounding.
  static constexpr double kStep = 1e-3;

  static std::string place(double y, double f) {
    return "y = " + std::to_string(y) + ", f = " + std::to_string(f);
  }
  // log p(y | f) of every f, and its two derivatives where the function has them.
  Matrix evaluate(double y, const Vector& f) const {
    Matrix out(f.size(), has_derivatives_ ? 3 : 1);
    function_(Vector::Constant(f.size(), y), f, out);
    for (Index i = 0; i < f.size(); ++i)
      if (std::isnan(out(i, 0)) || out(i, 0) == kInfinity)
        throw LikelihoodFailure(std::string("the log density is ") +
                                (std::isnan(out(i, 0)) ? "NaN" : "infinite") + " at " +
                                place(y, f[i]));
    return out;
  }

  DensityFunction function_;
  Response response_;
  bool concave_, has_derivatives_;
};

bool flag(const LikelihoodSpec& spec, const char* name) {
  return given_values(spec, name).at(0) > 0.0;
}

}  // namespace

std::unique_ptr<Likelihood> make_function_likelihood(const LikelihoodSpec& spec) {
  if (!spec.density) throw InvalidSpec("likelihood 'function': the function is missing");
  const Response response = flag(spec, "counts") ? Response::count : Response::real;
  return std::make_unique<FunctionLikelihood>(spec.density, response, flag(spec, "log_concave"),
                                              flag(spec, "derivatives"));
}

}  // namespace gpsieve
