# A copy of the rows of a source as numbers, in a file of the session's temporary folder, for
# sources made with `copy = TRUE`. The pass that makes the first model matrix of all rows writes it,
# and all later passes read it instead of the source. Where the copy would take more than a limit,
# later passes read the source again.
#
# The file has a record for each row: its values of the model matrix, then the numbers of its
# response, then its offset if there is one. Where a row stands follows from its number.

# The largest size of a copy in bytes
copy_limit <- function() {
  check_number(getOption("gpsieve.max_disk", 1e9), "options(gpsieve.max_disk)", min = 0,
    allow_inf = TRUE)
}

# Writes a copy: begin() starts it, also anew, add(block) appends a block of rows, finish() returns
# the description of the copy, or NULL if none could be made, discard() removes what is unfinished
copy_writer <- function(limit) {
  path <- NULL
  connection <- NULL
  copy <- NULL
  close_file <- function() {
    if (!is.null(connection)) close(connection)
    connection <<- NULL
  }
  discard <- function() {
    close_file()
    unlink(path)
    path <<- copy <<- NULL
  }
  list(
    begin = function() {
      discard()
      if (limit == 0) return(invisible())
      path <<- tempfile("rows-")
      connection <<- file(path, "wb")
    },
    add = function(block) {
      if (is.null(connection)) return(invisible())
      if (is.null(copy)) {
        copy <<- list(rows = 0, columns = colnames(block$x), like = block$y[0L],
          has_offset = !is.null(block$offset))
      }
      copy$rows <<- copy$rows + nrow(block$x)
      fits <- size_of_copy(copy) <= limit
      if (!fits || !write_numbers(numbers_of_block(block), connection)) discard()
    },
    finish = function() {
      close_file()
      copy$path <- path
      # The last numbers are written when the file is closed, and a full disk shows in its size.
      if (is.null(path) || !is_whole_copy(copy)) return(NULL)
      path <<- NULL
      copy
    },
    discard = discard
  )
}

# Whether all numbers were written: a full disk is a warning
write_numbers <- function(numbers, connection) {
  tryCatch(
    on_error({
      writeBin(as.vector(numbers), connection)
      TRUE
    }, function(e) FALSE),
    warning = function(w) FALSE
  )
}

size_of_copy <- function(copy) 8 * numbers_of_record(copy) * copy$rows

numbers_of_record <- function(copy) {
  length(copy$columns) + length(response_columns(copy$like)) + copy$has_offset
}

is_whole_copy <- function(copy) isTRUE(file.size(copy$path) == size_of_copy(copy))

# Whether this process can read a copy of the rows; a worker on another computer cannot
has_copy <- function(rows) !is.null(rows$copy) && is_whole_copy(rows$copy)

# The windows of a copy, see number_reader()
copy_reader <- function(copy, size, skip) {
  width <- numbers_of_record(copy)
  connection <- file(copy$path, "rb")
  position <- 0
  take <- function(count) {
    numbers <- matrix(readBin(connection, "double", width * count), width)
    first <- position + 1
    position <<- position + count
    block <- block_of_numbers(numbers, length(copy$columns), copy$like, copy$has_offset)
    colnames(block$x) <- copy$columns
    c(block, list(first = first))
  }
  next_window <- function() {
    left <- copy$rows - position
    if (left > 0) take(min(size, left))
  }
  while (position < min(skip, copy$rows)) take(min(size, skip - position, copy$rows - position))
  list(
    next_window = next_window, finish = function() NULL, total = function() position,
    close = function() close(connection)
  )
}
