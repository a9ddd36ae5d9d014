#include "kernel/spec_values.h"

#include <algorithm>
#include <cmath>
#include <locale>
#include <sstream>

#include "base/error.h"

namespace gpsieve {
namespace {

std::string about(const KernelSpec& spec) { return "kernel '" + spec.type + "': "; }

bool is_positive(double value) { return value > 0.0 && std::isfinite(value); }

const std::vector<double>& find(const KernelSpec& spec, const std::string& name) {
  const auto found = spec.values.find(name);
  if (found == spec.values.end()) throw InvalidSpec(about(spec) + name + " is missing");
  return found->second;
}

double single(const KernelSpec& spec, const std::string& name) {
  const auto& numbers = find(spec, name);
  if (numbers.size() != 1)
    throw InvalidSpec(about(spec) + name + " must be a single number, found " +
                      std::to_string(numbers.size()) + " numbers");
  return numbers[0];
}

}  // namespace

void refuse_value(const KernelSpec& spec, const std::string& name, const std::string& wanted,
                  double found) {
  std::ostringstream message;
  message.imbue(std::locale::classic());
  message << about(spec) << name << " must be " << wanted << ", found " << found;
  throw InvalidSpec(message.str());
}

void expect_values(const KernelSpec& spec, const Names& names) {
  for (const auto& name : names) find(spec, name);
  for (const auto& given : spec.values)
    if (std::find(names.begin(), names.end(), given.first) == names.end())
      throw InvalidSpec(about(spec) + "there is no value named '" + given.first + "'");
}

double positive_value(const KernelSpec& spec, const std::string& name) {
  const double value = single(spec, name);
  if (!is_positive(value)) refuse_value(spec, name, "a positive finite number", value);
  return value;
}

double non_negative_value(const KernelSpec& spec, const std::string& name) {
  const double value = single(spec, name);
  if (value != 0.0 && !is_positive(value))
    refuse_value(spec, name, "zero or a positive finite number", value);
  return value;
}

Vector finite_values(const KernelSpec& spec, const std::string& name, Index count) {
  const auto& numbers = find(spec, name);
  if (static_cast<Index>(numbers.size()) != count)
    throw InvalidSpec(about(spec) + name + " must have length " + std::to_string(count) +
                      ", found " + std::to_string(numbers.size()));
  for (const double value : numbers)
    if (!std::isfinite(value)) refuse_value(spec, name, "finite", value);
  return Eigen::Map<const Vector>(numbers.data(), count);
}

void expect_child_and_dims(const KernelSpec& spec, const InputSpace& inputs) {
  if (spec.children.size() != 1)
    throw InvalidSpec(about(spec) + "there must be one child, found " +
                      std::to_string(spec.children.size()));
  if (spec.dims.empty()) throw InvalidSpec(about(spec) + "dims must name input rows, found none");
  for (const Index dim : spec.dims)
    if (dim < 0 || dim >= inputs.width)
      throw InvalidSpec(about(spec) + "dims must lie in 1.." + std::to_string(inputs.width) +
                        ", found " + std::to_string(dim + 1));
}

void refuse_sparse_rows(const KernelSpec& spec, const InputSpace& inputs) {
  if (inputs.rows) throw InvalidSpec("kernel '" + spec.type + "' does not take sparse rows");
}

Vector lengthscale_values(const KernelSpec& spec, Index p) {
  const auto& numbers = find(spec, "lengthscale");
  const Index count = static_cast<Index>(numbers.size());
  if (count != 1 && count != p)
    throw InvalidSpec(about(spec) + "lengthscale must have length 1 or " + std::to_string(p) +
                      ", the dimension of the inputs, found " + std::to_string(count));
  for (const double value : numbers)
    if (!is_positive(value)) refuse_value(spec, "lengthscale", "positive and finite", value);
  return Eigen::Map<const Vector>(numbers.data(), count);
}

Vector join_values(double variance, const Vector& lengthscale, const std::vector<double>& rest) {
  const Index count = lengthscale.size(), extra = static_cast<Index>(rest.size());
  Vector joined(1 + count + extra);
  joined[0] = variance;
  joined.segment(1, count) = lengthscale;
  for (Index i = 0; i < extra; ++i) joined[1 + count + i] = rest[i];
  return joined;
}

}  // namespace gpsieve
