# Levels of a factor as an input of a kernel.

#' Kernel of the levels of a factor
#'
#' A covariance on a factor as it stands in the data: only which level a row has matters. For rows
#' of the levels a and b
#' \deqn{k(a, b) = \mathrm{variance} \cdot \left\{\begin{array}{ll}
#'   1 & a = b\\ \mathrm{correlation} & a \ne b, \mathrm{\ equal\ similarity}\\
#'   \mathrm{correlation} \cdot \cos(\phi_a - \phi_b) & a \ne b, \mathrm{\ learned\ similarity}
#'   \end{array}\right.}{
#'   k(a, b) = variance * (1 if a == b; otherwise correlation for equal similarity,
#'   correlation * cos(angle[a] - angle[b]) for learned similarity)}
#' With equal similarity any two levels are alike in the same way. Learned similarity places each
#' level at an angle on a circle: the correlations of the levels are those of \eqn{L L' + D} with
#' two columns in L and a multiple of the identity as D, so that two levels may be nearly the same,
#' or opposites. It suits a factor of few levels, each with many rows.
#'
#' Added to another kernel it shifts the function by level; multiplied with another kernel it makes
#' a function for each level, of which a share `correlation` of the variance is common to all.
#'
#' A factor that a fit's kernel names here becomes one column of the model matrix, the number of the
#' level, instead of an indicator for each level. It is not standardised, and no other kernel sees
#' it: parts of the sum or product that name no columns see all other columns. The cost does not
#' depend on the number of levels. A column of numbers is taken for levels too: rows are alike where
#' the numbers are equal. The rows must be in memory.
#'
#' A level that the training rows lack is no error for [predict()][predict.gpsieve_fit]: it has the
#' correlation above with every level that was seen (0 with learned similarity), and by the prior,
#' which [rvm()] does not have, the full variance. `new_levels = "error"` refuses it.
#'
#' @param dims The factor: its name in the data, or as it is written in the formula. Several names
#'   mean the combinations of their levels. `NULL` where the inputs are this factor
#'   and nothing else.
#' @param variance Variance of the function at every level: one positive number, or [fixed()].
#' @param correlation The correlation of two different levels: a number from 0 to below 1, or
#'   [fixed()]. 0 leaves levels independent and is not learned.
#' @param similarity `"equal"`, one correlation for any two levels, or `"learned"`.
#' @param angle For learned similarity, the angles of the levels in radians, in the order of the
#'   levels: positive numbers, or [fixed()]. `NULL` starts from different angles in a right angle.
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return
#' @references Pinheiro, J. C. and Bates, D. M. (2000). *Mixed-effects models in S and S-PLUS*.
#'   Springer.
#'
#'   Zhang, Y., Tao, S., Chen, W. and Apley, D. W. (2020). A latent variable approach to Gaussian
#'   process modeling with qualitative and quantitative factors. *Technometrics*, 62(3), 291-302.
#' @seealso [groups] for `(1 | school)` in formulas, [kernel_on()].
#' @examples
#' # The weight of chicks by day: a curve for each diet, alike among the diets
#' chicks <- subset(ChickWeight, as.integer(Chick) %% 3 == 0)
#' fit <- meanfield_gp(log(weight) ~ Time + Diet, chicks,
#'   kernel_rbf() * kernel_categorical("Diet", fixed(1))
#' )
#' coef(fit)
#' predict(fit, data.frame(Time = 10, Diet = factor(c(1, 3, 5)))) # diet 5 is new
#'
#' # Covariances of three levels
#' kernel_matrix(kernel_categorical(variance = 2, correlation = 0.25), matrix(1:3))
#' @export
kernel_categorical <- function(dims = NULL, variance = 1, correlation = 0.5,
                               similarity = c("equal", "learned"), angle = NULL, ...) {
  check_dots(...)
  learned <- check_choice(similarity) == "learned"
  if (!learned && !is.null(angle)) {
    abort_gpsieve("{.arg angle} goes with {.code similarity = \"learned\"}.")
  }
  leaf <- if (learned) {
    new_leaf("categorical", variance = variance, correlation = correlation, angle = angle,
      open = "angle")
  } else {
    new_leaf("categorical", variance = variance, correlation = correlation)
  }
  if (learned && leaf$values$correlation == 0) {
    abort_gpsieve("{.arg correlation} must be positive for {.code similarity = \"learned\"}.",
      "Found 0.")
  }
  if (learned) leaf$similarity <- "learned"
  if (is.null(dims)) leaf else kernel_on(leaf, dims)
}

categorical_kind <- list(
  hyper = c("variance", "correlation", "angle"), may_be_zero = "correlation",
  rules = list(
    correlation = function(x, arg) {
      x <- check_number(x, arg, min = 0)
      if (x < 1) return(x)
      abort_gpsieve("{.arg {arg}} must be less than 1.", "Found {x}.")
    },
    angle = function(x, arg) check_positive(x, arg)
  ),
  unit_variance = function(variances) 1, rate = function(leaf) 0, word = "categorical",
  levels = TRUE, maps = FALSE, sparse = FALSE, exported = FALSE
)
