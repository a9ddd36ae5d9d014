// Every registered likelihood, with responses and marginals at which its laws are tested.
#ifndef GPSIEVE_TESTS_LIKELIHOOD_HELPERS_H
#define GPSIEVE_TESTS_LIKELIHOOD_HELPERS_H

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "check.h"
#include "likelihood/likelihood.h"
#include "math/constants.h"
#include "math/normal.h"

namespace likelihood_helpers {

using namespace gpsieve;

struct Representative {
  std::vector<std::map<std::string, std::vector<double>>> values;  // one likelihood each
  std::vector<Observed> responses;
  std::vector<Observed> extremes{0.0, 1e6};
  double least = -std::numeric_limits<double>::infinity();  // of all possible responses
  double largest = std::numeric_limits<double>::infinity();
  bool smooth = true;  // has log p two derivatives in f everywhere, as numerical defaults assume?
};

inline constexpr double kEnd = std::numeric_limits<double>::infinity();

inline const std::map<std::string, Representative>& representatives() {
  static const std::map<std::string, Representative> all{
      {"gaussian", {{{{"variance", {0.3}}}, {{"variance", {25.0}}}}, {-3.0, 0.0, 0.4, 7.0}}},
      {"label_noise",
       {{{{"flip", {0.05}}, {"noise", {1.0}}}, {{"flip", {0.3}}, {"noise", {0.05}}}},
        {-1.0, 1.0},
        {-1.0, 1.0}}},
      {"probit", {{{{"noise", {1.0}}}, {{"noise", {0.05}}}}, {-1.0, 1.0}, {-1.0, 1.0}}},
      {"logit", {{{}}, {-1.0, 1.0}, {-1.0, 1.0}}},
      {"student",
       {{{{"df", {4.0}}, {"scale", {0.5}}},
         {{"df", {1.0}}, {"scale", {0.01}}},
         {{"df", {30.0}}, {"scale", {2.0}}}},
        {-3.0, 0.0, 0.4, 7.0}}},
      {"quantile",
       {{{{"tau", {0.5}}, {"scale", {0.3}}},
         {{"tau", {0.9}}, {"scale", {0.02}}},
         {{"tau", {0.05}}, {"scale", {4.0}}}},
        {-3.0, 0.05, 0.4, 7.0},
        {0.0, 1e6},
        -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::infinity(),
        false}},
      {"poisson", {{{}, {{"zero_inflation", {0.3}}}}, {0.0, 1.0, 6.0, 250.0}, {0.0, 1e6}, 0.0}},
      {"negative_binomial",
       {{{{"size", {0.7}}}, {{"size", {50.0}}}, {{"size", {2.0}}, {"zero_inflation", {0.2}}}},
        {0.0, 1.0, 6.0, 250.0},
        {0.0, 1e6},
        0.0}},
      {"binomial",
       {{{{"trials", {1.0}}}, {{"trials", {12.0}}}},
        {0.0, 1.0, {3.0, 17.0}, {0.0, 5.0}, {900.0, 100.0}},
        {0.0, 1.0, {3e5, 7e5}, {1e12, 1e9}},
        0.0,
        12.0}},
      {"ordinal",
       {{{{"cuts", {0.0, 1.0, 1.2}}}, {{"cuts", {-3.0, -2.9, 4.0}}}},
        {0.0, 1.0, 2.0, 3.0},
        {0.0, 1.0, 2.0, 3.0},
        0.0,
        3.0}},
      {"gamma",
       {{{{"shape", {0.6}}}, {{"shape", {4.0}}}, {{"shape", {50.0}}}},
        {1e-3, 0.4, 1.0, 7.0},
        {1e-6, 1e6},
        0.0}},
      {"beta",
       {{{{"precision", {0.8}}}, {{"precision", {5.0}}}, {{"precision", {300.0}}}},
        {1e-3, 0.4, 0.97},
        {1e-9, 0.5},
        0.0,
        1.0}},
      {"function", {{{{"counts", {0.0}}, {"log_concave", {1.0}}}}, {-3.0, 0.0, 0.4, 7.0}}},
      {"lognormal", {{{{"variance", {0.3}}}}, {1e-3, 0.4, 1.0, 7.0}, {1e-6, 1e6}, 0.0}},
      {"warped",
       {{{{"variance", {0.3}},
          {"skew", {0.0}},
          {"tail", {1.0}},
          {"center", {0.0}},
          {"scale", {1.0}}},
         {{"variance", {0.1}},
          {"skew", {0.7}},
          {"tail", {0.6}},
          {"center", {1.0}},
          {"scale", {2.0}}},
         {{"variance", {1.0}},
          {"skew", {-0.4}},
          {"tail", {1.5}},
          {"center", {0.3}},
          {"scale", {0.5}}}},
        {-3.0, 0.0, 0.4, 7.0}}},
      {"warped_log",
       {{{{"variance", {0.2}},
          {"skew", {0.2}},
          {"tail", {1.1}},
          {"center", {0.1}},
          {"scale", {0.8}}}},
        {1e-3, 0.4, 1.0, 7.0},
        {1e-6, 1e6},
        0.0}},
      {"censored_lognormal",
       {{{{"variance", {0.5}}}},
        {1e-3, 0.4, {7.0, 7.0}, {0.0, 1.0}, {2.0, 3.0}},
        {1e-6, 1e6},
        0.0}},
      {"censored_gaussian",
       {{{{"variance", {0.3}}}},
        {-3.0, {0.4, 0.4}, {-kEnd, -1.0}, {0.5, kEnd}, {2.0, 2.01}},
        {0.0, 1e6, {-kEnd, -1.0}, {0.5, kEnd}, {2.0, 2.01}}}},
  };
  return all;
}

// Gaussian noise of the host's, of variance 0.3.
inline HostLikelihood gaussian_host() {
  return {[](VectorIn y, VectorIn f) -> Matrix {
            return ((y - f).array().square() / -0.6 - 0.5 * std::log(0.3) - kLogSqrt2Pi).matrix();
          },
          [](VectorIn y, VectorIn f) -> Matrix {
            Matrix out(y.size(), 2);
            out.col(0) = (y - f) / 0.3;
            out.col(1).setConstant(-1.0 / 0.3);
            return out;
          },
          [](VectorIn p, VectorIn f) -> Matrix {
            return f + std::sqrt(0.3) * p.unaryExpr([](double u) { return normal::quantile(u); });
          }};
}

inline std::unique_ptr<Likelihood> made(const std::string& type,
                                        const std::map<std::string, std::vector<double>>& values) {
  return make_likelihood({type, values, type == "function" ? gaussian_host() : HostLikelihood{}});
}

template <class Body>
void for_each_likelihood(const Body& body) {
  for (const std::string& type : registered_likelihoods()) {
    const Representative& representative = representatives().at(type);
    for (const auto& values : representative.values)
      body(*made(type, values), representative.responses);
  }
}

// The same with the representative, for laws that need to know what responses are possible.
template <class Body>
void for_each_representative(const Body& body) {
  for (const std::string& type : registered_likelihoods())
    for (const auto& values : representatives().at(type).values)
      body(*made(type, values), representatives().at(type));
}

// Those whose log density has two derivatives in f.
template <class Body>
void for_each_smooth_likelihood(const Body& body) {
  for_each_representative([&](const Likelihood& likelihood, const Representative& of) {
    if (of.smooth) body(likelihood, of.responses);
  });
}

inline const std::vector<double> kMeans{-8.0, -2.0, -0.1, 0.0, 0.6, 3.0, 10.0};
inline const std::vector<double> kVariances{1e-9, 1e-3, 0.2, 1.0, 9.0, 400.0};

// Natural units of d1 and d2, for errors where they nearly vanish.
inline double unit(const Tilted& t) { return std::sqrt(t.d1 * t.d1 + std::abs(t.d2)); }

inline void check_same(const Tilted& a, const Tilted& b, double tolerance) {
  CHECK_NEAR(a.log_z, b.log_z, tolerance);
  CHECK(std::abs(a.d1 - b.d1) <= tolerance * (unit(b) + 1e-12));
  CHECK(std::abs(a.d2 - b.d2) <= tolerance * (unit(b) * unit(b) + 1e-12));
}

}  // namespace likelihood_helpers

#endif
