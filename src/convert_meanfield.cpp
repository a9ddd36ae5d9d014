#include "convert_meanfield.h"

#include "convert.h"

namespace gpsieve {

MeanfieldOptions meanfield_options(const Rcpp::List& list) {
  const auto method = choice<FieldMethod>(list, "method",
                                          {{"tap", FieldMethod::tap},
                                           {"ensemble", FieldMethod::ensemble},
                                           {"naive", FieldMethod::naive},
                                           {"laplace", FieldMethod::laplace}});
  return {method,
          Rcpp::as<bool>(list["cavity_variance"]),
          Rcpp::as<int>(list["max_iter"]),
          Rcpp::as<double>(list["tol"]),
          Rcpp::as<bool>(list["gradient"]),
          Rcpp::as<bool>(list["keep_factor"])};
}

}  // namespace gpsieve
