# From the arguments of the user to a numeric matrix, the response and the blueprint for new data:
# inputs as columns or a matrix, and recipes. Formulas are in rows-mold-formula.R, new data in
# rows-forge.R.

# The parts of molded data.
molded_fields <- list(
  x = NULL, columns = NULL, # the model matrix, of a source that of a sample, and its column names
  y = NULL, outcome = NULL, # the response as it came, and its name
  blueprint = NULL, formula = NULL, # for new data, see new_blueprint()
  weights = NULL, offset = NULL, # of each row, NULL where there are none
  kept = NULL, na_action = NULL, # which rows of the data take part, see rows-cases.R
  repeatable = NULL, # arguments that update() gives again
  row_names = NULL, row_numbers = NULL, # of the rows, where the data give them
  noise_sd = NULL, # known standard deviations of the noise
  noise = NULL, # what known or learned noise makes of the weights, see rows-known-noise.R
  noise_terms = NULL, # what the formula of learned noise makes of the rows
  levels = NULL, hidden = NULL, # columns of level numbers; those that only groups see
  gaps = NULL, # the names of columns that say where values are missing, of all rows also in a part
  groups = NULL, slopes = NULL, column_groups = NULL, # of terms of formulas, see rows-groups.R
  merged = NULL, # which rows are one row, see rows-equal.R
  rows = NULL, scan = NULL, # of a source: itself and what its first pass found, see rows-scan.R
  counted = NULL, # TRUE where gpsieve() suggests a likelihood of counts
  learned = NULL, # hyper-parameters that gpsieve() has learned from all rows
  trial = NULL, # TRUE for fits of gpsieve() that only judge a candidate
  earlier = NULL # the fit of which some leaves are fitted anew
)

# Predictors as a numeric matrix, the outcome as it came, and the blueprint for new data
new_molded <- function(x, y, blueprint, formula = NULL, outcome = "y", columns = colnames(x)) {
  new_record(molded_fields, x = x, y = y, blueprint = blueprint, formula = formula,
    outcome = outcome, columns = columns,
    gaps = columns_with_same_gaps(blueprint$design, x, columns))
}

# Inputs and their response
mold_xy <- function(x, y, cases = new_cases()) {
  check_no_subset(cases)
  check_has_size(x, "x")
  sparse <- is_of_matrix_package(x)
  if (sparse) {
    check_no_modelled(cases$na_action, "a sparse matrix", "Zeros may stand for missing counts.")
  }
  action <- check_na_action(cases$na_action)
  models_missing <- action == "model"
  columns <-
    if (is.data.frame(x)) plain_columns(as.data.frame(x, optional = TRUE))
    else if (sparse) as_sparse(x, "x", missing = TRUE)
    else x
  y <- canonical_response(y)
  check_response_length(y, nrow(x))
  missing_among <- function(rows) {
    inputs <- if (!models_missing) missing_in_columns(elements_of(columns, rows))
    c(inputs, missing_in_columns(list(y = elements_of(y, rows))))
  }
  part <- rows_taking_part(read_cases(cases, NULL), nrow(x), missing_among, "y",
    text_row_names(x), action, could_stay = !sparse && !lacks_times(columns))
  columns <- elements_of(columns, part$kept)
  y <- elements_of(y, part$kept)
  molded <-
    if (sparse) mold_sparse(columns, y)
    else if (is.matrix(x) && !models_missing) mold_matrix(columns, y)
    else mold_columns(columns, y, models_missing, part$weights)
  with_cases(molded, part, x)
}

# Row names that someone gave: text, not numbers of rows
text_row_names <- function(x) {
  if (!is.data.frame(x)) return(rownames(x))
  names <- attr(x, "row.names")
  if (is.character(names)) names
}

# Row numbers that a data frame has as a part of another one; NULL where they are 1, 2, 3 and so on
given_row_numbers <- function(x) {
  if (!is.data.frame(x) || .row_names_info(x) <= 0L) return(NULL)
  numbers <- attr(x, "row.names")
  if (is.integer(numbers)) numbers
}

mold_columns <- function(x, y, models_missing = FALSE, weights = NULL) {
  if (is.matrix(x)) x <- as.data.frame(check_numeric_matrix(x, "x"), optional = TRUE)
  check_columns(x, "x")
  check_has_size(x, "x")
  check_column_names(x, "x")
  flags <- flags_among(x)
  x <- flags_to_numbers(x)
  made <- design_from_columns(x, "x", models_missing, weights)
  new_molded(made$x, y, new_blueprint(x, made$design, flags = flags))
}

# A matrix of numbers is already what the core computes with: it may be large and is not copied.
mold_matrix <- function(x, y) {
  first <- check_numeric_matrix(x[seq_len(min(1L, nrow(x))), , drop = FALSE], "x")
  check_has_size(x, "x")
  check_column_names(first, "x")
  first <- as.data.frame(flags_to_numbers(first), optional = TRUE)
  if (!is.double(x)) x <- flags_to_numbers(x)
  design <- design_from_columns(first, "x")$design
  new_molded(x, y, new_blueprint(first, design), columns = names(first))
}

