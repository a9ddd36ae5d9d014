#include "tasks.h"

#include <Eigen/Cholesky>

#include "linalg/cholesky.h"
#include "simd/profiles.h"

using namespace gpsieve;

namespace {

constexpr Index kInputs = 169;
constexpr double kVariance = 2.0, kLengthscale = 9.0;
const double one = 1.0, minus_one = -1.0, zero = 0.0;

double cube(Index n) {
  const double size = static_cast<double>(n);
  return 1e-9 * size * size * size;
}

std::unique_ptr<Kernel> rbf() {
  KernelSpec spec;
  spec.type = "rbf";
  spec.values["variance"] = {kVariance};
  spec.values["lengthscale"] = {kLengthscale};
  return make_kernel(spec, kInputs);
}

}  // namespace

Workload::Workload(Index n, const Blas& blas)
    : blas_(blas),
      n_(n),
      a_(Matrix::Random(n, n)),
      b_(Matrix::Random(n, n)),
      c_(n, n),
      start_(Matrix::Random(n, n)),
      spd_(Matrix::Constant(n, n, 0.5)),
      points_(Matrix::Random(kInputs, n)),
      others_(Matrix::Random(kInputs, n / 2)),
      k_(n, n / 2),
      kernel_(rbf()) {
  spd_.diagonal().setConstant(2.0);
  factor_ = spd_;
  cholesky_in_place(factor_);
  factor_.triangularView<Eigen::StrictlyUpper>().setZero();
}

std::vector<Task> Workload::tasks() {
  return {gemm(Op::plain),
          gemm(Op::transposed),
          syrk(),
          trsm(Side::left),
          trsm(Side::right),
          chol(),
          gram(),
          exp()};
}

Task Workload::gemm(Op op_a) {
  const bool plain = op_a == Op::plain;
  Task task{plain ? "gemm" : "gemm_tn", 2.0 * cube(n_), {}, {}, {}};
  task.ours = [this, op_a] { gpsieve::gemm(1.0, a_, op_a, b_, Op::plain, 0.0, c_); };
  task.eigen = [this, plain] {
    if (plain)
      c_.noalias() = a_ * b_;
    else
      c_.noalias() = a_.transpose() * b_;
  };
  if (blas_.gemm)
    task.blas = [this, plain, n = static_cast<int>(n_)] {
      blas_.gemm(plain ? "N" : "T", "N", &n, &n, &n, &one, a_.data(), &n, b_.data(), &n, &zero,
                 c_.data(), &n);
    };
  return task;
}

Task Workload::syrk() {
  Task task{"syrk", cube(n_), {}, {}, {}};
  task.ours = [this] { gpsieve::syrk(-1.0, a_, Op::plain, 0.0, c_); };
  task.eigen = [this] {
    c_.triangularView<Eigen::Lower>().setZero();
    c_.selfadjointView<Eigen::Lower>().rankUpdate(a_, -1.0);
  };
  if (blas_.syrk)
    task.blas = [this, n = static_cast<int>(n_)] {
      blas_.syrk("L", "N", &n, &n, &minus_one, a_.data(), &n, &zero, c_.data(), &n);
    };
  return task;
}

Task Workload::trsm(Side side) {
  const bool left = side == Side::left;
  Task task{left ? "trsm_left" : "trsm_right", cube(n_), {}, {}, {}};
  task.ours = [this, side, left] {
    c_ = start_;
    gpsieve::trsm(side, Triangle::lower, left ? Op::plain : Op::transposed, factor_, c_);
  };
  task.eigen = [this, left] {
    c_ = start_;
    if (left)
      factor_.triangularView<Eigen::Lower>().solveInPlace(c_);
    else
      factor_.transpose().triangularView<Eigen::Upper>().solveInPlace<Eigen::OnTheRight>(c_);
  };
  if (blas_.trsm)
    task.blas = [this, left, n = static_cast<int>(n_)] {
      c_ = start_;
      blas_.trsm(left ? "L" : "R", "L", left ? "N" : "T", "N", &n, &n, &one, factor_.data(), &n,
                 c_.data(), &n);
    };
  return task;
}

Task Workload::chol() {
  Task task{"chol", cube(n_) / 3.0, {}, {}, {}};
  task.ours = [this] {
    c_ = spd_;
    cholesky_in_place(c_);
  };
  task.eigen = [this] {
    c_ = spd_;
    Eigen::LLT<Eigen::Ref<Matrix>> llt(c_);
  };
  if (blas_.potrf)
    task.blas = [this, n = static_cast<int>(n_)] {
      int info = 0;
      c_ = spd_;
      blas_.potrf("L", &n, c_.data(), &n, &info);
    };
  return task;
}

// Counts the operations of the product inside only.
Task Workload::gram() {
  const double pairs = static_cast<double>(k_.size());
  Task task{"gram", 2e-9 * pairs * static_cast<double>(kInputs), {}, {}, {}};
  task.ours = [this] { kernel_->cross(points_, others_, k_); };
  task.eigen = [this] {
    const Vector norms = points_.colwise().squaredNorm(), other = others_.colwise().squaredNorm();
    k_.noalias() = points_.transpose() * others_;
    const double scale = -0.5 / (kLengthscale * kLengthscale);
    for (Index j = 0; j < k_.cols(); ++j)
      k_.col(j) = kVariance * (scale * (norms.array() + other[j] - 2.0 * k_.col(j).array())).exp();
  };
  return task;
}

// The profile of the RBF kernel on squared distances; counts values.
Task Workload::exp() {
  const Index size = n_ * n_;
  Task task{"exp", 1e-9 * static_cast<double>(size), {}, {}, {}};
  task.ours = [this, size] { profile_rbf(start_.data(), c_.data(), size, kVariance); };
  task.eigen = [this] { c_.array() = kVariance * (-0.5 * start_.array().max(0.0)).exp(); };
  return task;
}
