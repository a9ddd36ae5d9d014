# Numbers with noise that has heavy tails.

#' Student-t likelihood
#'
#' Numbers observed with heavy-tailed noise, so that observations far from the others have little
#' influence:
#' \deqn{p(y \mid f) = \frac{\Gamma((\mathrm{df} + 1)/2)}{
#'     \Gamma(\mathrm{df}/2) \sqrt{\pi\,\mathrm{df}}\,\mathrm{scale}}
#'   \Big(1 + \frac{(y - f)^2}{\mathrm{df}\,\mathrm{scale}^2}\Big)^{-(\mathrm{df} + 1)/2}}{
#'   p(y | f) = Gamma((df + 1) / 2) / (Gamma(df / 2) sqrt(pi df) scale) *
#'   (1 + (y - f)^2 / (df scale^2))^(-(df + 1) / 2)}
#'
#' It is not log-concave in \eqn{f}: the posterior may have several modes, and sites may have
#' negative precision.
#'
#' @param df Degrees of freedom: one positive number. A constant, not learned. The predictive
#'   variance is infinite for `df <= 2`.
#' @param scale Scale of the noise: one positive number, or [fixed()]. `NULL` starts from
#'   \eqn{\sqrt{0.1}}{sqrt(0.1)} times [stats::mad()] of the response, or its
#'   standard deviation where that is 0. Models
#'   standardise a numeric response unless told otherwise; the scale then refers to the standardised
#'   response.
#' @param ... Not used; anything here is an error.
#' @inherit lik_gaussian return
#' @seealso [lik_gaussian()]
#' @references
#' Jylanki, P., Vanhatalo, J. and Vehtari, A. (2011). Robust Gaussian process regression with a
#' Student-t likelihood. *Journal of Machine Learning Research* 12, 3227-3257.
#' @examples
#' lik_student()
#' lik_student(df = 3, scale = 0.2)
#' @export
lik_student <- function(df = 4, scale = NULL, ...) {
  check_dots(...)
  new_likelihood("student", df = df, scale = scale, open = "scale")
}

student_family <- list(
  response = "real", hyper = "scale", link = "identity", exact = "df",
  concave = function(values) FALSE,
  start = function(y, levels) {
    list(scale = sqrt(noise_share) * first_positive(stats::mad(y), stats::sd(y), 1))
  },
  draw = function(likelihood, f, unit, trials) {
    values <- likelihood$values
    f + unit * values$scale * stats::rt(length(f), values$df)
  },
  deviance = function(likelihood, y, mean, latent) {
    values <- likelihood$values
    sign(y - mean) * sqrt((values$df + 1) * log1p((y - mean)^2 / (values$df * values$scale^2)))
  },
  noise_sd = function(values) {
    if (values$df > 2) values$scale * sqrt(values$df / (values$df - 2)) else Inf
  },
  words = function(likelihood, unit) {
    paste0("Student's t, ", number_text(likelihood$values$df), " degrees of freedom, scale ",
      plain_number(likelihood$values$scale * unit))
  },
  exported = function(values) {
    sd <- student_family$noise_sd(values)
    if (is.finite(sd)) list(noise = sd^2) else list()
  },
  # Its noise is symmetric: the smaller of the two tails keeps its digits.
  symmetric = TRUE
)
