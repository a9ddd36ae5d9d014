#include "posterior/local_variance.h"

#include "linalg/products.h"

namespace gpsieve {
namespace {

Matrix gather(MatrixIn k, const Indices& rows, const Indices& columns) {
  Matrix out(rows.size(), columns.size());
  for (Index j = 0; j < out.cols(); ++j)
    for (Index i = 0; i < out.rows(); ++i) out(i, j) = k(rows[i], columns[j]);
  return out;
}

}  // namespace

LocalVariance::Parts LocalVariance::parts_of(MatrixIn k, const Indices& which,
                                             const LeafFactors& leaf, int threads) const {
  Parts parts{gather(k, inducing, which), gather(k, leaf.rows, which), Matrix()};
  trsm(Side::left, Triangle::lower, Op::plain, prior_factor, parts.prior, threads);
  trsm(Side::left, Triangle::lower, Op::plain, leaf.factor, parts.leaf, threads);
  if (inducing_size() > 0)
    gemm(-1.0, leaf.inducing, Op::transposed, parts.prior, Op::plain, 1.0, parts.leaf, threads);
  parts.posterior = parts.prior;
  gemm(-1.0, leaf.inducing, Op::plain, parts.leaf, Op::plain, 1.0, parts.posterior, threads);
  trsm(Side::left, Triangle::lower, Op::plain, factor, parts.posterior, threads);
  return parts;
}

void LocalVariance::subtract(MatrixIn k, const Indices& leaf_of, VectorOut out) const {
  const auto columns = rows_by_leaf(leaf_of, static_cast<Index>(leaves.size()));
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    const Indices& which = columns[l];
    if (which.empty()) continue;
    const Parts parts = parts_of(k, which, leaves[l], 1);
    const Index count = static_cast<Index>(which.size());
    Vector prior(count), leaf(count), posterior(count);
    column_squared_norms(parts.prior, prior);
    column_squared_norms(parts.leaf, leaf);
    column_squared_norms(parts.posterior, posterior);
    for (Index j = 0; j < count; ++j)
      out(which[j]) = out(which[j]) - prior(j) - leaf(j) + posterior(j);
  }
}

void LocalVariance::condition(MatrixIn k, const Indices& leaf_of, Matrix& covariance,
                              int threads) const {
  const auto columns = rows_by_leaf(leaf_of, static_cast<Index>(leaves.size()));
  Matrix all(inducing_size(), k.cols()), prior = covariance;
  covariance.setZero();
  for (std::size_t l = 0; l < leaves.size(); ++l) {
    const Indices& which = columns[l];
    if (which.empty()) continue;
    const Parts parts = parts_of(k, which, leaves[l], threads);
    Matrix own = gather(prior, which, which);
    syrk(-1.0, parts.prior, Op::transposed, 1.0, own, threads);
    syrk(-1.0, parts.leaf, Op::transposed, 1.0, own, threads);
    symmetrise_from_lower(own);
    for (Index j = 0; j < own.cols(); ++j) {
      all.col(which[j]) = parts.posterior.col(j);
      for (Index i = 0; i < own.rows(); ++i) covariance(which[i], which[j]) = own(i, j);
    }
  }
  syrk(1.0, all, Op::transposed, 1.0, covariance, threads);
  symmetrise_from_lower(covariance);
}

}  // namespace gpsieve
