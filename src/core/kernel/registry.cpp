// The one place that knows every kernel by name.
#include "base/error.h"
#include "kernel/factories.h"

namespace gpsieve {
namespace {

struct Entry {
  const char* type;
  KernelFactory* make;
};

constexpr Entry kRegistry[] = {
    {"rbf", make_rbf},
    {"matern", make_matern},
    {"separable", make_separable},
    {"rational_quadratic", make_rational_quadratic},
    {"linear", make_linear},
    {"polynomial", make_polynomial},
    {"periodic", make_periodic},
    {"great_circle", make_great_circle},
    {"affine", make_affine},
    {"categorical", make_categorical},
    {"constant", make_constant},
    {"white", make_white},
    {"sum", make_sum},
    {"product", make_product},
    {"on", make_on},
    {"warped", make_warped},
    {"mixed", make_mixed},
    {"function", make_function},
};

}  // namespace

std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec, const InputSpace& inputs) {
  for (const auto& entry : kRegistry)
    if (spec.type == entry.type) return entry.make(spec, inputs);
  throw InvalidSpec("there is no kernel of type '" + spec.type + "'");
}

Names registered_kernels() {
  Names types;
  for (const auto& entry : kRegistry) types.push_back(entry.type);
  return types;
}

}  // namespace gpsieve
