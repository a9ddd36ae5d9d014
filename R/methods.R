# print, summary and update.

#' @export
print.gpsieve_fit <- function(x, ...) {
  check_fit(x, "x")
  from_fit(writeLines(describe_fit(x)))
  invisible(x)
}

describe_fit <- function(fit) {
  p <- ncol(fit$basis)
  found <- evidence(fit)
  c(
    fit$labels$title,
    paste0(
      "  ", describe_response(fit$response), ", ", fit$n, " rows",
      if (!is.null(fit$cases$distinct)) paste0(" (", fit$cases$distinct, " different)"),
      if (!is.null(fit$cases$total)) paste0(" that count as ", format(fit$cases$total)),
      ", ", p, " input", if (p != 1L) "s"
    ),
    paste0("  kernel       ", format(reported_kernel(fit))),
    paste0("  likelihood   ", format(fit$likelihood)),
    paste0("  ", describe_size(fit)),
    paste0("  log evidence ", format(found$value, digits = 6), " (", evidence_words(fit), ")"),
    if (any(at_bound(fit))) {
      paste0("  at a bound of learning: ", toString(names(coef(fit))[at_bound(fit)]))
    },
    if (nzchar(fit$reason)) paste0("  stopped early: ", fit$reason)
  )
}

#' Which hyper-parameters ended at a bound of learning: the data do not determine these values
#' @noRd
at_bound <- function(fit) {
  seq_along(theta_free(fit$kernel, fit$likelihood)) %in% fit$evidence$at_bound
}

#' What kind of number the evidence is and which rows it counts: values of different kinds, or of
#' different rows, do not compare
#' @noRd
evidence_words <- function(fit) {
  kind <- fit$evidence$kind
  if (kind == "active set") return("of the active set only")
  paste0(kind, ", all ", fit$n, " rows")
}

describe_response <- function(response) {
  switch(response$kind,
    binary = paste0("classes ", paste(dQuote(response$present, FALSE), collapse = " and "),
      " (positive: the second)"),
    multiclass = paste0(length(response$present), " classes",
      if (identical(response$scheme, "joint")) "" else ", one against the rest"),
    count = paste0("counts ", response$name),
    paste0("numeric response ", response$name)
  )
}

describe_size <- function(fit) {
  sizes <- vapply(fit$posteriors, function(p) length(p$basis), 0L)
  paste(format(fit$labels$basis, width = 12L),
    if (length(sizes) == 1L) {
      sizes
    } else if (all(sizes == nrow(fit$basis))) {
      paste0(sizes[1L], ", the same for every class")
    } else {
      paste0(if (min(sizes) == max(sizes)) sizes[1L] else paste(min(sizes), "to", max(sizes)),
        " per class, ", nrow(fit$basis), " distinct")
    }
  )
}

#' Summary of a fit
#'
#' @param object A fit.
#' @param ... Not used.
#' @return A list of class `summary.gpsieve_fit` with the hyper-parameters, the evidence, the
#'   trace's last row and, where the fit has them, the reliability table from the cavities or the
#'   certificate.
#' @examples
#' summary(ivm(Species ~ ., iris, n_active = 30, seed = 1))
#' @export
summary.gpsieve_fit <- function(object, ...) {
  check_fit(object, "object")
  theta <- coef(object)
  from_fit(structure(
    list(
      fit = object,
      hyperparameters = data.frame(
        estimate = theta,
        learned = object$settings$optimise & theta_free(object$kernel, object$likelihood),
        at_bound = at_bound(object),
        row.names = names(theta)
      ),
      evidence = evidence(object),
      seconds = if (nrow(object$trace)) object$trace$seconds[nrow(object$trace)] else NA_real_,
      calibration = object$calibration,
      certificate = object$state$certificate
    ),
    class = "summary.gpsieve_fit"
  ))
}

#' @export
print.summary.gpsieve_fit <- function(x, digits = 4, ...) {
  from_fit(print_summary(x, digits))
  invisible(x)
}

