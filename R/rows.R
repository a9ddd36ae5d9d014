# Sources of rows: data that are read block by block instead of being held in memory.
#
# Every source is a function with the contract of biglm::bigglm(): f(reset = TRUE) goes back to the
# first row, f(reset = FALSE) returns the next block as a data frame, and NULL after the last one.
# rows_of_passes() makes such a function, and another one that closes the connection or file that a
# pass has opened.

#' Rows that are read in blocks
#'
#' A source of rows is an object from which data are read block by block, so that they need not fit
#' into memory. [ep_gp()], [online_gp()], [ivm()] with `leaf_rows`, [local_gp()] and [gpsieve()]
#' accept a source as `data` together with a formula, and [predict()][predict.gpsieve_fit] accepts
#' it as `newdata`.
#'
#' A source is read once before a fit begins. This pass determines the number of rows, the type of
#' every column, the levels of factors, a random sample of 10,000 rows, from which hyper-parameters
#' are learned (by [ep_gp()] the first ones, which all rows then improve), the mean and standard
#' deviation of every column of the model matrix and the number of rows of each class. If the
#' first block does not tell the columns of the model matrix, as where a character column has values
#' that it lacks, the means, standard deviations and classes need a second pass.
#'
#' The fit then reads the source in every pass over the rows. Every pass must return the same rows
#' in the same order. If a later pass lacks a column, or has another type or a level that did not
#' occur in the first pass, the error message names the source, the block and the row; if it has
#' another number of rows, the source and both numbers. Other values, and rows in another order, are
#' noticed by checksums of 4096 rows at a time: the error message names the rows among which they
#' are.
#'
#' With `copy = TRUE` the first pass writes the model matrix and the response to a file in the
#' session's temporary folder, 8 bytes for each number. The fit reads this copy instead of the
#' source, which is faster, and removes it at its end; it does not notice what becomes of the source
#' meanwhile. A copy of more than `getOption("gpsieve.max_disk")` bytes (1e9 unless the option is
#' set) is given up, and the fit reads the source.
#'
#' Character columns become factors whose levels are all values of the first pass, in the order of
#' the C locale. Terms of a formula whose values depend on all rows together, as `a - mean(a)`, are
#' an error, and so are functions that may make such terms, whatever their arguments (`poly()`,
#' `scale()`, `cut()`, `factor()`, `splines::ns()` and the like): compute such columns in the
#' source.
#'
#' @param f A function of one argument `reset`, as `biglm::bigglm()` takes it: `f(reset = TRUE)`
#'   goes back to the first row (its value is not used), `f(reset = FALSE)` returns a data frame
#'   with the next rows, or `NULL` when there are none left.
#' @param copy Should a fit read a copy of the rows, which its first pass writes to a temporary
#'   file?
#' @return An object of class `gpsieve_rows`.
#' @seealso [rows_from_db()], [rows_from_files()], [rows_from_arrow()], [rows_from_matrix()]
#' @examples
#' # Blocks of 10 rows of a data frame.
#' blocks <- split(cars, (seq_len(nrow(cars)) - 1) %/% 10)
#' position <- 0
#' source <- rows_from_function(function(reset) {
#'   if (reset) {
#'     position <<- 0
#'     return(NULL)
#'   }
#'   position <<- position + 1
#'   if (position > length(blocks)) NULL else blocks[[position]]
#' })
#' fit <- online_gp(dist ~ speed, source, budget = 10, seed = 1)
#' head(predict(fit, source))
#' @export
rows_from_function <- function(f, copy = FALSE) {
  if (!is.function(f)) {
    found <- describe(f)
    abort_gpsieve("{.arg f} must be a function of one argument, {.arg reset}.", "Found {found}.")
  }
  new_rows(f, "a function", check_flag(copy, "copy"))
}

