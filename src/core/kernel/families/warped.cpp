// A kernel of warped inputs: its child sees w_d = g_d(x_d) in place of x_d (theory.md (21)).
#include <algorithm>
#include <cmath>
#include <limits>

#include "base/error.h"
#include "kernel/factories.h"
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

// The points of a data set, warped once.
class WarpedPoints final : public PreparedPoints {
 public:
  WarpedPoints(const Kernel& child, Matrix x) : x_(std::move(x)), points_(child.prepare(x_)) {}
  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const override {
    points_->block(a, n_a, b, n_b, out);
  }
  void column(Index i, Index begin, VectorOut out) const override {
    points_->column(i, begin, out);
  }
  std::unique_ptr<SelectedPoints> select(const Index* b, Index n_b) const override {
    return points_->select(b, n_b);
  }

 private:
  const Matrix x_;
  std::unique_ptr<PreparedPoints> points_;
};

class Warped final : public Kernel {
 public:
  Warped(std::unique_ptr<Kernel> child, Indices dims, std::vector<Warp> warps)
      : child_(std::move(child)), dims_(std::move(dims)), warps_(std::move(warps)) {}

  void cross(Points a, Points b, MatrixOut k) const override {
    const Matrix u = warped(a);
    const bool same = a.data() == b.data() && a.cols() == b.cols();
    child_->cross(u, same ? u : warped(b), k);
  }
  void diagonal(Points a, VectorOut k) const override { child_->diagonal(warped(a), k); }
  std::unique_ptr<PreparedPoints> prepare(Points x) const override {
    return std::make_unique<WarpedPoints>(*child_, warped(x));
  }

  void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const override {
    Matrix none(0, 0);
    gradients(a, b, g, grad, none, none);
  }
  void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                 MatrixOut grad_b) const override {
    const Warping u = warping(a), v = warping(b);
    Matrix by_u = Matrix::Zero(a.rows(), a.cols()), by_v = Matrix::Zero(b.rows(), b.cols());
    child_->gradients(u.points, v.points, g, grad.head(child_->n_params()), by_u, by_v);
    add_own(u, by_u, grad);
    add_own(v, by_v, grad);
    if (grad_a.size() > 0) add_slopes(u, by_u, grad_a);
    if (grad_b.size() > 0) add_slopes(v, by_v, grad_b);
  }
  void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const override {
    const Warping u = warping(a);
    Matrix by_u = Matrix::Zero(a.rows(), a.cols());
    child_->diagonal_gradient(u.points, g, grad.head(child_->n_params()));
    child_->diagonal_input_gradient(u.points, g, by_u);
    add_own(u, by_u, grad);
  }
  void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const override {
    const Warping v = warping(b);
    Matrix by_v = Matrix::Zero(b.rows(), b.cols());
    child_->input_gradient(warped(a), v.points, g, by_v);
    add_slopes(v, by_v, grad_b);
  }
  void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const override {
    const Warping u = warping(a);
    Matrix by_u = Matrix::Zero(a.rows(), a.cols());
    child_->diagonal_input_gradient(u.points, g, by_u);
    add_slopes(u, by_u, grad_a);
  }

  // The child's, the skews, the logarithms of the tails.
  Index n_params() const override { return child_->n_params() + 2 * count(); }
  Vector params() const override {
    Vector all(n_params());
    all.head(child_->n_params()) = child_->params();
    for (Index d = 0; d < count(); ++d) {
      all[skew_at(d)] = warps_[d].skew;
      all[tail_at(d)] = std::log(warps_[d].tail);
    }
    return all;
  }
  void set_params(VectorIn params) override {
    if (params.size() != n_params())
      throw InvalidSpec("a kernel with " + std::to_string(n_params()) +
                        " hyper-parameters was given " + std::to_string(params.size()));
    std::vector<Warp> moved = warps_;
    for (Index d = 0; d < count(); ++d) {
      moved[d].skew = params[skew_at(d)];
      moved[d].tail = std::exp(params[tail_at(d)]);
      if (!(std::abs(moved[d].skew) < kLargestSkew) || !(moved[d].tail > 0.0) ||
          !std::isfinite(moved[d].tail))
        throw NumericalFailure("the warp of an input left the range of numbers");
    }
    child_->set_params(params.head(child_->n_params()));
    warps_.swap(moved);
  }
  bool thread_safe() const override { return child_->thread_safe(); }

 private:
  Index count() const { return static_cast<Index>(dims_.size()); }
  Index skew_at(Index d) const { return child_->n_params() + d; }
  Index tail_at(Index d) const { return skew_at(d) + count(); }

  // Warped points with the derivatives of their warped rows, a column for each point.
  struct Warping {
    Matrix points, slope, by_skew, by_tail;
  };
  Warping warping(Points x) const {
    Warping out{x, Matrix(count(), x.cols()), Matrix(count(), x.cols()), Matrix(count(), x.cols())};
    for (Index i = 0; i < x.cols(); ++i)
      for (Index d = 0; d < count(); ++d) {
        const WarpedNumber number = warps_[d].at(x(dims_[d], i));
        out.points(dims_[d], i) = number.value;
        out.slope(d, i) = number.slope;
        out.by_skew(d, i) = number.by_skew;
        out.by_tail(d, i) = number.by_tail;
      }
    return out;
  }
  Matrix warped(Points x) const {
    Matrix out = x;
    for (Index d = 0; d < count(); ++d) {
      if (warps_[d].identity()) continue;
      for (Index i = 0; i < x.cols(); ++i) out(dims_[d], i) = warps_[d].at(x(dims_[d], i)).value;
    }
    return out;
  }
  // From the gradient by the warped points that by the skews and tails, and that by the points.
  void add_own(const Warping& x, const Matrix& by_warped, VectorOut grad) const {
    for (Index i = 0; i < by_warped.cols(); ++i)
      for (Index d = 0; d < count(); ++d) {
        grad[skew_at(d)] += by_warped(dims_[d], i) * x.by_skew(d, i);
        grad[tail_at(d)] += by_warped(dims_[d], i) * x.by_tail(d, i);
      }
  }
  void add_slopes(const Warping& x, Matrix& by_warped, MatrixOut grad) const {
    for (Index d = 0; d < count(); ++d) by_warped.row(dims_[d]).array() *= x.slope.row(d).array();
    grad += by_warped;
  }

  std::unique_ptr<Kernel> child_;
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
