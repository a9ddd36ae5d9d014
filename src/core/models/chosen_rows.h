// Some of the rows of a problem, as a problem of their own.
#ifndef GPSIEVE_MODELS_CHOSEN_ROWS_H
#define GPSIEVE_MODELS_CHOSEN_ROWS_H

#include "base/types.h"
#include "likelihood/case_terms.h"

namespace gpsieve {

inline Matrix chosen_columns(MatrixIn x, const Indices& columns) {
  Matrix out(x.rows(), static_cast<Index>(columns.size()));
  for (Index i = 0; i < out.cols(); ++i) out.col(i) = x.col(columns[i]);
  return out;
}

inline Matrix chosen_rows(MatrixIn y, const Indices& rows) {
  Matrix out(static_cast<Index>(rows.size()), y.cols());
  for (Index i = 0; i < out.rows(); ++i) out.row(i) = y.row(rows[i]);
  return out;
}

// Empty vectors stay empty.
inline CaseTerms chosen(const CaseTerms& cases, const Indices& rows) {
  const auto part = [&](const Vector& values) {
    Vector out(values.size() > 0 ? static_cast<Index>(rows.size()) : 0);
    for (Index i = 0; i < out.size(); ++i) out[i] = values[rows[i]];
    return out;
  };
  return {part(cases.weight), part(cases.offset)};
}

}  // namespace gpsieve

#endif
