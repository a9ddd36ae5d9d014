// The types of the core: every size and index is a signed 64-bit Index, points are columns.
#ifndef GPSIEVE_BASE_TYPES_H
#define GPSIEVE_BASE_TYPES_H

#include <cstddef>
#include <string>
#include <vector>

#include "base/eigen.h"

namespace gpsieve {

using Index = Eigen::Index;
using Matrix = Eigen::MatrixXd;  // column-major; a set of points is p x n, one point contiguous
using Vector = Eigen::VectorXd;

// Arguments are Refs so that blocks of larger matrices pass without a copy (inner stride 1).
using MatrixIn = const Eigen::Ref<const Matrix>&;
using MatrixOut = Eigen::Ref<Matrix>;
using VectorIn = const Eigen::Ref<const Vector>&;
using VectorOut = Eigen::Ref<Vector>;
using Points = MatrixIn;

using Indices = std::vector<Index>;
using Names = std::vector<std::string>;

}  // namespace gpsieve

#endif
