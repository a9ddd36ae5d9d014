# New data as a numeric matrix with the training columns.

# New data as a numeric matrix with the training columns; rows with missing values stay.
# `new_levels` is what predict() takes, or "training" or "known rows" (hints_of_new_levels). The
# attribute `offset` holds the offset of each row, where the fit has one; `offset` is what the
# caller gives as such.
forge_new <- function(fit, newdata, arg = "newdata", offset = NULL, new_levels = "NA") {
  x <- forge_predictors(fit, newdata, arg, new_levels)
  offset <- new_offset(fit, newdata, offset, arg)
  if (!is.null(offset)) attr(x, "offset") <- offset
  x
}

# The columns that new data must have, as a data frame without rows
columns_of_new <- function(fit) {
  blueprint <- fit$blueprint
  other_roles <- unlist(unname(lapply(blueprint$recipe$extra_role_ptypes, as.list)),
    recursive = FALSE)
  columns <- c(blueprint$ptypes$predictors, blueprint$offset$columns, other_roles)
  as.data.frame(columns[setdiff(names(columns), row_column)], optional = TRUE)
}

forge_predictors <- function(fit, newdata, arg, new_levels, design = fit$blueprint$design) {
  newdata <- in_memory(newdata)
  if (is_sparse(fit$basis)) return(forge_sparse(fit, newdata, arg))
  blueprint <- fit$blueprint
  wanted <- with_native_names(blueprint$ptypes$predictors)
  newdata <- frame_of_rows(newdata, arg, names(wanted))
  check_no_column_lacks(names(wanted), names(newdata), arg)
  check_distinct_names(names(newdata)[names(newdata) %in% names(wanted)], arg)
  given <- newdata
  categories <- plain_columns(newdata[names(wanted)])
  refuses <- new_levels %in% names(hints_of_new_levels)
  unseen <-
    if (refuses) refuse_unseen(arg, hints_of_new_levels[[new_levels]])
    else gather_unseen(new_levels == "average")
  of_columns <- if (!isTRUE(blueprint$recipe$allow_novel_levels)) unseen
  by_level <- if (!refuses) takes_new_levels(blueprint$design)
  newdata <- all_as_training(categories, wanted, arg, function(column) {
    if (!column %in% by_level) of_columns
  })
  newdata <- flags_to_numbers(newdata)
  if (nrow(newdata) == 0L) {
    return(matrix(0, 0L, length(fit$inputs$center),
      dimnames = list(NULL, names(fit$inputs$center))))
  }
  made <- newdata
  if (!is.null(blueprint$recipe)) {
    new <- with_other_roles(newdata, given, blueprint$recipe)
    made <- flags_to_numbers(bake_rows(new, blueprint$recipe, arg, "predictors"))
    categories <- made
  }
  x <- design_matrix(design, made, arg, unseen, categories)
  if (!refuses) warn_unseen(unseen$found(), new_levels)
  if (identical(fit$settings$na.action, "model")) say_never_missing(design, categories, x)
  check_finite_or_missing(x, newdata, arg)
  x
}

# Rows of any kind in memory as a data frame; a matrix without names must have as many columns as
# there are in `columns`
frame_of_rows <- function(data, arg, columns = NULL) {
  if (is_of_matrix_package(data)) data <- made_dense(data, arg)
  if (is.matrix(data)) {
    data <- check_numeric_matrix(data, arg, width = if (length(columns)) length(columns))
  } else if (!is.data.frame(data)) {
    abort_gpsieve("{.arg {arg}} must be a data frame or a matrix.", "Found {describe(data)}.",
      meant_frame(data, arg, columns))
  }
  with_native_names(as.data.frame(data, optional = TRUE))
}

# Columns that go into a recipe, with those of roles that are neither predictor nor outcome;
# hardhat::forge() says which of these new data must have
with_other_roles <- function(columns, given, recipe) {
  other <- unlist(lapply(recipe$extra_role_ptypes, names), use.names = FALSE)
  other <- setdiff(intersect(other, names(given)), names(columns))
  columns[other] <- plain_columns(given[other])
  columns
}

# The response in new rows, for fits made from a formula or a recipe
forge_response <- function(blueprint, data, arg) {
  if (is.null(blueprint$recipe)) {
    rule <- stats::setNames(list(blueprint$outcome$rule), blueprint$outcome$name)
    described <- list(rules = rule, columns = blueprint$ptypes$outcomes)
    return(with_pairs(follow_rules(described, data, arg, "response")[[1L]]))
  }
  data <- frame_of_rows(data, arg)
  wanted <- with_native_names(blueprint$ptypes$outcomes)
  check_no_column_lacks(names(wanted), names(data), arg, "response")
  columns <- all_as_training(data, wanted, arg)
  predictors <- blueprint$ptypes$predictors
  check_no_column_lacks(names(predictors), names(data), arg)
  columns[names(predictors)] <- all_as_training(data, predictors, arg, function(column) NULL)
  new <- with_other_roles(columns, data, blueprint$recipe)
  bake_rows(new, blueprint$recipe, arg, "outcomes")[[1L]]
}

# The numbers of trials of new rows, from the response in their columns
trials_of_rows <- function(fit, newdata) {
  wanted <- names(fit$blueprint$ptypes$outcomes)
  known <- !is.null(fit$blueprint$outcome$rule) && is.data.frame(newdata) &&
    all(wanted %in% names(newdata))
  if (!known) {
    abort_gpsieve("The number of successes depends on the number of trials of each row.",
      if (is.null(fit$blueprint$outcome$rule)) "This fit was not made from a formula."
      else "{.arg newdata} lacks {.val {setdiff(wanted, names(newdata))}}.",
      "Probabilities of a success need no trials: {.code type = \"response\"} and
       {.code interval = \"confidence\"}.",
      class = "data")
  }
  trials_of(forge_response(fit$blueprint, newdata, "newdata"))
}
