# print, summary and update.

#' @export
print.gpsieve_fit <- function(x, ...) {
  from_fit(writeLines(describe_fit(x)))
  invisible(x)
}

describe_fit <- function(fit) {
  p <- ncol(fit$basis)
  found <- evidence(fit)
  c(
    fit$labels$title,
    paste0(
      "  ", describe_response(fit$response), ", ", fit$n, " rows, ", p, " input", if (p != 1L) "s"
    ),
    paste0("  kernel       ", format(fit$kernel)),
    paste0("  likelihood   ", format(fit$likelihood)),
    paste0("  ", describe_size(fit)),
    paste0("  log evidence ", format(found$value, digits = 6), " (", found$kind, ")"),
    if (nzchar(fit$reason)) paste0("  stopped early: ", fit$reason)
  )
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
  theta <- coef(object)
  from_fit(structure(
    list(
      fit = object,
      hyperparameters = data.frame(
        estimate = theta,
        learned = object$settings$optimise & theta_free(object$kernel, object$likelihood),
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
  cat("\nHyper-parameters", if (any(x$fit$inputs$scale != 1)) " (on the standardised scale)", "\n",
    sep = ""
  )
  print(x$hyperparameters, digits = digits)
  if (!is.null(x$calibration)) {
    cat("\nReliability of training cavities\n")
    print(x$calibration$reliability, digits = digits, row.names = FALSE)
  }
  if (!is.null(x$certificate)) {
    cat("\nBounds on the objective\n")
    print(x$certificate, digits = digits, row.names = FALSE)
  }
}

#' Refit with other data or other settings
#'
#' Starts from the fit's kernel, likelihood (learned values included) and settings; arguments given
#' here replace them. A fit made from a formula takes `data`, any other `x` and `y`.
#'
#' @param object A fit.
#' @param ... `data`, or `x` and `y`; and any argument of the model, by name.
#' @return A new fit.
#' @examples
#' fit <- ivm(dist ~ speed, cars, n_active = 20, seed = 1)
#' update(fit, data = cars, n_active = 40)
#' @importFrom stats update
#' @export
update.gpsieve_fit <- function(object, ...) {
  given <- list(...)
  call <- rlang::current_env()
  if (length(given) && (is.null(names(given)) || any(names(given) == ""))) {
    abort_gpsieve("All arguments of {.fn update} must be named.", call = call)
  }
  needed <- if (is.null(object$formula)) c("x", "y") else "data"
  if (!all(needed %in% names(given))) {
    abort_gpsieve("{.fn update} needs {.arg {needed}}: a fit does not keep its training rows.",
      call = call
    )
  }
  standardised <- any(object$inputs$center != 0) || any(object$inputs$scale != 1)
  own <- c(
    list(kernel = object$kernel, likelihood = object$likelihood, seed = object$seed,
      standardise = standardised),
    object$settings
  )
  own <- own[setdiff(names(own), names(given))]
  model <- get(object$model, envir = topenv(), mode = "function")
  if (is.null(object$formula)) {
    do.call(model, c(given[needed], own, given[setdiff(names(given), needed)]))
  } else {
    do.call(
      model,
      c(list(formula(object)), given["data"], own, given[setdiff(names(given), "data")])
    )
  }
}
