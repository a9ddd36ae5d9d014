// Reading the numbers of a KernelSpec; every complaint names the kernel, the value and what it was.
#ifndef GPSIEVE_KERNEL_SPEC_VALUES_H
#define GPSIEVE_KERNEL_SPEC_VALUES_H

#include "kernel/kernel.h"

namespace gpsieve {

// Throws unless `spec` has exactly these values: a misspelt name is never ignored.
void expect_values(const KernelSpec& spec, const Names& names);

double positive_value(const KernelSpec& spec, const std::string& name);
double non_negative_value(const KernelSpec& spec, const std::string& name);

// Exactly this many finite numbers.
Vector finite_values(const KernelSpec& spec, const std::string& name, Index count);

// Throws unless `spec` has one child and names rows of the inputs.
void expect_child_and_dims(const KernelSpec& spec, const InputSpace& inputs);

// "lengthscale": one positive number for all rows of the inputs, or one for each of the p (ARD).
Vector lengthscale_values(const KernelSpec& spec, Index p);

// (variance, lengthscales, rest...): the parameter vector of a leaf.
Vector join_values(double variance, const Vector& lengthscale,
                   const std::vector<double>& rest = {});

// Throws where a kernel that looks at the inputs' numbers one by one is given sparse rows.
void refuse_sparse_rows(const KernelSpec& spec, const InputSpace& inputs);

[[noreturn]] void refuse_value(const KernelSpec& spec, const std::string& name,
                               const std::string& wanted, double found);

}  // namespace gpsieve

#endif
