// Kernel columns of all rows, shared by the machines of a one-vs-rest fit.
#ifndef GPSIEVE_MODELS_IVM_COLUMN_CACHE_H
#define GPSIEVE_MODELS_IVM_COLUMN_CACHE_H

#include <memory>
#include <mutex>
#include <unordered_map>

#include "kernel/bound_kernel.h"

namespace gpsieve {

// Once `capacity` columns are held, further ones are computed at every request. The values of a
// column do not depend on which machine asks, so neither does any result.
class ColumnCache {
 public:
  ColumnCache(const BoundKernel& kernel, Index capacity) : kernel_(kernel), capacity_(capacity) {}

  std::shared_ptr<const Vector> column(Index row) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      const auto found = columns_.find(row);
      if (found != columns_.end()) return found->second;
    }
    auto fresh = std::make_shared<Vector>(kernel_.size());
    kernel_.column(row, 0, *fresh);
    std::lock_guard<std::mutex> lock(mutex_);
    if (static_cast<Index>(columns_.size()) < capacity_) columns_.emplace(row, fresh);
    return fresh;
  }

 private:
  const BoundKernel& kernel_;
  Index capacity_;
  std::mutex mutex_;
  std::unordered_map<Index, std::shared_ptr<const Vector>> columns_;
};

}  // namespace gpsieve

#endif
