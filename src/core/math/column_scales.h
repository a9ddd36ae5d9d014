// Centre, spread and range of the columns of a matrix, safe from overflow at any scale.
#ifndef GPSIEVE_MATH_COLUMN_SCALES_H
#define GPSIEVE_MATH_COLUMN_SCALES_H

#include "base/types.h"

namespace gpsieve {

struct ColumnScales {
  Vector center;  // mean
  Vector scale;   // standard deviation (denominator n - 1); 1 for a constant column
  Vector lowest, highest;
  Index not_finite = -1;  // first column with a value that is missing or infinite; -1: none
};

ColumnScales column_scales(const double* data, Index rows, Index columns);

}  // namespace gpsieve

#endif
