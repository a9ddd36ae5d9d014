// Eigen as a header of the system, so that its warnings are not those of this package: its vector
// types make GCC say thousands of times that attributes of template arguments are ignored. What a
// header of the system includes is one too.
#ifndef GPSIEVE_BASE_EIGEN_H
#define GPSIEVE_BASE_EIGEN_H

#ifdef __GNUC__
#pragma GCC system_header
#endif

#include <Eigen/Core>

#endif
