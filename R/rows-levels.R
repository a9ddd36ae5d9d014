# Factors of which a kernel reads the level and nothing else (kernel_categorical(), (1 | group)).
#
# Such a factor is one column of the model matrix, the number of the level, and not standardised. No
# other kernel sees that column: a part of the kernel that names no columns is restricted to the
# others, by a kernel "on" with `others = TRUE`, which is not reported. A level that the training
# rows lack gets a number of its own.

# Molded data in which the factors that any of the kernels reads by levels are level numbers.
# `kernels` holds kernels, lists of them and anything else that stands for one. `molded$levels`
# names the columns of level numbers, `molded$hidden` those that only the groups of a formula see.
read_levels <- function(molded, kernels) {
  for (kernel in kernels) {
    if (inherits(kernel, "gpsieve_kernel")) molded <- read_levels_of(molded, kernel)
    else if (is.list(kernel)) molded <- read_levels(molded, kernel)
  }
  molded
}

read_levels_of <- function(molded, kernel) {
  # as_kernel() refuses a damaged kernel with a message of its own.
  if (!isTRUE(on_error(sees_levels(kernel), function(e) FALSE))) return(molded)
  kernel <- as_kernel(kernel, "kernel")
  if (is_sparse(molded$x)) return(molded)
  columns <- molded$columns
  named <- vapply(level_columns(kernel, columns), factor_of_column, "", molded)
  named <- setdiff(named, molded$levels)
  if (length(named) && !is.null(molded$rows)) {
    abort_gpsieve("Kernels of levels need rows in memory.", "Found a source of rows.",
      "Indicators of the levels, which other kernels see, can be read from a source.",
      class = "unsupported")
  }
  for (name in named) molded <- one_level_column(molded, name)
  molded <- with_items(molded, kernel)
  if (!identical(columns, molded$columns) && numbers_levels(kernel)) {
    abort_gpsieve("{.arg dims} of a kernel of levels must name the factor.",
      "Found a column number.", "The factors are {.val {named}}.")
  }
  molded
}

# Does a kernel of levels name its columns by numbers?
numbers_levels <- function(kernel) {
  (is_restricted(kernel) && reads_levels(kernel) && is.numeric(kernel$dims)) ||
    any(vapply(kernel$children, numbers_levels, NA))
}

# Molded data and a kernel that suit each other: list(molded, kernel)
with_levels <- function(molded, kernel) {
  kernel <- with_groups(kernel, molded)
  if (!sees_levels(kernel)) return(list(molded = molded, kernel = kernel))
  molded <- read_levels_of(molded, kernel)
  kernel <- with_level_names(kernel, molded)
  others <- setdiff(molded$columns, c(molded$levels, molded$hidden))
  list(molded = molded, kernel = beside_levels(kernel, others, molded))
}

is_level_leaf <- function(kernel) kernel_kind(kernel)$levels

# Is a kernel one of levels, a leaf or restricted to some columns?
reads_levels <- function(kernel) {
  is_level_leaf(kernel) || (is_restricted(kernel) && reads_levels(kernel$children[[1L]]))
}

# Has the kernel any leaf that reads levels?
sees_levels <- function(kernel) {
  is_level_leaf(kernel) || any(vapply(kernel$children, sees_levels, NA))
}

# The factor that an indicator belongs to; any other name as it is
factor_of_column <- function(column, molded) {
  design <- molded$blueprint$design
  for (v in seq_along(design$variables)) {
    encoding <- design$encodings[[v]]
    name <- names(design$variables)[v]
    if (encoding$kind == "category" && column %in% paste0(name, encoding$levels)) return(name)
  }
  column
}

# Molded data with a factor as one column of level numbers
one_level_column <- function(molded, name) {
  design <- molded$blueprint$design
  v <- match(name, names(design$variables))
  term <- Position(function(term) identical(as.integer(term), v), design$terms)
  widths <- vapply(design$encodings, encoding_width, 0L)
  last <- cumsum(vapply(design$terms, function(term) prod(widths[term]), 0))
  if (is.na(term) || (widths[v] > 1L && design$encodings[[v]]$kind != "category")) {
    abort_gpsieve("{.arg dims} of a kernel of levels must be columns of the data.",
      "There is no factor {.val {name}}.", "The columns are {.val {names(design$variables)}}.")
  }
  block <- seq(last[term] - widths[v] + 1, last[term])
  molded$levels <- c(molded$levels, name)
  if (design$encodings[[v]]$kind == "category") {
    number <- molded$x[, block, drop = FALSE] %*% seq_along(block)
    before <- seq_len(block[1L] - 1L)
    after <- setdiff(seq_len(ncol(molded$x)), c(before, block))
    molded$x <- cbind(molded$x[, before, drop = FALSE], number, molded$x[, after, drop = FALSE])
    molded$columns <- c(molded$columns[before], name, molded$columns[after])
    colnames(molded$x) <- molded$columns
  }
  # Products with other variables keep the indicators.
  if (sum(unlist(design$terms) == v) > 1L) {
    design$variables <- c(design$variables, design$variables[v])
    design$encodings <- c(design$encodings, design$encodings[v])
    v <- length(design$variables)
    design$terms[[term]] <- v
  }
  design$encodings[[v]] <- read_as_levels(design$encodings[[v]])
  molded$blueprint$design <- design
  molded
}

# The encoding of a factor by the numbers of its levels; numbers are levels as they are
read_as_levels <- function(encoding) {
  if (encoding$kind %in% c("category", "order")) encoding$kind <- "level"
  encoding
}

