# A fit as a file from which programs predict that know no R: inst/include/gpsieve_predict.h.

# What is in the file; the header reads this version.
export_version <- 1

#' Export a fit for programs that predict without R
#'
#' Writes all that predictions need to one JSON file: the kernel, the basis points, the weights and
#' the triangular factors of each latent function's posterior, the likelihood, the levels of the
#' response, and how columns of the data become numbers. A header of C++17 that comes with the
#' package, `system.file("include", "gpsieve_predict.h", package = "gpsieve")`, reads the file and
#' predicts; it needs the two headers in its folder and the standard library, nothing else.
#'
#' @details
#' ```cpp
#' #include <fstream>
#' #include <iostream>
#' #include "gpsieve_predict.h"
#'
#' int main() {
#'   std::ifstream file("model.json");
#'   const gpsieve_predict::Model model(file);
#'   const auto p = model.predict({{"Sepal.Length", 5.1}, {"Petal.Length", 1.4}});
#'   for (std::size_t k = 0; k < model.levels().size(); ++k)
#'     std::cout << model.levels()[k] << ": " << p.probability[k] << std::endl;
#' }
#' ```
#'
#' The program computes the equation of [predict()][predict.gpsieve_fit] for one row at a time:
#' `latent_mean` and `latent_variance` are those of `predict(type = "link", se.fit = TRUE)`, the
#' variance being the square of `se.fit`; `mean` is that of `predict()` for numbers, and `variance`
#' the variance of a new response; `probability` is that of `predict(type = "prob")` and `level` the
#' position of the predicted class among `levels()`. Rounding errors aside, numbers are those of
#' `predict()`. A row with a missing number or a level that the training data lack gives `NaN`.
#'
#' Factors and text are given by their level, dates as days and times as seconds since 1970, time
#' differences in the unit of the training column. What a formula computes, as `log(x)`, or a recipe
#' makes, the program computes itself and gives under the name that stands in `computed` of the
#' file.
#'
#' @param fit A fit of one of the models, with any of the likelihoods [lik_gaussian()],
#'   [lik_student()], [lik_probit()], [lik_label_noise()], [lik_logit()], [lik_ordinal()],
#'   [lik_poisson()], [lik_negative_binomial()], [lik_gamma()] and [lik_lognormal()].
#' @param file Name of the file. It is replaced if it exists, when the new one is complete.
#' @return `file`, invisibly.
#' @section Errors: classed `gpsieve_error_unsupported`, with the reason, for what the header does
#'   not compute: fits of many machines (`leaf_rows`) and of [meanfield_gp()] by conjugate
#'   gradients, sparse inputs, known noise and noise that depends on the inputs, missing numbers
#'   that are modelled, augmented variances of [rvm()], kernels of levels, of places, separable ones
#'   and those of the user's ([kernel_categorical()], [kernel_affine()], `(1 | g)`,
#'   [kernel_great_circle()], [kernel_separable()], [kernel_function()], [kernel_precomputed()]),
#'   and other likelihoods.
#' @seealso [predict()][predict.gpsieve_fit]; [saveRDS()] for a fit that R reads again.
#' @examples
#' fit <- ivm(Species ~ Sepal.Length + Petal.Length, iris, n_active = 20, seed = 1)
#' file <- tempfile(fileext = ".json")
#' export_model(fit, file)
#' substr(paste(readLines(file), collapse = ""), 1, 200)
#' @export
export_model <- function(fit, file) {
  check_fit(fit)
  if (missing(file) || !is_string(file) || !nzchar(file)) {
    found <- if (missing(file)) "nothing" else describe(file)
    abort_gpsieve("{.arg file} must be the name of a file.", "Found {found}.")
  }
  check_can_make(file, "file")
  check_can_export(fit)
  unfinished <- unfinished_name(file)
  on.exit(unlink(unfinished))
  text <- from_fit(as_json(exported_fit(fit)))
  written <- on_error({
    con <- file(unfinished, "wb")
    writeLines(text, con, useBytes = TRUE)
    close(con)
    flushed(unfinished) && rename_over(unfinished, file)
  }, function(e) FALSE)
  if (!written) abort_gpsieve("{.arg file} could not be written.", "Found {.file {file}}.")
  invisible(file)
}

# Stops, with the reason, where the header would not give the predictions of the fit
check_can_export <- function(fit) {
  others <- Filter(function(kind) !kind$exported, kinds_in(fit$kernel))
  others <- unique(vapply(others, `[[`, "", "maker"))
  maker <- likelihood_maker(fit$likelihood)
  # Does a mean stand for missing numbers of a column, with an indicator beside it?
  filled <- vapply(fit$blueprint$design$encodings, function(encoding) {
    is.numeric(encoding$missing)
  }, NA)
  augmented <- any(vapply(fit$posteriors, function(p) length(p$augmentation) > 0L, NA))
  reason <-
    if (is_partitioned(fit)) "It consists of many machines ({.arg leaf_rows})."
    else if (is_iterative(fit)) "Its variances are those of leaves ({.arg solver})."
    else if (is_sparse(fit$basis)) "Its inputs are sparse."
    else if (length(others)) "Its kernel has {.fn {others}}."
    else if (!is.function(family_of(fit$likelihood)$exported)) "Its likelihood is {.fn {maker}}."
    else if (has_known_noise(fit)) "Its noise is known, and new rows have other noise."
    else if (has_learned_noise(fit)) "Its noise depends on the inputs."
    else if (any(filled)) "Its missing numbers are modelled ({.code na.action = \"model\"})."
    else if (augmented) "Its variances are augmented ({.code variance = \"augmented\"})."
  if (is.null(reason)) return(invisible())
  abort_gpsieve("This fit cannot be exported.", reason, class = "unsupported")
}

