// Speed of the dense linear algebra, one thread, beside Eigen compiled with the same flags and a
// BLAS loaded at run time.
//
//   linalg_bench [--cases=gemm,syrk,trsm,chol,gram,exp] [--sizes=16,64,...]
//                [--engines=portable,avx2,avx512,Eigen,BLAS] [--blas=libraries]
//
// --blas takes shared libraries separated by commas, searched in turn for each routine. The engine
// "best" stands for the fastest instruction set. Prints CSV: seconds of CPU time per call and 1e9
// floating-point operations (exp: values) per second. The engines take turns, five rounds of at
// least ten milliseconds (three where one call takes a second), and the median counts: a busy
// neighbour slows all of them down. In-place routines start from a fresh copy, in every column.
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "blas.h"
#include "simd/isa.h"
#include "tasks.h"

using namespace gpsieve;

namespace {

struct Engine {
  std::string name;
  std::function<void()> run;
  Isa isa = Isa::portable;
  Index calls = 1;
  std::vector<double> times = {};
};

double seconds(const Engine& engine, Index calls) {
  set_isa(engine.isa);
  const std::clock_t start = std::clock();
  for (Index i = 0; i < calls; ++i) engine.run();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(calls);
}

// Lets the engines take turns; the median of each one's seconds per call.
void take_turns(std::vector<Engine>& engines) {
  double slowest = 0.0;
  for (Engine& engine : engines) {
    double once = seconds(engine, 1);
    if (once < 0.1) {  // the first call may have met cold memory
      const double few = std::max(seconds(engine, once > 1e-3 ? 1 : 50), 1e-8);
      engine.calls = std::max<Index>(1, static_cast<Index>(0.01 / few));
    } else {
      engine.times.push_back(once);
    }
    slowest = std::max(slowest, once);
  }
  const std::size_t rounds = slowest > 1.0 ? 3 : 5;
  for (std::size_t round = 0; round < rounds; ++round)
    for (Engine& engine : engines)
      if (engine.times.size() < rounds) engine.times.push_back(seconds(engine, engine.calls));
  for (Engine& engine : engines)
    std::nth_element(engine.times.begin(), engine.times.begin() + rounds / 2, engine.times.end());
}

std::vector<Engine> engines_of(const Task& task, const std::vector<std::string>& names) {
  std::vector<Engine> engines;
  for (const std::string& name : names) {
    const bool own = name != "Eigen" && name != "BLAS";
    const Isa isa = name == "best" ? best_isa() : own ? isa_from_name(name) : Isa::portable;
    const std::function<void()>& run = own ? task.ours : name == "BLAS" ? task.blas : task.eigen;
    if (run && isa_supported(isa)) engines.push_back({own ? isa_name(isa) : name, run, isa});
  }
  return engines;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) parts.push_back(part);
  return parts;
}

// "trsm" wants trsm_left and trsm_right.
bool wanted(const std::string& name, const std::vector<std::string>& cases) {
  for (const std::string& some : cases)
    if (name == some || name.compare(0, some.size() + 1, some + "_") == 0) return true;
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::vector<std::string>> options = {
      {"--cases", split("gemm,syrk,trsm,chol,gram,exp")},
      {"--sizes", split("4,6,8,12,16,24,32,48,64,100,200,500,1000,2000,4000")},
      {"--engines", split("portable,avx2,avx512,Eigen,BLAS")},
      {"--blas", {}}};
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    const std::size_t equals = std::min(argument.find('='), argument.size() - 1);
    const auto option = options.find(argument.substr(0, equals));
    if (option == options.end()) {
      std::fprintf(stderr, "unknown argument %s\n", argv[i]);
      return 2;
    }
    option->second = split(argument.substr(equals + 1));
  }
  const Blas blas(options["--blas"]);
  std::printf("case,size,engine,seconds,rate\n");
  for (const std::string& size : options["--sizes"]) {
    Workload workload(std::stol(size), blas);
    for (const Task& task : workload.tasks()) {
      if (!wanted(task.name, options["--cases"])) continue;
      std::vector<Engine> engines = engines_of(task, options["--engines"]);
      take_turns(engines);
      for (const Engine& engine : engines) {
        const double median = engine.times[engine.times.size() / 2];
        std::printf("%s,%s,%s,%.4g,%.4g\n", task.name.c_str(), size.c_str(), engine.name.c_str(),
                    median, task.operations / median);
      }
      std::fflush(stdout);
    }
  }
}
