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
  as.data.frame(columns[unique(names(columns))], optional = TRUE)
}

forge_predictors <- function(fit, newdata, arg, new_levels, design = fit$blueprint$design) {
  newdata <- in_memory(newdata)
  if (is_sparse(fit$basis)) return(forge_sparse(fit, newdata, arg))
  blueprint <- fit$blueprint
  wanted <- with_native_names(blueprint$ptypes$predictors)
  if (is_of_matrix_package(newdata)) newdata <- made_dense(newdata)
  if (is.matrix(newdata)) {
    newdata <- check_numeric_matrix(newdata, arg, width = ncol(wanted))
    newdata <- as.data.frame(newdata, optional = TRUE)
  } else if (!is.data.frame(newdata)) {
    found <- describe(newdata)
    abort_gpsieve("{.arg {arg}} must be a data frame or a matrix.", "Found {found}.",
      meant_frame(newdata, arg, names(wanted)))
  }
  newdata <- with_native_names(newdata)
  check_no_column_lacks(names(wanted), names(newdata), arg)
  given <- newdata
  categories <- plain_columns(as.data.frame(newdata)[names(wanted)])
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
    forged <- with_recipe(hardhat::forge(new, blueprint$recipe), arg)
    made <- flags_to_numbers(as.data.frame(forged$predictors))
    categories <- made
  }
  x <- design_matrix(design, made, arg, unseen, categories)
  if (!refuses) warn_unseen(unseen$found(), new_levels)
  check_finite_or_missing(x, newdata, arg)
  x
}

# Columns that go into a recipe, with those of roles that are neither predictor nor outcome;
# hardhat::forge() says which of these new data must have
with_other_roles <- function(columns, given, recipe) {
  other <- unlist(lapply(recipe$extra_role_ptypes, names), use.names = FALSE)
  other <- setdiff(intersect(other, names(given)), names(columns))
  columns[other] <- plain_columns(as.data.frame(given)[other])
  columns
}

check_no_column_lacks <- function(wanted, found, arg) {
  absent <- setdiff(wanted, found)
  if (!length(absent)) return(invisible())
  abort_gpsieve("{.arg {arg}} lacks {length(absent)} column{?s} of the training data.",
    "Missing: {.val {absent}}.", meant_columns(absent, setdiff(found, wanted)), class = "data")
}

# The response in new rows, for fits made from a formula or a recipe
forge_response <- function(blueprint, data, arg) {
  outcome <- blueprint$outcome
  wanted <- with_native_names(blueprint$ptypes$outcomes)
  data <- with_native_names(data)
  absent <- setdiff(names(wanted), names(data))
  if (length(absent)) {
    abort_gpsieve("{.arg {arg}} lacks the response.", "Missing: {.val {absent}}.",
      meant_columns(absent, names(data)), class = "data")
  }
  columns <- all_as_training(data, wanted, arg)
  if (is.null(blueprint$recipe)) {
    return(with_pairs(evaluate(outcome$rule, outcome$name, columns, arg)))
  }
  predictors <- blueprint$ptypes$predictors
  check_no_column_lacks(names(predictors), names(data), arg)
  columns[names(predictors)] <- all_as_training(data, predictors, arg, function(column) NULL)
  new <- with_other_roles(columns, data, blueprint$recipe)
  with_recipe(hardhat::forge(new, blueprint$recipe, outcomes = TRUE), arg)$outcomes[[1L]]
}
