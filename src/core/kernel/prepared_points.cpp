#include "kernel/prepared_points.h"

#include <utility>

#include "kernel/kernel.h"

namespace gpsieve {
namespace {

class SelectedRows final : public SelectedPoints {
 public:
  SelectedRows(const PreparedPoints& all, Indices rows) : all_(all), rows_(std::move(rows)) {}
  void block(const SelectedPoints& a, MatrixOut out) const override {
    const Indices& others = static_cast<const SelectedRows&>(a).rows_;
    block(others.data(), static_cast<Index>(others.size()), out);
  }
  void block(const Index* a, Index n_a, MatrixOut out) const override {
    all_.block(a, n_a, rows_.data(), out.cols(), out);
  }

 private:
  const PreparedPoints& all_;
  Indices rows_;
};

}  // namespace

std::unique_ptr<SelectedPoints> PreparedPoints::select(const Index* b, Index n_b) const {
  return std::make_unique<SelectedRows>(*this, Indices(b, b + n_b));
}

Matrix gather_columns(MatrixIn points, const Index* rows, Index n) {
  Matrix out(points.rows(), n);
  for (Index i = 0; i < n; ++i) out.col(i) = points.col(rows[i]);
  return out;
}

void GatheredPoints::block(const Index* a, Index n_a, const Index* b, Index n_b,
                           MatrixOut out) const {
  kernel_.cross(gather_columns(x_, a, n_a), gather_columns(x_, b, n_b), out);
}

void GatheredPoints::column(Index i, Index begin, VectorOut out) const {
  kernel_.cross(x_.middleCols(begin, out.size()), x_.col(i), out);
}

void PointFree::block(const Index*, Index n_a, const Index*, Index n_b, MatrixOut out) const {
  kernel_.cross(Matrix(0, n_a), Matrix(0, n_b), out);
}

void PointFree::column(Index, Index, VectorOut out) const {
  kernel_.cross(Matrix(0, out.size()), Matrix(0, 1), out);
}

}  // namespace gpsieve