check_no_subset <- function(cases) {
  if (!rlang::quo_is_null(cases$subset)) abort_no_formula("subset")
}

mold_recipe <- function(x, data, cases) {
  check_no_subset(cases)
  na_action <- cases$na_action
  if (!is.data.frame(data)) {
    abort_gpsieve("{.arg data} must be a data frame.", "Found {describe(data)}.",
      meant_frame(data, "data"))
  }
  check_no_modelled(na_action, "a recipe",
    "Steps of the recipe, as {.fn step_impute_mean} and {.fn step_unknown}, fill in values.")
  check_has_size(data, "data")
  data <- plain_columns(as.data.frame(data))
  x$template <- plain_columns(x$template)
  novel <- any(vapply(x$steps, inherits, NA, c("step_novel", "step_other")))
  recipe <- hardhat::default_recipe_blueprint(composition = "tibble", allow_novel_levels = novel)
  molded <- with_recipe(
    hardhat::mold(recipe_with_rows(x), with_row_column(data), blueprint = recipe), "data")
  if (ncol(molded$outcomes) != 1L) {
    abort_gpsieve("The recipe must have exactly one outcome.", "Found {ncol(molded$outcomes)}.")
  }
  rows <- rows_of_recipe(molded)
  order <- order(rows)
  rows <- rows[order]
  predictors <- as.data.frame(molded$predictors)[order, , drop = FALSE]
  check_columns(predictors, "x")
  check_has_size(predictors, "x")
  y <- canonical_response(elements_of(molded$outcomes[[1L]], order))
  outcome <- names(molded$outcomes)
  read <- read_cases(cases, data)
  read$values <- lapply(read$values, function(value) {
    if (length(value) == nrow(data)) value[rows] else value # which is refused
  })
  in_recipe <- molded$extras$roles$case_weights
  if (!is.null(in_recipe)) {
    if (!is.null(read$values$weights)) {
      abort_gpsieve("The recipe has case weights of its own.", "Found others in {.arg weights}.")
    }
    read$values$weights <- in_recipe[[1L]][order]
  }
  missing_among <- function(rows) {
    c(missing_in_columns(elements_of(predictors, rows)),
      missing_in_columns(stats::setNames(list(elements_of(y, rows)), outcome)))
  }
  part <- rows_taking_part(read, length(rows), missing_among, outcome, text_row_names(data)[rows],
    check_na_action(na_action))
  made <- design_from_columns(flags_to_numbers(elements_of(predictors, part$kept)), "data")
  recipe <- lean_recipe_blueprint(molded$blueprint)
  check_recipe_by_row(data, recipe)
  blueprint <- new_blueprint(recipe$ptypes$predictors, made$design,
    list(name = outcome, columns = recipe$ptypes$outcomes), recipe)
  out <- new_molded(made$x, elements_of(y, part$kept), blueprint, outcome = outcome)
  part$kept <- elements_of(rows, part$kept)
  if (identical(part$kept, seq_len(nrow(data)))) part["kept"] <- list(NULL)
  with_cases(out, part, data)
}

# Rows of a recipe ---------------------------------------------------------------------------------
#
# Steps may leave out rows or put them in another order. A column of the rows' numbers goes through
# the recipe in a role of its own, as dates, which steps for numbers and for factors leave alone.

row_column <- ".gpsieve_row"

with_row_column <- function(data) {
  data[[row_column]] <- .Date(as.double(seq_len(nrow(data))))
  data
}

recipe_with_rows <- function(recipe) {
  own <- recipe$var_info[1L, ]
  own[c("variable", "role")] <- list(row_column, row_column)
  own$type <- if (is.list(own$type)) list("date") else "date"
  recipe$var_info <- rbind(recipe$var_info, own)
  recipe$term_info <- rbind(recipe$term_info, own)
  recipe$template <- with_row_column(recipe$template)
  recipe
}

# The numbers of the rows that a recipe returned
rows_of_recipe <- function(processed) {
  rows <- as.double(processed$extras$roles[[row_column]][[1L]])
  if (length(rows) && all(is.finite(rows) & rows == trunc(rows))) return(as.integer(rows))
  abort_gpsieve("The recipe must keep track of its rows.",
    if (length(rows)) "A step has changed the column {.val {row_column}} of their numbers."
    else "Its steps leave none of them, or leave out the column {.val {row_column}}.",
    "Select columns by name, or by {.fn all_predictors}.", class = "data")
}

# A data frame through a prepared recipe: the part `what` of the answer with a row for each of the
# data, missing where a step left it out
bake_rows <- function(data, recipe, arg, what) {
  forged <- with_recipe(
    hardhat::forge(with_row_column(data), recipe, outcomes = what == "outcomes"), arg)
  made <- as.data.frame(forged[[what]])
  made[match(seq_len(nrow(data)), rows_of_recipe(forged)), , drop = FALSE]
}

