// Covariance functions, evaluated a block at a time.
//
// Points are columns, or numbers of sparse rows (sparse_rows.h). Hyper-parameters are handled on
// the log scale, but the skews of a warp and the weights of a mix, which may be negative, as they
// are. Their order is: a leaf kernel's own (variance first), a sum's or product's children in turn,
// the child of a warp or a mix and then its own.
#ifndef GPSIEVE_KERNEL_KERNEL_H
#define GPSIEVE_KERNEL_KERNEL_H

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/types.h"
#include "kernel/evaluated_block.h"
#include "kernel/prepared_points.h"
#include "kernel/sparse_rows.h"

namespace gpsieve {

class Kernel {
 public:
  virtual ~Kernel() = default;

  // k(i, j) = k(a_i, b_j) as different points, even where a_i equals b_j.
  virtual void cross(Points a, Points b, MatrixOut k) const = 0;
  // k(i) = k(a_i, a_i).
  virtual void diagonal(Points a, VectorOut k) const = 0;
  // k(i, j) = k(a_i, a_j), full symmetric matrix with the exact diagonal() on the diagonal.
  void gram(Points a, MatrixOut k) const;
  // gram() from the values of cross(a, a, k), which k holds on entry.
  void complete_gram(Points a, MatrixOut k) const;
  // cross(), with what the gradients of the block need. Keeps references: kernel and points must
  // outlive the result, and set_params() invalidates it.
  virtual std::unique_ptr<EvaluatedBlock> evaluate_block(Points a, Points b, MatrixOut k) const;

  // Reverse mode: grad += sum_ij g_ij d k(a_i, b_j) / d log theta. No matrix per parameter.
  virtual void cross_gradient(Points a, Points b, MatrixIn g, VectorOut grad) const = 0;
  virtual void diagonal_gradient(Points a, VectorIn g, VectorOut grad) const = 0;
  // The gradient of sum_ij g_ij k(a_i, a_j) as gram() has it: g need not be symmetric.
  void gram_gradient(Points a, MatrixIn g, VectorOut grad) const;

  // grad_b(:, j) += sum_i g_ij d k(a_i, b_j) / d b_j, for inducing inputs.
  virtual void input_gradient(Points a, Points b, MatrixIn g, MatrixOut grad_b) const = 0;
  // cross_gradient() and the gradients in the inputs of either side at once, where they can share
  // work: grad_a(:, i) += sum_j g_ij d k(a_i, b_j) / d a_i, and grad_b as in input_gradient(). An
  // empty matrix asks for no gradient on its side.
  virtual void gradients(Points a, Points b, MatrixIn g, VectorOut grad, MatrixOut grad_a,
                         MatrixOut grad_b) const;
  // grad_a(:, i) += g_i d k(a_i, a_i) / d a_i; zero for stationary kernels.
  virtual void diagonal_input_gradient(Points a, VectorIn g, MatrixOut grad_a) const = 0;

  // x made ready for many small blocks; kernel and x must outlive the result, and set_params()
  // invalidates it.
  virtual std::unique_ptr<PreparedPoints> prepare(Points x) const;

  virtual Index n_params() const = 0;
  virtual Vector params() const = 0;  // log scale
  virtual void set_params(VectorIn log_params) = 0;

  // False where cross() calls back into the host: evaluate on the main thread only.
  virtual bool thread_safe() const { return true; }
  // How many of `threads` may evaluate the kernel at once.
  int usable_threads(int threads) const { return thread_safe() ? threads : 1; }
};

// A host function k(a, b) -> matrix, for kernels that users write themselves.
using KernelFunction = std::function<void(Points a, Points b, MatrixOut k)>;

// What the host says about a kernel: a tree of names and numbers, natural scale.
struct KernelSpec {
  std::string type;
  std::map<std::string, std::vector<double>> values;  // hyper-parameters and constants by name
  std::vector<KernelSpec> children;                   // of operators
  Indices dims;             // of "on", "warped", "mixed": 0-based input rows
  KernelFunction function;  // of "function"
};

// What the points of a kernel are: inputs of dimension `width`, or row numbers of sparse rows.
struct InputSpace {
  InputSpace(Index p) : width(p) {}
  InputSpace(std::shared_ptr<const SparseRows> sparse)
      : width(sparse->width()), rows(std::move(sparse)) {}

  Index width;
  std::shared_ptr<const SparseRows> rows;  // nullptr: points are the inputs themselves
};

// Builds a kernel for these inputs; throws InvalidSpec for an unknown type, a missing or
// non-positive value, a lengthscale whose length is neither 1 nor the width of the inputs, or a
// kernel that does not take sparse rows.
std::unique_ptr<Kernel> make_kernel(const KernelSpec& spec, const InputSpace& inputs);

// The types make_kernel() knows, in the order of the registry.
Names registered_kernels();

}  // namespace gpsieve

#endif
