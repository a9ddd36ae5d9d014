# New data as a numeric matrix with the training columns.

#' New data as a numeric matrix with the training columns; rows with missing values stay.
#' `new_levels` is what predict() takes, or "training" or "known rows" (hints_of_new_levels). The
#' attribute `offset` holds the offset of each row, where the fit has one; `offset` is what the
#' caller gives as such.
#' @noRd
forge_new <- function(fit, newdata, call, arg = "newdata", offset = NULL, new_levels = "NA") {
  x <- forge_predictors(fit, newdata, call, arg, new_levels)
  offset <- new_offset(fit, newdata, offset, call, arg)
  if (!is.null(offset)) attr(x, "offset") <- offset
  x
}

#' The columns that new data must have, as a data frame without rows
#' @noRd
columns_of_new <- function(fit) {
  blueprint <- fit$blueprint
  columns <- c(blueprint$ptypes$predictors, blueprint$offset$columns)
  as.data.frame(columns[unique(names(columns))], optional = TRUE)
}

forge_predictors <- function(fit, newdata, call, arg, new_levels) {
  if (is_sparse(fit$basis)) return(forge_sparse(fit, newdata, call, arg))
  blueprint <- fit$blueprint
  wanted <- blueprint$ptypes$predictors
  if (is_of_matrix_package(newdata)) newdata <- made_dense(newdata, call)
  if (is.matrix(newdata)) {
    newdata <- check_numeric_matrix(newdata, arg, call, width = ncol(wanted))
    newdata <- as.data.frame(newdata, optional = TRUE)
  } else if (!is.data.frame(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("{.arg {arg}} must be a data frame or a matrix.", "Found {found}.", call = call)
  }
  check_no_column_lacks(names(wanted), names(newdata), arg, call)
  newdata <- as.data.frame(newdata)[names(wanted)]
  check_whole_columns(newdata, arg, call)
  refuses <- new_levels %in% names(hints_of_new_levels)
  unseen <-
    if (refuses) refuse_unseen(arg, call, hints_of_new_levels[[new_levels]])
    else gather_unseen(new_levels == "average")
  categories <- newdata
  of_columns <- if (!isTRUE(blueprint$recipe$allow_novel_levels)) unseen
  by_level <- if (!refuses) takes_new_levels(blueprint$design)
  for (column in names(wanted)) {
    newdata[[column]] <- as_training(newdata[[column]], wanted[[column]], column, arg, call,
      if (!column %in% by_level) of_columns
    )
  }
  newdata <- flags_to_numbers(newdata)
  if (nrow(newdata) == 0L) {
    return(matrix(0, 0L, length(fit$inputs$center),
      dimnames = list(NULL, names(fit$inputs$center))
    ))
  }
  made <- newdata
  if (!is.null(blueprint$recipe)) {
    forged <- with_recipe(hardhat::forge(newdata, blueprint$recipe), arg, call)
    made <- flags_to_numbers(as.data.frame(forged$predictors))
    categories <- made
  }
  x <- design_matrix(blueprint$design, made, arg, call, unseen, categories)
  if (!refuses) warn_unseen(unseen$found(), new_levels)
  check_finite_or_missing(x, newdata, call, arg)
  x
}

check_no_column_lacks <- function(wanted, found, arg, call) {
  absent <- setdiff(wanted, found)
  if (!length(absent)) return(invisible())
  abort_gpsieve("{.arg {arg}} lacks {length(absent)} column{?s} of the training data.",
    "Missing: {.val {absent}}.", class = "data", call = call
  )
}

#' The response in new rows, for fits made from a formula or a recipe
#' @noRd
forge_response <- function(blueprint, data, arg, call) {
  outcome <- blueprint$outcome
  wanted <- blueprint$ptypes$outcomes
  data <- as.data.frame(data)
  absent <- setdiff(names(wanted), names(data))
  if (length(absent)) {
    abort_gpsieve("{.arg {arg}} lacks the response.", "Missing: {.val {absent}}.",
      class = "data", call = call
    )
  }
  for (column in names(wanted)) {
    data[[column]] <- as_training(data[[column]], wanted[[column]], column, arg, call)
  }
  if (!is.null(blueprint$recipe)) {
    return(with_recipe(
      hardhat::forge(data, blueprint$recipe, outcomes = TRUE), arg, call
    )$outcomes[[1L]])
  }
  with_pairs(evaluate(outcome$rule, outcome$name, data, arg, call), call)
}
