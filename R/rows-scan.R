# The passes over a source of rows before a fit: the number of rows, the types and levels of the
# columns, a random sample and the scales. Every later block is checked against them.
#
# The scales are those of the model matrix, whose columns are known when all levels are. The first
# block usually has them: the scales are then gathered in the first pass. If another level follows,
# a second pass gathers them.

# Rows of the random sample that stands for the source where hyper-parameters are learned and first
# inducing inputs are chosen.
sample_size <- 10000L

# A source of rows as molded data, see new_molded(): x and y are those of a random sample.
# `rows` is the source and `scan` what the first pass found in all rows: their number `n`, the
# `columns` (scales of the model matrix), the scales of a numeric response, how many rows each
# class has, and the `schema` of the raw columns.
mold_rows <- function(formula, rows) {
  check_row_terms(formula)
  copy <- copy_writer(if (rows$copied) copy_limit() else 0)
  on.exit(copy$discard())
  found <- scan_columns(formula, rows, copy)
  molded <- mold_sample(formula, found$sample, found$schema)
  check_halves(formula, found)
  scan <- found$values
  if (is.null(scan)) scan <- scan_values(molded, rows, found, copy)
  molded$scan <- c(found[c("schema", "n", "checksums", "sampled")], scan)
  molded$rows <- rows
  molded$rows$copy <- copy$finish()
  molded
}

# Some rows of a source as molded data
mold_sample <- function(formula, data, schema) {
  molded <- mold_frame(formula, as_scanned(data, schema), new_cases(), "na.pass")
  molded$y <- both_flags(molded$y)
  molded
}

# Terms whose values depend on all rows at once cannot be made block by block
check_row_terms <- function(formula) {
  whole <- c("poly", "scale", "cut", "factor", "as.factor", "ordered", "ns", "bs", "interaction")
  found <- intersect(all.names(formula), whole)
  if (length(found)) abort_row_terms("Found {.fn {found}}.")
}

# Other such terms, as a - mean(a), are not the same for the two halves of the sample
check_halves <- function(formula, found) {
  if (nrow(found$sample) < 2L) return(invisible())
  odd <- seq_len(nrow(found$sample)) %% 2L == 1L
  rules <- lapply(list(odd, !odd), function(half) {
    molded <- mold_sample(formula, found$sample[half, , drop = FALSE], found$schema)
    # How often a half has each level is no part of the rule.
    design <- molded$blueprint$design
    design$encodings <- lapply(design$encodings, `[[<-`, "shares", NULL)
    c(design, molded$blueprint["outcome"], molded$blueprint$offset["rules"])
  })
  if (identical(rules[[1L]], rules[[2L]])) return(invisible())
  abort_row_terms("Found a term or a response that is computed from several rows.")
}

abort_row_terms <- function(what, env = parent.frame()) {
  abort_gpsieve(
    "A term of {.arg formula} depends on all rows, which a source does not hold at once.", what,
    "Make such columns in the source itself.", class = "unsupported", env = env)
}

# The kind and the levels of every column that the formula uses, the number of rows, a sample, and
# as `values` what scan_values() returns, NULL if the first block does not tell the model matrix
scan_columns <- function(formula, rows, copy) {
  schema <- NULL
  keep <- sampler(sample_size)
  checksums <- checksum_gatherer()
  values <- NULL
  expected <- NULL # the schema for which they are gathered
  n <- each_block(rows, function(data, place) {
    data <- with_native_names(data)
    used <- used_columns(formula, if (is.null(schema)) data else schema)
    data <- take_columns(data, used, place)
    first <- is.null(schema)
    if (first) schema <<- lapply(data, column_kind)
    for (name in used) schema[[name]] <<- widen_kind(schema[[name]], data[[name]], name, place)
    keep$add(data)
    checksums$add(data, schema, place$first)
    if (first) {
      expected <<- lapply(schema, sort_levels)
      # A first block that cannot be molded, such as one with missing values, is left to the second
      # pass, which says where the fault is.
      molded <- tryCatch(mold_sample(formula, data, expected), gpsieve_error = identity)
      if (!inherits(molded, "error")) values <<- value_gatherer(molded, copy)
    }
    if (!identical(lapply(schema, sort_levels), expected)) values <<- NULL
    if (!is.null(values)) values$add(as_scanned(data, expected), place)
  })
  if (n == 0) {
    abort_gpsieve("{.arg data} has no rows.", "The source ({rows$label}) returned none.",
      class = "data")
  }
  list(
    schema = lapply(schema, sort_levels), n = n, checksums = checksums$sums(),
    sample = keep$rows(), sampled = keep$numbers(),
    values = if (!is.null(values)) values$found()
  )
}

# The columns a formula uses, all of them where it has a dot
used_columns <- function(formula, data) {
  variables <- all.vars(formula)
  if ("." %in% variables) names(data) else intersect(variables, names(data))
}

