#include "kernel/families/stationary.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/parallel.h"
#include "linalg/packed_panel.h"
#include "linalg/scratch_matrix.h"

namespace gpsieve {
namespace {

constexpr double kLargestDistance = std::numeric_limits<double>::max();

}  // namespace

void Stationary::cross(Points a, Points b, MatrixOut k) const {
  if (rows_)
    rows_->squared_distances(rows_->numbers(a), rows_->numbers(b), precisions(), k);
  else
    ScaledPairs(a, b, lengthscale()).squared_distances(k);
  for (Index j = 0; j < k.cols(); ++j) profile(k.col(j));
}

// The whole data set scaled and centred once. Points whose norm overflows are left to cross().
class Stationary::ScaledSet final : public PreparedPoints {
 public:
  ScaledSet(const Stationary& kernel, ScaledPoints points)
      : kernel_(kernel), points_(std::move(points)) {}

  void block(const Index* a, Index n_a, const Index* b, Index n_b, MatrixOut out) const override {
    const ScaledPoints some = points_.gather(a, n_a), others = points_.gather(b, n_b);
    squared_distances(some.coordinates, some.norms, others.coordinates, others.norms, out);
    for (Index j = 0; j < n_b; ++j) kernel_.profile(out.col(j));
  }
  void column(Index i, Index begin, VectorOut out) const override {
    const Index n = out.size();
    squared_distances_to(points_.coordinates.middleCols(begin, n), points_.norms.segment(begin, n),
                         points_.coordinates.col(i), points_.norms[i], out);
    kernel_.profile(out);
  }
  std::unique_ptr<SelectedPoints> select(const Index* b, Index n_b) const override {
    return std::make_unique<Selected>(*this, points_.gather(b, n_b));
  }

 private:
  // Selected points, packed once for products from either side.
  class Selected final : public SelectedPoints {
   public:
    Selected(const ScaledSet& all, ScaledPoints points) : all_(all), points_(std::move(points)) {
      rows_.pack(points_.coordinates, Op::transposed);
      panel_.pack(points_.coordinates, Op::plain);
    }
    void block(const SelectedPoints& a, MatrixOut out) const override {
      const Selected& others = static_cast<const Selected&>(a);
      panel_.multiply(-2.0, others.rows_, 0.0, out);
      finish(others.points_, out);
    }
    void block(const Index* a, Index n_a, MatrixOut out) const override {
      const ScaledPoints others = all_.points_.gather(a, n_a);
      panel_.multiply(-2.0, others.coordinates, Op::transposed, 0.0, out);
      finish(others, out);
    }

   private:
    void finish(const ScaledPoints& others, MatrixOut out) const {
      squared_distances_from_products(others, points_, out);
      for (Index j = 0; j < out.cols(); ++j) all_.kernel_.profile(out.col(j));
    }

    const ScaledSet& all_;
    ScaledPoints points_;
    PackedRows rows_;
    PackedPanel panel_;
  };

  const Stationary& kernel_;
  ScaledPoints points_;
};

std::unique_ptr<PreparedPoints> Stationary::prepare(Points x) const {
  if (rows_) return Kernel::prepare(x);
  ScaledPoints scaled(x, centre_of(x), lengthscale());
  if (scaled.overflows()) return Kernel::prepare(x);
  return std::make_unique<ScaledSet>(*this, std::move(scaled));
}

void Stationary::diagonal(Points, VectorOut k) const { k.setConstant(variance()); }

// slope = g o dk/dr2 in place, and the gradient by everything but the lengthscales of the inputs. A
// single lengthscale needs no sums over inputs: d r2 / d log l = -2 r2.
void Stationary::weigh(VectorIn r2, VectorIn k, VectorIn g, VectorOut slope, VectorOut grad) const {
  const Index n_own = n_params() - 1 - n_lengthscales_;
  grad[0] += g.dot(k);
  slope.array() *= g.array();
  // Where r2 = Inf the slope is 0, and so is its product with a finite number.
  if (n_lengthscales_ == 1) grad[1] -= 2.0 * slope.dot(r2.cwiseMin(kLargestDistance));
  if (n_own > 0) own_gradient(r2, g, grad.tail(n_own));
}

// h = g o dk/dr2, and the same part of the gradient.
void Stationary::slopes(MatrixIn r2, MatrixIn g, MatrixOut h, VectorOut grad) const {
  Vector k(r2.rows());
  for (Index j = 0; j < r2.cols(); ++j) {
    profile_and_slope(r2.col(j), k, h.col(j));
    weigh(r2.col(j), k, g.col(j), h.col(j), grad);
  }
}

// Whether a gradient needs sums over pairs beside weigh(): by one lengthscale alone it does not.
bool Stationary::needs_sums(MatrixIn grad_x) const {
  return n_lengthscales_ > 1 || grad_x.size() > 0;
}

// A sum of squares for each of several lengthscales, to be filled by ScaledPairs.
Vector Stationary::no_squares() const {
  return Vector::Zero(n_lengthscales_ > 1 ? n_lengthscales_ : 0);
}

void Stationary::take_squares(const Vector& squares, VectorOut grad) const {
  if (squares.size() > 0) grad.segment(1, n_lengthscales_) -= 2.0 * squares;
}

class Stationary::Evaluated final : public EvaluatedBlock {
 public:
  Evaluated(const Stationary& kernel, ScaledPairs pairs, MatrixOut k)
      : kernel_(kernel),
        pairs_(std::move(pairs)),
        r2_(k.rows(), k.cols()),
        k_(k.rows(), k.cols()),
        slope_(k.rows(), k.cols()) {
    pairs_.squared_distances(r2_, &near_);
    for (Index j = 0; j < k.cols(); ++j)
      kernel.profile_and_slope(r2_.col(j), k_.col(j), slope_.col(j));
    k = MatrixIn(k_);
  }
  Index cols() const override { return k_.cols(); }
  // As many blocks at a time as threads, whose parts are added in order.
  void add_gradients_of(const Row& row, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                        int threads) const override {
    const Index blocks = static_cast<Index>(row.size()), m = g.rows();
    const Index together = std::min<Index>(blocks, std::max(1, threads));
    const int threads_each = threads / static_cast<int>(together);
    const Indices first = first_columns(row);
    const Index dimension = kernel_.needs_sums(grad_a) ? pairs_.dimension() : 0;
    Vector squares = kernel_.no_squares();
    PairSums sums(dimension, m);
    std::vector<std::unique_ptr<PairSums>> own_sums(together);
    if (together > 1)
      for (auto& own : own_sums) own = std::make_unique<PairSums>(dimension, m);
    std::vector<Part> parts(together);
    for (Index begin = 0; begin < blocks; begin += together) {
      const Index count = std::min(together, blocks - begin);
      parallel_blocks(static_cast<int>(together), count, 1, [&](Index t, Index) {
        const Evaluated& block = static_cast<const Evaluated&>(*row[begin + t]);
        const auto weights = g.middleCols(first[begin + t], block.cols());
        parts[t] =
            block.part(weights, dimension > 0, together > 1 ? *own_sums[t] : sums, threads_each);
      });
      for (Index t = 0; t < count; ++t) {
        grad += parts[t].grad;
        squares += parts[t].squares;
        static_cast<const Evaluated&>(*row[begin + t])
            .pairs_.add_near(parts[t].near, squares, Side::left, grad_a);
        if (together > 1) sums.take(*own_sums[t]);
      }
    }
    pairs_.finish_sums(sums, squares, Side::left, grad_a, threads);
    kernel_.take_squares(squares, grad);
  }
  std::unique_ptr<EvaluatedBlock> with(Points b, MatrixOut k) const override {
    return std::make_unique<Evaluated>(kernel_, pairs_.with(b), k);
  }