# Stops where a step computes with other rows of the data that it is given than a row's own, as
# step_lag() does, or step_mutate() of x - mean(x): sixteen rows are baked together, and every other
# one of them once more, the last first. A step that cannot bake so few rows says nothing.
check_recipe_by_row <- function(data, recipe) {
  n <- nrow(data)
  some <- evenly_spaced(n, 16L)
  few <- rev(some[seq_along(some) %% 2L == 1L])
  for (what in c("predictors", "outcomes")) {
    baked <- lapply(list(some, few), function(rows) {
      on_error(bake_rows(data[rows, , drop = FALSE], recipe, "data", what), function(e) NULL)
    })
    if (any(vapply(baked, is.null, NA))) next
    for (name in names(baked[[1L]])) {
      value <- elements_of(baked[[1L]][[name]], match(seq_len(n), some))
      check_same(name, value, few, baked[[2L]][[name]], "recipe")
    }
  }
}

# What must be known of the training data to treat new rows as they were treated.
# `ptypes` are the columns that new data must have, without rows; `design` makes numbers of them
# (rows-design.R), after `recipe`, hardhat's blueprint of a recipe, where there is one; `outcome` is
# the response: its `name`, its `columns` and, for a formula, the `rule` that computes it. `flags`
# names the predictors that were TRUE and FALSE, `twofold` numbers of two different values.
# read_cases() adds how weights, offset and noise come.
new_blueprint <- function(predictors, design, outcome = NULL, recipe = NULL,
                          flags = character()) {
  blueprint <- structure(
    list(
      ptypes = list(
        predictors = predictors[0L, , drop = FALSE],
        outcomes = if (!is.null(outcome)) outcome$columns[0L, , drop = FALSE]
      ),
      design = design, outcome = outcome[c("name", "rule")], recipe = recipe
    ),
    class = "gpsieve_blueprint"
  )
  if (length(flags)) blueprint$flags <- flags
  twofold <- setdiff(twofold_among(predictors), flags)
  if (length(twofold)) blueprint$twofold <- twofold
  blueprint
}

# Numbers of which so many rows have two different values, as 0 and 1, stand for two groups:
# pictures draw no line from one to the other.
fewest_twofold <- 8L

twofold_among <- function(columns) {
  if (nrow(columns) < fewest_twofold) return(character())
  names(columns)[vapply(columns, is_twofold, NA)]
}

is_twofold <- function(values) {
  if (!is.numeric(values) || is.object(values) || !is.null(dim(values))) return(FALSE)
  first <- unique(utils::head(values, 1000L))
  if (sum(!is.na(first)) > 2L) return(FALSE)
  found <- unique(values)
  sum(!is.na(found)) == 2L && sum(!is.na(values)) >= fewest_twofold
}

flags_among <- function(columns) names(columns)[vapply(columns, is.logical, NA)]

# TRUE and FALSE are the numbers 1 and 0, through every interface
flags_to_numbers <- function(x) {
  if (is.matrix(x)) {
    storage.mode(x) <- "double"
    return(x)
  }
  flags <- vapply(x, is.logical, NA)
  if (any(flags)) x[flags] <- lapply(x[flags], as.double)
  x
}

# A recipe's own refusals, as errors of this package under the user's call
with_recipe <- function(expr, arg) {
  on_error(expr, function(e) {
    if (inherits(e, "gpsieve_error")) rlang::cnd_signal(e)
    said <- conditionMessage(e)
    abort_gpsieve("The recipe cannot be applied to {.arg {arg}}.", "{said}", class = "data")
  })
}

# A prepared recipe keeps its training rows and the environments it was written in; predictions
# need neither
lean_recipe_blueprint <- function(blueprint) {
  blueprint$ptypes$predictors <- whole_as_double(blueprint$ptypes$predictors)
  blueprint$extra_role_ptypes <- lapply(blueprint$extra_role_ptypes, whole_as_double)
  blueprint$recipe$template <- blueprint$recipe$template[0L, ]
  blueprint$recipe$steps <- lapply(blueprint$recipe$steps, function(step) {
    step$terms <- lapply(step$terms, function(term) {
      if (rlang::is_quosure(term)) rlang::quo_set_env(term, baseenv()) else term
    })
    step
  })
  blueprint
}

# Columns in which later rows may have fractions where the training rows have whole numbers
whole_as_double <- function(columns) {
  whole <- vapply(columns, is.integer, NA) # factors are none
  columns[whole] <- lapply(columns[whole], as.double)
  columns
}

# The number of rows of the data. Of a source, x and y hold a random sample of the rows only.
count_rows <- function(molded) {
  if (is.null(molded$rows)) return(nrow(molded$x))
  n <- molded$scan$n
  if (n <= .Machine$integer.max) as.integer(n) else n
}

abort_no_formula <- function(arg) {
  abort_gpsieve("{.arg {arg}} goes with a {.arg formula}.", "Found none.")
}

# The columns of sparse rows are numbers: nothing has to be made of them, nor remembered
mold_sparse <- function(x, y) {
  if (is.null(x$columns)) x$columns <- paste0("V", seq_len(x$p))
  check_column_names(x, "x")
  columns <- stats::setNames(rep(list(numeric()), x$p), x$columns)
  predictors <- structure(columns, row.names = integer(), class = "data.frame")
  new_molded(x, y, new_blueprint(predictors, list(
    variables = list(), encodings = list(), terms = list()
  )))
}
