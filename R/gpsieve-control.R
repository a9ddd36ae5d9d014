#' Settings of the choice that gpsieve() makes
#'
#' @param folds Folds of the cross-validation by which kernels and likelihoods are compared.
#' @param rows Rows, drawn at random, on which they are compared; `NULL`: as many as the time
#'   allows, at most 1000.
#' @param dense_rows With at most so many rows (times the square root of the number of latent
#'   functions) the dense model, [meanfield_gp()], is fitted; with more, a sparse one.
#' @param validation_rows Rows held out, at most, on which sparse models are compared.
#' @param prior What learning assumes about hyper-parameters beforehand: [prior_weak()], or `NULL`
#'   for the plain evidence.
#' @param ... Not used; anything here is an error.
#' @return A list of class `gpsieve_control_gpsieve`.
#' @examples
#' control_gpsieve(folds = 3, rows = 200)
#' @export
control_gpsieve <- function(folds = 5, rows = NULL, dense_rows = 1500, validation_rows = 5000,
                            prior = prior_weak(), ...) {
  check_dots(...)
  structure(
    list(
      folds = check_count(folds, min = 2, max = 100),
      rows = if (!is.null(rows)) check_count(rows, min = 10),
      dense_rows = check_count(dense_rows, min = 0),
      validation_rows = check_count(validation_rows, min = 10),
      prior = check_prior(prior)
    ),
    class = c("gpsieve_control_gpsieve", "gpsieve_control")
  )
}
