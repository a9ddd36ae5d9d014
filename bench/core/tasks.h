// What is timed: one task per routine, on operands of one size, for every engine that has it.
#ifndef GPSIEVE_BENCH_TASKS_H
#define GPSIEVE_BENCH_TASKS_H

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/types.h"
#include "blas.h"
#include "kernel/kernel.h"
#include "linalg/products.h"

struct Task {
  std::string name;
  double operations;  // 1e9
  std::function<void()> ours, eigen, blas;
};

// Operands of size n x n; for `gram` n and n / 2 points of 169 inputs.
class Workload {
 public:
  Workload(gpsieve::Index n, const Blas& blas);
  std::vector<Task> tasks();

 private:
  Task gemm(gpsieve::Op op_a);
  Task syrk();
  Task trsm(gpsieve::Side side);
  Task chol();
  Task gram();
  Task exp();

  const Blas& blas_;
  gpsieve::Index n_;
  gpsieve::Matrix a_, b_, c_, start_, spd_, factor_, points_, others_, k_;
  std::unique_ptr<gpsieve::Kernel> kernel_;
};

#endif
