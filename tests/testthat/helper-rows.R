# Sources of rows for tests.

# A data frame in blocks of `size` rows, each as `convert` returns it.
rows_of_frame <- function(data, size = 7, on_block = function(block) NULL, convert = identity) {
  starts <- if (nrow(data)) seq(1, nrow(data), by = size)
  block <- 0
  rows_from_function(function(reset) {
    if (reset) {
      block <<- 0
      return(NULL)
    }
    block <<- block + 1
    on_block(block)
    if (block > length(starts)) return(NULL)
    convert(data[seq(starts[block], min(nrow(data), starts[block] + size - 1)), , drop = FALSE])
  })
}
