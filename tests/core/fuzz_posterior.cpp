// libFuzzer: whatever bytes say about a kernel, a posterior and new rows, the core either refuses
// them with one of its own errors or predicts. `make fuzz` runs it under the address and
// undefined-behaviour sanitizers.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "posterior/sparse_posterior.h"
#include "posterior/valid.h"

namespace {

using namespace gpsieve;

// Reads numbers from the fuzzer's bytes; zeros once they are used up.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), left_(size) {}

  std::uint8_t byte() {
    if (left_ == 0) return 0;
    --left_;
    return *data_++;
  }

  Index below(Index bound) { return byte() % bound; }
  bool coin() { return byte() % 2 == 1; }

  // Usually a size that fits, sometimes another one.
  Index near(Index size) {
    const Index roll = below(16);
    return roll == 0 ? below(6) : size;
  }

  // Ordinary numbers mostly; any bit pattern now and then, NaN, infinities and subnormals included.
  double number() {
    const Index kind = below(8);
    if (kind > 0) return (static_cast<double>(byte()) - 128.0) / 32.0;
    std::uint8_t raw[sizeof(double)];
    for (auto& part : raw) part = byte();
    double out;
    std::memcpy(&out, raw, sizeof out);
    return out;
  }

  double size_of_scale() { return coin() ? std::abs(number()) : number(); }

  Matrix matrix(Index rows, Index cols) {
    Matrix out(rows, cols);
    for (Index j = 0; j < cols; ++j)
      for (Index i = 0; i < rows; ++i) out(i, j) = number();
    return out;
  }

 private:
  const std::uint8_t* data_;
  std::size_t left_;
};

KernelSpec leaf(Bytes& bytes, const std::string& type, Index width) {
  const auto value = [&] { return std::vector<double>{bytes.size_of_scale()}; };
  KernelSpec spec;
  spec.type = type;
  if (bytes.below(16) > 0) spec.values["variance"] = value();
  if (type == "rbf" || type == "matern" || type == "separable" || type == "rational_quadratic" ||
      type == "periodic") {
    std::vector<double> lengthscale(static_cast<std::size_t>(bytes.coin() ? 1 : bytes.near(width)));
    for (auto& one : lengthscale) one = bytes.size_of_scale();
    spec.values["lengthscale"] = lengthscale;
  }
  if (type == "matern" || type == "separable")
    spec.values["nu"] = {0.5 + static_cast<double>(bytes.below(4))};
  if (type == "rational_quadratic") spec.values["alpha"] = value();
  if (type == "periodic") spec.values["period"] = value();
  if (type == "polynomial") {
    spec.values["degree"] = {static_cast<double>(bytes.below(6))};
    spec.values["offset"] = value();
    spec.values["scale"] = value();
  }
  return spec;
}

KernelSpec kernel_spec(Bytes& bytes, Index width, int depth) {
  const Names types = registered_kernels();
  const std::string type = types[static_cast<std::size_t>(bytes.below(types.size()))];
  KernelSpec spec = leaf(bytes, type, width);
  if (type == "function") {
    const double scale = bytes.number();
    spec.function = [scale](Points a, Points b, MatrixOut k) { k = scale * a.transpose() * b; };
    spec.values.clear();
  }
  if (type != "sum" && type != "product" && type != "on") return spec;
  spec.values.clear();
  if (type == "on") {
    for (Index i = bytes.below(3); i >= 0; --i) spec.dims.push_back(bytes.near(0));
  }
  const Index children = depth == 0 ? 0 : type == "on" ? 1 : bytes.near(2);
  const Index inside = type == "on" ? static_cast<Index>(spec.dims.size()) : width;
  for (Index i = 0; i < children; ++i)
    spec.children.push_back(kernel_spec(bytes, inside, depth - 1));
  return spec;
}

TriangularMap triangular_map(Bytes& bytes, Index size) {
  TriangularMap map;
  if (bytes.coin()) return map;
  map.factor = bytes.matrix(bytes.near(size), bytes.near(size));
  if (bytes.coin()) map.factor.diagonal() = map.factor.diagonal().cwiseAbs();
  if (bytes.coin()) map.scale = bytes.matrix(bytes.near(size), 1);
  return map;
}

SparsePosterior posterior(Bytes& bytes, Index basis_size, Index width) {
  SparsePosterior out;
  for (Index i = bytes.below(6); i > 0; --i)
    out.basis.push_back(bytes.below(16) > 0 && basis_size > 0 ? bytes.below(basis_size)
                                                              : bytes.below(256) - 128);
  out.intercept = bytes.coin();
  const Index size = static_cast<Index>(out.basis.size()) + (out.intercept ? 1 : 0);
  out.weights = bytes.matrix(bytes.near(size), 1);
  out.down = triangular_map(bytes, size);
  out.up = triangular_map(bytes, size);
  if (bytes.coin()) out.form = bytes.matrix(bytes.near(size), bytes.near(size));
  if (bytes.coin()) out.whitening = bytes.matrix(bytes.near(size), bytes.near(size));
  out.prior_scale = bytes.number();
  out.prior_mean = bytes.number();
  if (bytes.coin()) {
    const Index n = bytes.below(4);
    out.augmentation = {bytes.matrix(bytes.near(width), n), bytes.matrix(bytes.near(n), 1),
                        bytes.number()};
  }
  return out;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  try {
    const Index width = 1 + bytes.below(3), basis_size = bytes.below(6), rows = bytes.below(5);
    const auto kernel = make_kernel(kernel_spec(bytes, width, 2), width);
    const Matrix basis = bytes.matrix(width, basis_size);
    std::vector<SparsePosterior> all;
    for (Index c = 1 + bytes.below(2); c > 0; --c) {
      all.push_back(posterior(bytes, basis_size, width));
      require_valid(all.back(), basis_size, width);
    }
    const Matrix x = bytes.matrix(width, rows);
    const bool want_variance = bytes.coin();
    Matrix mean(rows, all.size()), variance(want_variance ? rows : 0, all.size());
    predict_marginals(*kernel, basis, all, x, want_variance, mean, variance, Context());
    for (Index i = 0; i < variance.size(); ++i)
      if (variance.data()[i] < 0.0) std::abort();
  } catch (const Error&) {
  }
  return 0;
}
