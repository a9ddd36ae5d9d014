#include <Rcpp.h>

#include "convert.h"
#include "convert_problem.h"
#include "kernel/kernel.h"

using namespace gpsieve;

// k(x, z); where z is NULL the symmetric k(x, x) with white noise on its diagonal.
// [[Rcpp::export(rng = false)]]
Rcpp::NumericMatrix core_kernel_matrix(Rcpp::List kernel_spec, Rcpp::NumericMatrix x,
                                       Rcpp::Nullable<Rcpp::NumericMatrix> z) {
  const InputKernel k(kernel_spec, x.ncol());
  const Matrix a = k.points(x);
  if (z.isNull()) {
    Matrix out(a.cols(), a.cols());
    k->gram(a, out);
    return wrap_matrix(out);
  }
  const Matrix b = k.points(Rcpp::NumericMatrix(z));
  Matrix out(a.cols(), b.cols());
  k->cross(a, b, out);
  return wrap_matrix(out);
}

// [[Rcpp::export(rng = false)]]
Rcpp::CharacterVector core_kernels() { return Rcpp::wrap(registered_kernels()); }