print_summary <- function(x, digits) {
  print(x$fit)
  cat("\nHyper-parameters", scale_words(x$fit), "\n", sep = "")
  print(x$hyperparameters, digits = digits)
  # TAP and exact regression have nothing to correct.
  corrects <- !is.null(x$corrected_evidence) &&
    !isTRUE(all.equal(x$corrected_evidence, x$evidence$value, tolerance = 1e-6))
  if (corrects) {
    cat("\nLog evidence with linear-response correction: ",
      format(x$corrected_evidence, digits = digits + 2L), "\n",
      sep = ""
    )
  }
  if (!is.null(x$calibration)) {
    table <- x$calibration$reliability
    response <- x$fit$response
    cat("\nReliability of the training rows' probabilities without their own response, for the ",
      if (response$kind == "binary") paste("class", dQuote(response$present[2L], FALSE))
      else "predicted class",
      "\n",
      sep = ""
    )
    print(table[table$count > 0, ], digits = digits, row.names = FALSE)
  }
  if (!is.null(x$certificate)) {
    cat("\nBounds on the objective\n")
    print(x$certificate, digits = digits, row.names = FALSE)
  }
}

#' What the hyper-parameters of a fit are measured in, in words
#' @noRd
scale_words <- function(fit) {
  if (all(fit$inputs$scale == 1)) return("")
  own <- if (has_data_units(fit$kernel)) "; periods and lengths in the units of the data as asked"
  paste0(" (on the standardised scale", own, ")")
}

#' Refit with other data or other settings
#'
#' Starts from the fit's kernel, likelihood (learned values included) and settings; arguments given
#' here replace them. A fit made from a formula takes `data`, and `formula` for another one, in
#' which a dot stands for what was there ([stats::update.formula()]); any other fit takes `x` and
#' `y`.
#'
#' @param object A fit.
#' @param ... `data` (and `formula`), or `x` and `y`; and any argument of the model, by name.
#' @return A new fit.
#' @examples
#' fit <- ivm(dist ~ speed, cars, n_active = 20, seed = 1)
#' update(fit, data = cars, n_active = 40)
#' @importFrom stats update
#' @export
update.gpsieve_fit <- function(object, ...) {
  given <- list(...)
  call <- rlang::current_env()
  validate_fit(object, call)
  if (length(given) && (is.null(names(given)) || any(names(given) == ""))) {
    abort_gpsieve("All arguments of {.fn update} must be named.", call = call)
  }
  needed <- if (is.null(object$formula)) c("x", "y") else "data"
  if (!all(needed %in% names(given))) {
    abort_gpsieve("{.fn update} needs {.arg {needed}}: a fit does not keep its training rows.",
      call = call
    )
  }
  own <- c(
    list(kernel = reported_kernel(object), likelihood = object$likelihood, seed = object$seed,
      standardise = standardised_by(object$inputs)),
    object$settings
  )
  replaced <- c(names(given), if ("size" %in% names(given)) size_arguments)
  own <- own[setdiff(names(own), replaced)]
  first <- if (is.null(object$formula)) {
    given[c("x", "y")]
  } else {
    c(list(updated_formula(formula(object), given$formula, given$data, call)), given["data"])
  }
  check_weights_again(object, given, call)
  others <- given[setdiff(names(given), c(needed, if (needed[1L] == "data") "formula"))]
  # Called by its name, so that an error names the model.
  do.call(object$model, c(first, own, others), envir = topenv())
}

#' Weights that were numbers, not an expression of the data's columns, have to be given again
#' @noRd
check_weights_again <- function(object, given, call) {
  weighted <- !is.null(object$cases$total) && is.null(object$settings$weights)
  numbers <- c(
    weights = weighted && !"weights" %in% names(given),
    offset = isTRUE(object$blueprint$offset$given) && !"offset" %in% names(given)
  )
  if (!any(numbers)) return(invisible())
  lacking <- names(numbers)[numbers]
  abort_gpsieve("This fit had {.arg {lacking}}, which {.fn update} must be given again.",
    hint = "Where they are columns of {.arg data} it finds them itself.", call = call
  )
}

updated_formula <- function(old, new, data, call) {
  if (is.null(new)) return(old)
  if (!inherits(new, "formula")) {
    found <- describe(new)
    abort_gpsieve("{.arg formula} must be a formula.", "Found {found}.", call = call)
  }
  # A dot of the old formula stands for columns, one of the new formula for the old one.
  if ("." %in% all.vars(old) && is.data.frame(data)) {
    old <- stats::formula(stats::terms(old, data = data))
  }
  stats::update.formula(old, new)
}
