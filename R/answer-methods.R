# Summary of a fit.

# Which of the hyper-parameters that coef() has were learned from the rows. gpsieve() has learned
# those with which it begins the fit that it has chosen.
learned_of_fit <- function(fit) {
  (fit$settings$optimise || inherits(fit, "gpsieve_chosen")) & free_of_fit(fit)
}

# Which of these hyper-parameters are not held
free_of_fit <- function(fit) {
  c(theta_free(fit$kernel, fit$likelihood), !is.na(noise_coefficients(fit$likelihood)))
}

# Which of them ended at a bound of learning: the data do not determine these values
at_bound <- function(fit) seq_along(free_of_fit(fit)) %in% fit$evidence$at_bound

#' Summary of a fit
#'
#' @param object A fit.
#' @param ... Not used.
#' @return A list of class `summary.gpsieve_fit` with the `hyperparameters` as a data frame
#'   (`estimate`, whether `learned`, and whether learning ended `at_bound`), the `evidence`, the
#'   `seconds` that the fit took and, where the fit has them, the reliability table from the
#'   cavities (`calibration`) or the `certificate`. It prints what the fit prints and the
#'   parameters, for each kernel those of single columns with a row for each column.
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
        learned = learned_of_fit(object),
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