# The numbers of levels: those that the training rows lack count on from the last, each with a
# number of its own, or are NA where nothing is known of them (`closed`)
level_numbers <- function(value, encoding, name, unseen) {
  text <- as.character(value)
  code <- match(text, encoding$levels)
  novel <- is.na(code) & !is.na(text)
  if (!any(novel)) return(code)
  if (isTRUE(encoding$closed) && unseen$average) {
    abort_gpsieve("Items of {.fn kernel_precomputed} have no average.",
      "Found {.code new_levels = \"average\"}.", class = "unsupported")
  }
  if (isTRUE(unseen$refuses) || isTRUE(encoding$closed)) {
    unseen$note(value, encoding$levels, name)
    return(code)
  }
  replace(code, novel, length(encoding$levels) + match(text[novel], unique(text[novel])))
}

# The columns of new data in which a level that the training rows lack is no error and no NA
takes_new_levels <- function(design) {
  kinds <- vapply(design$encodings, `[[`, "", "kind")
  symbols <- vapply(design$variables, is.symbol, NA)
  levels <- names(design$variables)[symbols & kinds == "level"]
  setdiff(levels, unlist(lapply(design$variables[kinds != "level"], all.vars)))
}

# A kernel whose restrictions to factors name these, with an angle for each level where angles are
# open
with_level_names <- function(kernel, molded, columns = NULL) {
  if (is_restricted(kernel) && reads_levels(kernel)) {
    columns <- if (is.character(kernel$dims)) kernel$dims else molded$columns[kernel$dims]
    kernel$dims <- unique(vapply(columns, factor_of_column, "", molded, USE.NAMES = FALSE))
    columns <- kernel$dims
  }
  kernel$children <- lapply(kernel$children, with_level_names, molded, columns)
  if (is.null(kernel$similarity) || !"angle" %in% names(kernel$values)) return(kernel)
  if (is.null(columns)) columns <- molded$columns
  design <- molded$blueprint$design
  encoding <- design$encodings[[utils::tail(which(names(design$variables) == columns[1L]), 1L)]]
  kernel$values$angle <- angles_of_levels(kernel$values$angle, columns, encoding$levels)
  kernel
}

angles_of_levels <- function(angle, columns, levels) {
  if (length(columns) != 1L || is.null(levels)) {
    abort_gpsieve("{.code similarity = \"learned\"} needs one factor.",
      "Found {if (is.null(levels)) 'a column of numbers' else 'several'}.")
  }
  # Learning starts from evenly spaced angles inside a right angle, so that all levels are alike at
  # first, but none is another's copy.
  if (is.null(angle)) return(pi / 2 * (seq_along(levels) - 0.5) / length(levels))
  if (length(angle) == length(levels)) return(angle)
  abort_gpsieve("{.arg angle} must have one number for each of {length(levels)} levels.",
    "Found {length(angle)}.")
}

# A kernel in which only kernels of levels see columns of level numbers
beside_levels <- function(kernel, others, molded) {
  if (reads_levels(kernel) || !kernel_kind(kernel)$inputs) return(kernel)
  if (is_restricted(kernel)) return(check_no_levels(kernel, molded))
  restricted <- (is_sum(kernel) || is_product(kernel)) &&
    any(vapply(kernel$children, names_columns, NA))
  if (restricted) {
    kernel$children <- lapply(kernel$children, beside_levels, others, molded)
    return(kernel)
  }
  if (!length(others)) return(of_no_inputs(kernel, molded))
  kernel <- new_kernel("on", children = list(kernel), dims = others)
  kernel$others <- TRUE
  kernel
}

# A function of no inputs is a constant: what remains of the kernel where a formula has groups only
of_no_inputs <- function(kernel, molded) {
  if (length(molded$groups)) return(kernel_constant())
  abort_gpsieve("Kernels of levels leave no input for the other kernels.",
    "{.code {format(kernel)}} sees no column.",
    "{.arg dims} of {.fn kernel_categorical} names the factor.")
}

# Does any part of a kernel say which columns it sees, or read levels?
names_columns <- function(kernel) {
  is_restricted(kernel) || is_level_leaf(kernel) || any(vapply(kernel$children, names_columns, NA))
}

check_no_levels <- function(kernel, molded) {
  dims <- if (is.character(kernel$dims)) kernel$dims else molded$columns[kernel$dims]
  both <- intersect(dims, molded$levels)
  if (!length(both)) return(kernel)
  abort_gpsieve("A factor whose levels one kernel reads is no input of another kernel.",
    "{.val {both}} is in {.code {format(kernel)}} as well.", class = "unsupported")
}

# A kernel of a fit as the user writes it: factors by name, no restriction to the other columns
as_written <- function(kernel, columns) {
  if (!sees_levels(kernel)) return(kernel)
  write <- function(kernel) {
    if (isTRUE(kernel$others)) return(kernel$children[[1L]])
    if (is_restricted(kernel)) kernel$dims <- columns_seen(kernel$dims, columns)
    else kernel$children <- lapply(kernel$children, write)
    kernel
  }
  write(kernel)
}

# Molded data in which the columns of items hold row numbers of the kernel's matrices
with_items <- function(molded, kernel) {
  for (leaf in kernel_leaves(kernel, molded$columns)) {
    if (is.null(leaf$kernel$items)) next
    for (column in leaf$columns) {
      name <- factor_of_column(column, molded)
      molded <- items_of_column(molded, name, leaf$kernel$items)
    }
  }
  molded
}
