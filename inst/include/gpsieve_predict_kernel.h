// The covariance functions of models that export_model() wrote, for gpsieve_predict.h.
#ifndef GPSIEVE_PREDICT_KERNEL_H
#define GPSIEVE_PREDICT_KERNEL_H

#include <cmath>
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "gpsieve_predict_json.h"

namespace gpsieve_predict {

constexpr double kPi = 3.14159265358979323846;

using Indices = std::vector<std::size_t>;

inline Indices indices(const Numbers& numbers, std::size_t size) {
  Indices out;
  for (const double x : numbers) {
    if (!(x >= 0.0 && x < static_cast<double>(size))) fail("the model has a wrong number");
    out.push_back(static_cast<std::size_t>(x));
  }
  return out;
}

// k(x, z) of two points, which are different ones even where they are equal, or of one, the `same`.
using Kernel = std::function<double(const Numbers& x, const Numbers& z, bool same)>;

// A point with c + r sinh(s asinh((x - c) / r) - e) for x in some of its columns.
inline std::function<Numbers(Numbers)> warp_of(const Json& spec, std::size_t width) {
  const Indices columns = indices(spec.at("columns").numbers, width);
  std::vector<Numbers> values;
  for (const char* name : {"center", "spread", "skew", "tail"}) {
    values.push_back(spec.at(name).numbers);
    if (values.back().size() != columns.size()) fail("a warp lacks numbers");
  }
  return [columns, values](Numbers x) {
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const double c = values[0][d], r = values[1][d];
      double& at = x[columns[d]];
      at = c + r * std::sinh(values[3][d] * std::asinh((at - c) / r) - values[2][d]);
    }
    return x;
  };
}

// What the kernel in a mix sees of a row.
inline std::function<Numbers(Numbers)> mix_of(const Json& spec, std::size_t width) {
  const Indices columns = indices(spec.at("columns").numbers, width);
  const Numbers weights = spec.at("mixing").numbers;
  if (weights.size() + columns.size() != columns.size() * columns.size())
    fail("a mix lacks numbers");
  return [columns, weights](const Numbers& x) {
    Numbers mixed = x;
    std::size_t at = 0;
    for (const std::size_t d : columns)
      for (const std::size_t c : columns)
        if (c != d) mixed[d] += weights[at++] * x[c];
    return mixed;
  };
}

inline Kernel make_kernel(const Json& spec, std::size_t width) {
  const std::string& type = spec.at("type").text;
  if (type == "sum" || type == "product") {
    std::vector<Kernel> parts;
    for (const Json& part : spec.at("children").items) parts.push_back(make_kernel(part, width));
    return [parts, add = type == "sum"](const Numbers& x, const Numbers& z, bool same) {
      double out = add ? 0.0 : 1.0;
      for (const Kernel& part : parts) out = add ? out + part(x, z, same) : out * part(x, z, same);
      return out;
    };
  }
  if (type == "warped" || type == "mixed") {
    const Kernel inner = make_kernel(spec.at("children").items.at(0), width);
    const auto map = type == "warped" ? warp_of(spec, width) : mix_of(spec, width);
    return [inner, map](const Numbers& x, const Numbers& z, bool same) {
      return inner(map(x), map(z), same);
    };
  }
  const double v = spec.number("variance");
  if (type == "constant") return [v](const Numbers&, const Numbers&, bool) { return v; };
  if (type == "white")
    return [v](const Numbers&, const Numbers&, bool same) { return same ? v : 0.0; };

  const Indices columns = indices(spec.at("columns").numbers, width);
  const Numbers lengths = spec.at("lengthscale").numbers;
  if (lengths.size() != columns.size()) fail("a kernel lacks lengthscales");
  // The sum over columns of term(x_d, z_d, l_d).
  const auto sum = [columns, lengths](const Numbers& x, const Numbers& z, const auto& term) {
    double total = 0.0;
    for (std::size_t d = 0; d < columns.size(); ++d)
      total += term(x[columns[d]], z[columns[d]], lengths[d]);
    return total;
  };
  const auto product = [sum](const Numbers& x, const Numbers& z) {
    return sum(x, z, [](double a, double b, double l) { return (a / l) * (b / l); });
  };
  if (type == "linear")
    return [=](const Numbers& x, const Numbers& z, bool) { return v * product(x, z); };
  if (type == "polynomial") {
    const double offset = spec.number("offset"), scale = spec.number("scale");
    return [=, n = spec.number("degree")](const Numbers& x, const Numbers& z, bool) {
      return v * std::pow(offset + scale * product(x, z), n);
    };
  }
  if (type == "periodic")
    return [=, period = spec.number("period")](const Numbers& x, const Numbers& z, bool) {
      return v * std::exp(-2.0 * sum(x, z, [period](double a, double b, double l) {
               return std::pow(std::sin(kPi * (std::remainder(a - b, period) / period)) / l, 2);
             }));
    };
  const auto distance = [sum](const Numbers& x, const Numbers& z) {  // squared
    return sum(x, z, [](double a, double b, double l) { return (a - b) / l * ((a - b) / l); });
  };
  if (type == "rbf")
    return [=](const Numbers& x, const Numbers& z, bool) {
      return v * std::exp(-0.5 * distance(x, z));
    };
  if (type == "rational_quadratic")
    return [=, a = spec.number("alpha")](const Numbers& x, const Numbers& z, bool) {
      return v * std::exp(-a * std::log1p(0.5 * distance(x, z) / a));
    };
  if (type != "matern") fail("the kernel '" + type + "' is not known");
  return [=, nu = spec.number("nu")](const Numbers& x, const Numbers& z, bool) {
    const double t = std::sqrt(2.0 * nu * distance(x, z));
    return v * std::exp(-t) * (nu < 1.0 ? 1.0 : nu < 2.0 ? 1.0 + t : 1.0 + t + t * t / 3.0);
  };
}

}  // namespace gpsieve_predict

#endif
