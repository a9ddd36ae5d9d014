# The log of a fit to leaves: a file that grows by what each leaf has found, so that a fit that is
# stopped loses the leaves in hand only.
#
# A record is the number of its bytes (a double), a hash of them (32 characters) and the bytes. The
# first record says what was asked for and what was learned. The records before one that is cut
# short or damaged are used.

# The log of a fit, of which `resume` names an earlier one: list(begun, leaves, parts, writes,
# begin(), add()). `begun` is what begin() was given, `leaves` and `parts` what add() was given
# under "leaf" and "part", in their order. Nothing is written if `path` is NULL.
leaf_log <- function(path, resume, asked, seed) {
  check_checkpoint(path)
  found <- if (!is.null(resume)) resumed_log(resume, asked, seed)
  of_kind <- function(kind) {
    lapply(Filter(function(record) record$kind == kind, found$records[-1L]), `[[`, "value")
  }
  size <- found$size
  if (!is.null(path)) {
    path <- file.path(normalizePath(dirname(path)), basename(path))
    if (is.null(found)) {
      unlink(path)
      size <- 0
    } else if (!file.exists(path) || normalizePath(path) != normalizePath(resume)) {
      file.copy(resume, path, overwrite = TRUE)
    }
  }
  warned <- FALSE
  write <- function(kind, value) {
    if (is.null(path)) return(invisible())
    written <- append_record(list(kind = kind, value = value), path, size)
    if (written > 0) size <<- written
    else if (!warned) {
      warned <<- TRUE
      warn_gpsieve("A checkpoint could not be written to {.file {path}}.",
        "The fit goes on. Is the disk full?", class = "checkpoint")
    }
  }
  list(
    begun = found$records[[1L]]$value$begun, leaves = of_kind("leaf"), parts = of_kind("part"),
    writes = !is.null(path),
    begin = function(begun) write("begun", list(asked = asked, begun = begun)), add = write
  )
}

# The size of a log with one more record after its first `size` bytes; 0 if it could not be written
append_record <- function(record, path, size) {
  bytes <- serialize(record, NULL, xdr = FALSE)
  on_error(suppressWarnings({
    if (size > 0 && !isTRUE(file.size(path) == size)) cut_file(path, size)
    connection <- file(path, if (size > 0) "ab" else "wb")
    tryCatch(
      {
        writeBin(as.double(length(bytes)), connection)
        writeBin(charToRaw(rlang::hash(bytes)), connection)
        writeBin(bytes, connection)
      },
      finally = close(connection)
    )
    grown <- size + record_head + length(bytes)
    if (isTRUE(file.size(path) == grown) && flushed(path)) grown else 0
  }), function(e) 0)
}

# Bytes of a record before its content.
record_head <- 8 + 32

# Cuts what follows the first `size` bytes of a file
cut_file <- function(path, size) {
  connection <- file(path, "r+b")
  on.exit(close(connection))
  seek(connection, size, rw = "write")
  truncate(connection)
}

# The records of a log that are whole: list(records, size)
read_records <- function(path) {
  connection <- file(path, "rb")
  on.exit(close(connection))
  records <- list()
  size <- 0
  repeat {
    count <- readBin(connection, "double", 1L)
    hash <- readBin(connection, "raw", 32L)
    bytes <- if (length(hash) == 32L && is_whole(count) && count <= file.size(path)) {
      readBin(connection, "raw", count)
    }
    if (is.null(bytes) || !identical(rlang::hash(bytes), on_error(rawToChar(hash), identity))) {
      return(list(records = records, size = size))
    }
    records[[length(records) + 1L]] <- unserialize(bytes)
    size <- size + record_head + count
  }
}

# The log of an earlier call, which must have `asked` the same
resumed_log <- function(path, asked, seed) {
  check_name(path, "resume")
  found <- if (file.exists(path)) on_error(read_records(path), function(e) NULL)
  first <- if (length(found$records)) found$records[[1L]]
  if (!identical(first$kind, "begun")) {
    abort_gpsieve("{.arg resume} must name a checkpoint of {.fn ivm} with {.arg leaf_rows}.",
      if (file.exists(path)) "{.file {path}} is none, or is damaged from its beginning."
      else "There is no file {.file {path}}.",
      class = "object")
  }
  check_same_call(first$value$asked, asked, seed, first$value$begun$seed, NULL)
  found
}
