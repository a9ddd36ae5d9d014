#include <Rcpp.h>

#include "base/parallel.h"
#include "linalg/gemm_rate.h"
#include "simd/isa.h"

using namespace gpsieve;

// The speed of the core's matrix product of two size x size matrices, GFlop a second.
// [[Rcpp::export(rng = false)]]
double core_gemm_rate(int size) { return gemm_rate(size); }

// What runs loops on several threads: "OpenMP" or "std::thread".
// [[Rcpp::export(rng = false)]]
std::string core_threading() { return kThreading; }

// The names of all instruction sets, whether or not this build and processor have them.
// [[Rcpp::export(rng = false)]]
std::vector<std::string> core_isas() {
  std::vector<std::string> names;
  for (Isa isa : kAllIsas) names.push_back(isa_name(isa));
  return names;
}

// The instruction set in use, one of core_isas().
// [[Rcpp::export(rng = false)]]
std::string core_isa() { return isa_name(active_isa()); }

// [[Rcpp::export(rng = false)]]
bool core_set_isa(std::string name) { return set_isa(isa_from_name(name)); }