# What a column is: list(kind, levels, ordered)
column_kind <- function(column) {
  kind <-
    if (is.factor(column)) "factor"
    else if (is.character(column)) "character"
    else if (is.logical(column)) "logical"
    else if (is_numbers(column) || inherits(column, "integer64")) "number"
    else class(column)[1L]
  list(kind = kind, levels = if (kind == "factor") levels(column), ordered = is.ordered(column))
}

level_words <- function(column) {
  paste0("levels ", if (column$ordered) "in the order ", toString(dQuote(column$levels, FALSE)))
}

all_missing <- function(column) anyNA(column) && all(is.na(column))

# Levels of text in the order of the C locale; `seen` holds their places in the order of appearance
sort_levels <- function(column) {
  if (column$kind != "character") return(column)
  sorted <- in_order_of_codes(column$levels)
  column$seen <- match(sorted, column$levels)
  column$levels <- sorted
  column
}

# Scales of the model matrix and of a numeric response, and the number of rows of each class
scan_values <- function(molded, rows, found, copy) {
  values <- value_gatherer(molded, copy)
  check <- checksum_checker(found, rows)
  n <- each_block(rows, function(data, place) {
    data <- as_scanned(data, found$schema, place)
    values$add(data, place)
    check(data, place$first)
  })
  check_same_length(n, found$n, rows)
  values$found()
}

# Collects what scan_values() returns from blocks in the types of the schema, and copies the blocks
value_gatherer <- function(molded, copy) {
  inputs <- scale_gatherer()
  response <- scale_gatherer()
  counts <- NULL
  copy$begin()
  list(
    add = function(data, place) {
      block <- forge_block(molded, data, place)
      inputs$add(block$x)
      if (is.factor(block$y)) {
        if (!is.null(counts) && !identical(names(counts), levels(block$y))) {
          abort_row_terms("Found a response whose classes depend on the rows of a block.")
        }
        seen <- as.double(tabulate(block$y, nlevels(block$y)))
        names(seen) <- levels(block$y)
        counts <<- if (is.null(counts)) seen else counts + seen
      } else {
        numbers <- one_number(block$y)
        response$add(matrix(if (is.null(block$offset)) numbers else numbers - block$offset))
      }
      copy$add(block)
    },
    found = function() {
      list(columns = inputs$scales(), response = response$scales(), counts = counts)
    }
  )
}

check_same_length <- function(n, before, rows) {
  if (n == before) return(invisible())
  abort_gpsieve("A later pass over a source must bring the rows of the first one.",
    "The source ({rows$label}) returned {before} row{?s} first and {n} later.", class = "data")
}

# Collects the scales of a matrix that arrives in blocks; the same bits as of the whole matrix
scale_gatherer <- function() {
  panel <- call_core(core_scale_panel)
  pending <- NULL
  gathered <- NULL
  take <- function(x, rows) gathered <<- call_core(core_extend_scales, gathered, x, rows)
  list(
    add = function(x) {
      if (!is.null(pending)) x <- rbind(pending, x)
      whole <- nrow(x) %/% panel * panel
      if (whole > 0) take(x, whole)
      pending <<- if (whole < nrow(x)) x[seq(whole + 1, nrow(x)), , drop = FALSE]
    },
    scales = function() {
      if (!is.null(pending)) take(pending, nrow(pending))
      gathered
    }
  )
}

# Keeps `size` rows of a stream, each with the same probability: those with the smallest of
# independent uniform numbers. The numbers come from a stream of their own with a fixed seed, one
# for each row, so that the sample depends on the rows and not on the blocks.
sampler <- function(size) {
  uniforms <- uniform_stream(1)
  kept <- list()
  numbers <- numeric()
  priority <- numeric()
  limit <- Inf # rows with greater numbers are not in the sample
  seen <- 0
  shrink <- function() {
    stay <- smallest(priority, size)
    kept <<- list(rows_at(do.call(rbind, kept), stay))
    numbers <<- numbers[stay]
    priority <<- priority[stay]
    if (length(priority) == size) limit <<- max(priority)
  }
  list(
    add = function(data) {
      new <- uniforms(nrow(data))
      enters <- which(new < limit)
      kept[[length(kept) + 1L]] <<- rows_at(data, enters)
      numbers <<- c(numbers, seen + enters)
      priority <<- c(priority, new[enters])
      seen <<- seen + nrow(data)
      # Rarely, because the kept blocks are put together for it.
      if (length(priority) > 2 * size) shrink()
    },
    rows = function() {
      shrink()
      kept[[1L]]
    },
    numbers = function() numbers
  )
}

# The numbers of the rows of n in memory that a sampler would keep, were they read from a source
sampled_rows <- function(n) {
  if (n <= sample_size) seq_len(n) else smallest(uniform_stream(1)(n), sample_size)
}

# The positions of the smallest values, the first ones of equal values
smallest <- function(values, size) sort(order(values)[seq_len(min(size, length(values)))])
