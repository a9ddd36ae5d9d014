// Blocks of rows whose evidences stand for that of all rows (theory.md#blocks).
#ifndef GPSIEVE_LEARNING_BLOCKS_H
#define GPSIEVE_LEARNING_BLOCKS_H

#include "base/rng.h"
#include "base/types.h"

namespace gpsieve {

// Both return `size` different row numbers in increasing order, or those of all rows where these
// are not more.

// Rows that are near each other: the set of all rows is halved, again and again, at the median of a
// column. `scale` has a length for each column, in which distances along that column are measured;
// a column is drawn with probability in proportion to the squared spread of its values over that
// length.
Indices near_block(Points x, VectorIn scale, Index size, Rng& rng);

// Rows drawn from all rows alike.
Indices random_block(Index n, Index size, Rng& rng);

}  // namespace gpsieve

#endif
