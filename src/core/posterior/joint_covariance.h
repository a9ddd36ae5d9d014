// The posterior covariance of a latent function between every two points of prediction.
//
//   cov(x, z) = prior_scale k(x, z) - (D k_B(x))'(D k_B(z)) + (U k_B(x))'(U k_B(z)) + form
//
// D, U and the form are those of sparse_posterior.h, whose variances stand on the diagonal.
#ifndef GPSIEVE_POSTERIOR_JOINT_COVARIANCE_H
#define GPSIEVE_POSTERIOR_JOINT_COVARIANCE_H

#include "posterior/sparse_posterior.h"

namespace gpsieve {

// One n x n matrix for each posterior at the n columns of x. The columns of x are different points
// even where they are equal, so independent noise of the kernel stands on the diagonal only. Throws
// InvalidSpec for a posterior with an augmentation: it adds another basis function at every point,
// so that no two points belong to one model.
std::vector<Matrix> joint_covariances(const Kernel& kernel, Points basis,
                                      const std::vector<SparsePosterior>& posteriors, Points x,
                                      const Context& ctx);

// draws = lower Cholesky factor of `covariance` times `normal`: each column of standard normal
// numbers becomes a draw from N(0, covariance). A singular covariance gets the least jitter with
// which it can be factored.
Matrix correlated_draws(Matrix covariance, MatrixIn normal, int threads);

}  // namespace gpsieve

#endif