# `read` is a function as in rows_from_function(); `copied` says whether a fit reads a copy of the
# rows; `close` closes what a pass has opened; `portable` says whether another process can read the
# source
new_rows <- function(read, label, copied, close = function() NULL, portable = TRUE) {
  structure(
    list(read = read, label = label, copied = copied, close = close, portable = portable),
    class = "gpsieve_rows"
  )
}

# A source of which each pass is opened anew: open() returns list(next_block(), close())
rows_of_passes <- function(open, label, copied, portable = TRUE) {
  pass <- NULL
  close <- function() {
    if (!is.null(pass)) pass$close()
    pass <<- NULL
  }
  read <- function(reset) {
    if (!reset) return(pass$next_block())
    close()
    pass <<- open()
    NULL
  }
  new_rows(read, label, copied, close, portable)
}

is_source <- function(x) inherits(x, "gpsieve_rows")

# Data of a class that is read in blocks as a source of rows; all other data as they are
as_source <- function(data) {
  data <- in_memory(data)
  if (is_arrow(data)) rows_from_arrow(data)
  else if (inherits(data, "big.matrix")) rows_from_matrix(data)
  else data
}

#' @export
print.gpsieve_rows <- function(x, ...) {
  cat("Rows from ", x$label, ", read in blocks\n", sep = "")
  invisible(x)
}

# One pass over a source: calls visit(data, place) for every block that has rows.
# `place` says for messages where the rows come from: list(label, first, block, start), the source,
# the number of the first row, and the numbers of the blocks and of the rows with which they start.
# The source is closed at the end, also after an error. Returns the number of rows.
each_block <- function(rows, visit) {
  reader <- row_reader(rows)
  on.exit(reader$close())
  repeat {
    data <- reader$next_block()
    if (is.null(data)) return(reader$place()$first - 1)
    visit(data, reader$place())
    reader$advance(nrow(data))
  }
}

# A position in a source: next_block(), place(), advance(n), close()
row_reader <- function(rows) {
  block <- 0
  first <- 1
  begun <- NULL # the first block, without rows
  place <- function() list(label = rows$label, first = first, block = block, start = first)
  read <- function(reset) {
    on_error(rows$read(reset), function(e) {
      if (inherits(e, "gpsieve_error")) rlang::cnd_signal(e)
      abort_rows("The source of rows could not be read.", conditionMessage(e), place(),
        row = if (is.null(e$row)) 1 else e$row)
    })
  }
  read(TRUE)
  list(
    next_block = function() {
      repeat {
        block <<- block + 1
        data <- read(FALSE)
        if (is.null(data)) return(NULL)
        if (!is.data.frame(data)) {
          abort_rows("A source of rows must return data frames.",
            paste0("Found ", describe(data), "."), place())
        }
        # Tables of other packages, such as data.table, take rows and columns in their own way.
        if (nrow(data) == 0L) next
        data <- as.data.frame(data)
        if (is.null(begun)) begun <<- data[0L, , drop = FALSE]
        return(in_units_of(data, begun))
      }
    },
    place = place,
    advance = function(n) first <<- first + n,
    close = rows$close
  )
}

# A block whose time differences are in the units of the first block
in_units_of <- function(data, first) {
  for (name in names(Filter(function(column) inherits(column, "difftime"), first))) {
    if (inherits(data[[name]], "difftime")) units(data[[name]]) <- units(first[[name]])
  }
  data
}

abort_in_memory <- function() {
  abort_gpsieve("This model needs all rows in memory: {.arg data} must be a data frame.",
    "Found a source of rows.",
    "{.fn ep_gp}, {.fn online_gp} and {.code ivm(leaf_rows = )} read rows in blocks.",
    class = "unsupported")
}

# An error that names the source, the block and the row; `row` counts from the first row of `place`
abort_rows <- function(message, found, place, row = 1, hint = NULL) {
  number <- place$first + row - 1
  block <- place$block[findInterval(number, place$start)]
  where <-
    if (block == 0) sprintf("Before the first block of %s.", place$label)
    else sprintf("In block %d of %s, row %s of the source.", as.integer(block), place$label,
      format(number, scientific = FALSE))
  abort_gpsieve(message, "{found}", paste(c(where, hint), collapse = " "), class = "data")
}

