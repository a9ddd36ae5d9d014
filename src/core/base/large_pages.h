// Memory in large pages, where the operating system has them.
//
// Linux hands out memory in pages of 4 KiB, each at the price of an interrupt of the program, and
// the processor remembers where only some thousands of them are. Columns of a large matrix that lie
// far apart then cost more to find than to read. Pages of 2 MiB are 512 times fewer.
#ifndef GPSIEVE_BASE_LARGE_PAGES_H
#define GPSIEVE_BASE_LARGE_PAGES_H

#include "base/types.h"

namespace gpsieve {

// Asks for large pages for memory that has not been written yet. Changes no content, does nothing
// for small areas and on systems without the request, and a refusal has no consequence.
void request_large_pages(void* memory, std::size_t bytes);

// A matrix of unspecified content whose memory has been asked for in large pages.
Matrix large_matrix(Index rows, Index cols);

// A matrix of zeros whose memory has been asked for in large pages.
Matrix large_zero_matrix(Index rows, Index cols);

}  // namespace gpsieve

#endif
