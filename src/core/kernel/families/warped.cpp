// A kernel of warped inputs: its child sees w_d = g_d(x_d) in place of x_d (theory.md (21)).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernel/factories.h"
#include "kernel/mapped_inputs.h"
#include "kernel/spec_values.h"

namespace gpsieve {
namespace {

constexpr double kLargest = std::numeric_limits<double>::max();
// A skew beyond this leaves the range of numbers, since sinh() does.
constexpr double kLargestSkew = 700.0;
constexpr double kSquareOverflows = 1e150;

// What a warp makes of a number x, and the derivatives of that by x, by the skew and by the
// logarithm of the tail.
struct WarpedNumber {
  double value, slope, by_skew, by_tail;
};

// The warp of one column, c + r sinh(s asinh((x - c) / r) - e), with its centre c, spread r, skew e
// and tail s.
struct Warp {
  double centre, spread, skew, tail;

  bool identity() const { return skew == 0.0 && tail == 1.0; }
  // The value is exactly x where nothing is warped, and finite everywhere.
  WarpedNumber at(double x) const {
    const double z = (x - centre) / spread, size = std::abs(z);
    // sqrt(1 + z^2), of which size + root is the exponential of asinh(size).
    const double root = size < kSquareOverflows ? std::sqrt(size * size + 1.0) : size;
    const double moved = std::copysign(tail * std::log(size + root), z);
    const double up = std::exp(moved - skew), down = 1.0 / up;
    const double by_skew = -0.5 * spread * (up + down);
    if (identity()) return {x, 1.0, by_skew, -moved * by_skew};
    const double value = centre + 0.5 * spread * (up - down);
    return {std::clamp(value, -kLargest, kLargest), 0.5 * tail * (up + down) / root, by_skew,
            -moved * by_skew};
  }
};

class Warped final : public MappedInputs {
 public:
  Warped(std::unique_ptr<Kernel> child, Indices dims, std::vector<Warp> warps)
      : MappedInputs(std::move(child)), dims_(std::move(dims)), warps_(std::move(warps)) {}

 private:
  Index count() const { return static_cast<Index>(dims_.size()); }

  Matrix mapped(Points x) const override {
    Matrix out = x;
    for (Index d = 0; d < count(); ++d) {
      if (warps_[d].identity()) continue;
      for (Index i = 0; i < x.cols(); ++i) out(dims_[d], i) = warps_[d].at(x(dims_[d], i)).value;
    }
    return out;
  }

  // The skews, then the logarithms of the tails.
  Index n_own() const override { return 2 * count(); }
  Vector own() const override {
    Vector all(n_own());
    for (Index d = 0; d < count(); ++d) {
      all[d] = warps_[d].skew;
      all[count() + d] = std::log(warps_[d].tail);
    }
    return all;
  }
  void set_own(VectorIn own) override {
    std::vector<Warp> moved = warps_;
    for (Index d = 0; d < count(); ++d) {
      moved[d].skew = own[d];
      moved[d].tail = std::exp(own[count() + d]);
      if (!(std::abs(moved[d].skew) < kLargestSkew) || !(moved[d].tail > 0.0) ||
          !std::isfinite(moved[d].tail))
        throw NumericalFailure("the warp of an input left the range of numbers");
    }
    warps_.swap(moved);
  }
  void add_own(Points x, const Matrix& by_mapped, VectorOut grad) const override {
    for (Index i = 0; i < by_mapped.cols(); ++i)
      for (Index d = 0; d < count(); ++d) {
        const WarpedNumber number = warps_[d].at(x(dims_[d], i));
        grad[d] += by_mapped(dims_[d], i) * number.by_skew;
        grad[count() + d] += by_mapped(dims_[d], i) * number.by_tail;
      }
  }
  void add_inputs(Points x, const Matrix& by_mapped, MatrixOut grad) const override {
    Matrix by_x = by_mapped;
    for (Index d = 0; d < count(); ++d)
      for (Index i = 0; i < x.cols(); ++i) by_x(dims_[d], i) *= warps_[d].at(x(dims_[d], i)).slope;
    grad += by_x;
  }

  Indices dims_;
  std::vector<Warp> warps_;  // of the rows `dims_` of the inputs
};

std::vector<Warp> warps_of(const KernelSpec& spec) {
  const Index count = static_cast<Index>(spec.dims.size());
  const auto values = [&](const char* name) { return finite_values(spec, name, count); };
  const Vector centre = values("center"), spread = values("spread"), skew = values("skew"),
               tail = values("tail");
  std::vector<Warp> warps;
  for (Index d = 0; d < count; ++d) {
    if (!(spread[d] > 0.0)) refuse_value(spec, "spread", "positive", spread[d]);
    if (!(tail[d] > 0.0)) refuse_value(spec, "tail", "positive", tail[d]);
    if (!(std::abs(skew[d]) < kLargestSkew))
      refuse_value(spec, "skew", "between -700 and 700", skew[d]);
    warps.push_back({centre[d], spread[d], skew[d], tail[d]});
  }
  return warps;
}

}  // namespace

std::unique_ptr<Kernel> make_warped(const KernelSpec& spec, const InputSpace& inputs) {
  refuse_sparse_rows(spec, inputs);
  expect_values(spec, {"skew", "tail", "center", "spread"});
  expect_child_and_dims(spec, inputs);
  return std::make_unique<Warped>(make_kernel(spec.children[0], inputs), spec.dims, warps_of(spec));
}

}  // namespace gpsieve