 private:
  // What the block adds to a gradient beside its sums over pairs.
  struct Part {
    Vector grad, squares;
    NearWeights near;
  };
  Part part(MatrixIn g, bool with_sums, PairSums& sums, int threads) const {
    Part part{Vector::Zero(kernel_.n_params()), kernel_.no_squares(), {}};
    ScratchMatrix h(g.rows(), g.cols());
    h = MatrixIn(slope_);
    for (Index j = 0; j < g.cols(); ++j)
      kernel_.weigh(r2_.col(j), k_.col(j), g.col(j), h.col(j), part.grad);
    if (with_sums)
      part.near = pairs_.collect_sums(r2_, near_, h, part.squares, Side::left, sums, threads);
    return part;
  }

  const Stationary& kernel_;
  ScaledPairs pairs_;
  ScratchMatrix r2_, k_, slope_;
  NearPairs near_;
};

std::unique_ptr<EvaluatedBlock> Stationary::evaluate_block(Points a, Points b, MatrixOut k) const {
  if (rows_) return Kernel::evaluate_block(a, b, k);
  return std::make_unique<Evaluated>(*this, ScaledPairs(a, b, lengthscale()), k);
}

void Stationary::cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const {
  Matrix none(0, 0);
  gradients(a, b, g, grad, none, none);
}

// The slopes h are computed once for both sides. The first side takes the near pairs out of them
// and hands these on.
void Stationary::gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                           MatrixOut grad_b) const {
  if (rows_) {
    if (grad_a.size() + grad_b.size() > 0)
      throw InvalidSpec("sparse rows have no gradient in the inputs");
    return add_sparse_gradient(a, b, g, grad);
  }
  const ScaledPairs pairs(a, b, lengthscale());
  ScratchMatrix r2(a.cols(), b.cols()), h(a.cols(), b.cols());
  NearPairs near;
  pairs.squared_distances(r2, &near);
  slopes(r2, g, h, grad);
  Vector squares = no_squares(), counted;
  NearWeights taken;
  if (needs_sums(grad_b)) taken = pairs.add_sums(r2, near, h, squares, Side::right, grad_b);
  if (grad_a.size() > 0) {
    pairs.add_near(taken, counted, Side::left, grad_a);
    pairs.add_sums(r2, near, h, counted, Side::left, grad_a);
  }
  take_squares(squares, grad);
}

void Stationary::add_sparse_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const {
  ScratchMatrix r2(a.cols(), b.cols()), h(a.cols(), b.cols());
  const RowNumbers of_a = rows_->numbers(a), of_b = rows_->numbers(b);
  rows_->squared_distances(of_a, of_b, precisions(), r2);
  slopes(r2, g, h, grad);
  if (n_lengthscales_ == 1) return;
  Vector squares = Vector::Zero(n_lengthscales_);
  rows_->add_squared_differences(of_a, of_b, h, squares);
  grad.segment(1, n_lengthscales_) -= 2.0 * squares.cwiseProduct(precisions());
}

void Stationary::diagonal_gradient(Points, VectorIn g, VectorOut grad) const {
  grad[0] += variance() * g.sum();
}

void Stationary::input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const {
  Vector unused = Vector::Zero(n_params());
  Matrix none(0, 0);
  gradients(a, b, g, unused, none, grad_b);
}

void Stationary::diagonal_input_gradient(Points, VectorIn, MatrixOut) const {}

void Stationary::own_gradient(VectorIn, VectorIn, VectorOut) const {}

}  // namespace gpsieve