# The content of the file
exported_fit <- function(fit) {
  design <- fit$blueprint$design
  list(
    format = "gpsieve model", version = export_version, model = fit$model,
    response = exported_response(fit$response),
    likelihood = exported_likelihood(fit$likelihood),
    kernel = exported_kernel(fit$kernel, seq_len(ncol(fit$basis))),
    inputs = list(names = I(names(fit$inputs$center)), center = I(unname(fit$inputs$center)),
      scale = I(unname(fit$inputs$scale))),
    computed = I(computed_columns(fit$blueprint)),
    variables = unname(Map(exported_variable, names(design$variables), design$encodings)),
    terms = lapply(unname(design$terms), function(term) I(term - 1)),
    offset = !is.null(fit$blueprint$offset),
    basis = lapply(seq_len(nrow(fit$basis)), function(i) I(unname(fit$basis[i, ]))),
    posteriors = unname(lapply(fit$posteriors, exported_posterior))
  )
}

exported_response <- function(response) {
  real <- response$kind == "real"
  list(
    kind = response$kind, name = response$name, levels = I(as.character(response$levels)),
    present = I(match(response$present, response$levels) - 1),
    center = if (real) response$center else 0, scale = if (real) response$scale else 1,
    temperature = if (is.null(response$temperature)) 1 else response$temperature,
    joint = identical(response$scheme, "joint")
  )
}

# The likelihood with what its predictions need: `noise`, the variance of numbers about the latent
# function (none where it is infinite), or the moments through a logarithmic link, the mean m =
# factor exp(f) and the variance per_mean m + spread m^2
exported_likelihood <- function(likelihood) {
  values <- lapply(likelihood$values, as.double)
  moments <- family_of(likelihood)$exported(values)
  # An object has a name at least.
  list(type = likelihood_type(likelihood), values = c(moments, list(of = format(likelihood))))
}

# A kernel as a tree of sums, products and maps; leaves and maps name the columns that they see
exported_kernel <- function(kernel, columns) {
  if (is_restricted(kernel)) return(exported_kernel(kernel$children[[1L]], columns[kernel$dims]))
  if (length(kernel$children)) {
    own <- if (is_input_map(kernel)) c(list(columns = columns[kernel$dims] - 1), kernel$values)
    return(c(
      list(type = kernel$type, children = lapply(kernel$children, exported_kernel, columns)),
      lapply(own, I)
    ))
  }
  lengthscale <- kernel$values$lengthscale
  lengths <- rep_len(if (is.null(lengthscale)) 1 else lengthscale, length(columns))
  others <- kernel$values[setdiff(names(kernel$values), "lengthscale")]
  c(list(type = kernel$type, columns = I(columns - 1), lengthscale = I(lengths)), others)
}

# How a variable becomes numbers: an indicator for each level, the position of the level, or the
# numbers of its columns
exported_variable <- function(name, encoding) {
  levels <- if (encoding$kind %in% c("category", "order")) encoding$levels
  columns <- if (is.null(encoding$columns)) "" else encoding$columns
  list(name = name, kind = encoding$kind, levels = I(as.character(levels)), columns = I(columns))
}

# Names under which rows have what a formula computes or a recipe makes
computed_columns <- function(blueprint) {
  variables <- blueprint$design$variables
  calls <- if (is.null(blueprint$recipe)) !vapply(variables, is.symbol, NA) else TRUE
  as.character(names(variables)[calls])
}

exported_posterior <- function(posterior) {
  map <- function(parts) {
    list(factor = I(as.double(parts$factor)), scale = I(as.double(parts$scale)))
  }
  list(
    basis = I(posterior$basis - 1), weights = I(posterior$weights), down = map(posterior$down),
    up = map(posterior$up), form = I(as.double(posterior$form)),
    whitening = I(as.double(posterior$whitening)), prior_scale = posterior$prior_scale,
    prior_mean = posterior$prior_mean, intercept = posterior$intercept
  )
}

# Values of R as JSON (RFC 8259), in which every number keeps all of its digits.

# So many significant digits tell any two doubles apart.
all_digits <- 17L

# A value as JSON: a list with names is an object, one without an array; numbers and texts of
# length one are themselves unless in I(), all others arrays; TRUE and FALSE are 1 and 0
as_json <- function(x) {
  if (is.list(x)) {
    parts <- vapply(x, as_json, "", USE.NAMES = FALSE)
    if (is.null(names(x))) return(json_array(parts))
    return(paste0("{", paste0(json_text(names(x)), ": ", parts, collapse = ",\n"), "}"))
  }
  parts <- if (is.character(x)) json_text(x) else json_number(x)
  if (length(parts) == 1L && !inherits(x, "AsIs")) parts else json_array(parts)
}

json_array <- function(parts) paste0("[", paste(parts, collapse = ","), "]")

json_number <- function(x) {
  stopifnot(is.numeric(x) || is.logical(x), is.finite(x))
  sprintf("%.*g", all_digits, as.double(x))
}

# Texts in quotes, in UTF-8; control characters by their numbers
json_text <- function(x) {
  x <- gsub("([\"\\\\])", "\\\\\\1", enc2utf8(x))
  for (code in unique(unlist(lapply(x, utf8ToInt)))) {
    if (code < 32L) x <- gsub(intToUtf8(code), sprintf("\\u%04x", code), x, fixed = TRUE)
  }
  paste0("\"", x, "\"", recycle0 = TRUE)
}