# Windows of exactly `size` rows (the last one may be smaller), whatever the sizes of the blocks of
# the source, without its first `skip` rows: next_window(size) returns list(data, place) or NULL,
# total() the number of rows that have been read, close()
window_reader <- function(rows, size, skip = 0) {
  reader <- row_reader(rows)
  kept <- list() # blocks whose rows have not all been returned
  returned <- 0 # how many rows of the first of them have been
  held <- 0 # how many rows have not
  place <- NULL # where the first of these comes from, and the blocks that are kept
  ended <- FALSE
  add <- function(data, where) {
    past <- min(max(skip - where$first + 1, 0), nrow(data))
    if (past == nrow(data)) return()
    if (length(kept)) {
      data <- like_block(data, kept[[1L]], where)
      place[c("block", "start")] <<- Map(c, place[c("block", "start")], where[c("block", "start")])
    } else {
      place <<- where
      place$first <<- where$first + past
      returned <<- past
    }
    kept[[length(kept) + 1L]] <<- data
    held <<- held + nrow(data) - past
  }
  take <- function(count) {
    ends <- cumsum(vapply(kept, nrow, 0L))
    last <- findInterval(returned + count, ends, left.open = TRUE) + 1L
    parts <- lapply(seq_len(last), function(i) {
      before <- if (i == 1L) 0 else ends[i - 1L]
      until <- min(returned + count, ends[i])
      rows_between(kept[[i]], max(returned - before, 0) + 1, until - before)
    })
    window <- list(data = if (last == 1L) parts[[1L]] else do.call(rbind, parts), place = place)
    passed <- sum(ends <= returned + count) # blocks of which nothing is left
    returned <<- returned + count - if (passed > 0) ends[passed] else 0
    if (passed > 0) kept[seq_len(passed)] <<- NULL
    held <<- held - count
    place$first <<- place$first + count
    # What is left over is of the last block.
    place[c("block", "start")] <<- lapply(place[c("block", "start")], utils::tail, 1L)
    window
  }
  list(
    next_window = function(count = size) {
      while (!ended && held < count) {
        data <- reader$next_block()
        if (is.null(data)) {
          ended <<- TRUE
        } else {
          add(data, reader$place())
          reader$advance(nrow(data))
        }
      }
      if (held > 0) take(min(count, held))
    },
    total = function() reader$place()$first - 1,
    close = reader$close
  )
}

# Consecutive rows of a data frame
rows_between <- function(data, from, to) {
  if (from == 1 && to == nrow(data)) data else rows_at(data, seq(from, to))
}

# Rows of a data frame, without names: `[` would look for repeated names in each call
rows_at <- function(data, rows) {
  columns <- lapply(data, function(column) {
    if (is.null(dim(column))) column[rows] else column[rows, , drop = FALSE]
  })
  structure(columns, class = "data.frame", row.names = .set_row_names(length(rows)))
}

# A block with its columns in the order of another one; they must be the same
like_block <- function(data, first, place) {
  if (!setequal(names(first), names(data))) {
    absent <- union(setdiff(names(first), names(data)), setdiff(names(data), names(first)))
    abort_rows("The blocks of a source must have the same columns.",
      paste0("Not in all of them: ", toString(dQuote(absent, FALSE)), "."), place)
  }
  data[names(first)]
}

# Rows of a source that are held at a time, unless the user says otherwise.
usual_window <- 10000

# Rows from which minibatches are drawn: all rows in memory, a window of a source
window_rows <- function(problem, control) {
  window <- control$window
  if (is.null(window)) window <- if (is.null(problem$rows)) problem$n else usual_window
  min(window, problem$n)
}
