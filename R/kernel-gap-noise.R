# Noise of rows that lack a value: what a missing value would have said of the response is noise of
# its own.

#' Noise of rows with gaps
#'
#' Independent noise of those rows in which one of the columns is positive, columns that say which
#' rows lack a value:
#' \deqn{k(x, x) = \mathrm{variance} \mathrm{\ if\ some\ } x_d > 0,\quad k(x, z) = 0}{
#'   k(x, x) = variance if some x_d > 0, 0 else; k(x, z) = 0 for two different points}
#' With `na.action = "model"` the mean of a column stands for its missing values, and a column
#' `"<name>(missing)"` beside it is 1 where one is missing (see [model_arguments]). What the value
#' would have said of the response is then noise, which rows that have it lack. Models add such a
#' noise for every column with gaps to their kernel, one for columns whose gaps are in the same
#' rows, such as those of `x` and `log(x)`, with a variance that is learned with the other
#' hyper-parameters, unless the kernel has one already. They do not where rows have weights, known
#' noise (`noise_sd`) or noise that changes, because a row of weight 2 would have two noises.
#' [rvm()], whose functions are sums of basis functions, has no noise in its kernel. A message says
#' where rows with gaps have none: they are then predicted with too much confidence.
#'
#' What is not known of a row with a gap is one of its inputs, and with it the value of the function
#' there. The noise is therefore part of standard errors and of confidence intervals, as it is of
#' prediction intervals. [sigma()][sigma.gpsieve_fit] is the noise of rows without gaps. The noise
#' is no term of `predict(type = "terms")`: its mean at new rows is 0.
#'
#' @param dims The columns that say where values are missing: names or numbers, as in [kernel_on()].
#'   `NULL`: all.
#' @param variance Variance of the noise: one positive number, or [fixed()].
#' @inheritParams kernel_white
#' @inherit kernel_rbf return seealso
#' @examples
#' set.seed(1)
#' d <- data.frame(x = runif(80))
#' d$y <- sin(6 * d$x) + rnorm(80, sd = 0.1)
#' d$x[1:15] <- NA
#' fit <- meanfield_gp(y ~ x, d, na.action = "model")
#' kernel_of(fit)
#' predict(fit, data.frame(x = c(0.5, NA)), type = "quantile")
#' @export
kernel_gap_noise <- function(dims = NULL, variance = 0.1, ...) {
  check_dots(...)
  leaf <- new_leaf("gap_noise", variance = variance)
  if (is.null(dims)) leaf else kernel_on(leaf, dims)
}

gap_noise_kind <- list(
  hyper = "variance", unit_variance = "none", rate = function(leaf) 0, word = "gap", noise = TRUE,
  maps = FALSE, sparse = FALSE, exported = TRUE
)

has_gap_noise <- function(kernel) {
  any(vapply(kernel_leaves(kernel), function(leaf) leaf$kernel$type == "gap_noise", NA))
}

# Which of the columns have a gap noise in a kernel?
columns_of_gap_noise <- function(kernel, columns) {
  leaves <- Filter(function(leaf) leaf$kernel$type == "gap_noise", kernel_leaves(kernel, columns))
  unlist(lapply(leaves, `[[`, "columns"))
}
