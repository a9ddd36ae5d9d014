// Centre, spread and range of the columns of a matrix, safe from overflow at any scale.
//
// The rows are taken in panels of kScalePanel rows that begin at multiples of it, and the panels'
// numbers are merged in order: rows that arrive in blocks of any size, put together into such
// panels, give the same bits as all rows at once.
#ifndef GPSIEVE_MATH_COLUMN_SCALES_H
#define GPSIEVE_MATH_COLUMN_SCALES_H

#include "base/types.h"

namespace gpsieve {

constexpr Index kScalePanel = 4096;

struct ColumnScales {
  explicit ColumnScales(Index columns = 0);

  // Standard deviation (denominator weight - 1) of column j; 1 for a constant column.
  double scale(Index j) const;
  Vector scales() const;
  // The numbers of these rows, a multiple of kScalePanel, followed by `count` more. `stride` is the
  // distance between the columns of `data`, `weights` the case weight of each row; nullptr: 1.
  void extend(const double* data, Index stride, Index count, const double* weights = nullptr);
  // The numbers of these rows followed by those of `next`.
  void merge(const ColumnScales& next);

  Index rows = 0;
  double weight = 0.0;  // how many rows the rows count as
  Vector mean, lowest, highest;
  // The sum of squared deviations from the mean is squares * unit^2: `unit` is the largest
  // deviation, so that neither the squares nor their sum overflows. Both are 0 for a constant
  // column.
  Vector unit, squares;
  Index not_finite = -1;  // first column with a value that is missing or infinite; -1: none
};

// `weights` holds the case weight of each row; nullptr: 1.
ColumnScales column_scales(const double* data, Index rows, Index columns,
                           const double* weights = nullptr);

// out = (data - center) / scale, column by column; all of them have `rows` rows.
void scale_columns(const double* data, Index rows, Index columns, const Vector& center,
                   const Vector& scale, double* out);
// The scaled numbers of scale_columns() as points: rows of the data are columns of the result.
Matrix scaled_points(const double* data, Index rows, Index columns, const Vector& center,
                     const Vector& scale);

}  // namespace gpsieve

#endif
