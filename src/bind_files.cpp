#include <Rcpp.h>

#include <cstdio>
#include <string>

#ifdef _WIN32
#include <io.h>
#else
#include <unistd.h>
#endif

// Asks the system to write a file to the disk; false if it cannot, as on a full network disk.
// [[Rcpp::export(rng = false)]]
bool core_flush_file(std::string path) {
  std::FILE* file = std::fopen(path.c_str(), "r+b");
  if (file == nullptr) return false;
#ifdef _WIN32
  const bool flushed = _commit(_fileno(file)) == 0;
#else
  const bool flushed = fsync(fileno(file)) == 0;
#endif
  return std::fclose(file) == 0 && flushed;
}
