# The constructors of the usual covariance functions of columns of numbers. Those of places, levels
# and rows of a matrix have files of their own.

#' RBF (squared exponential, Gaussian) kernel
#'
#' Infinitely smooth functions that vary over distances of about `lengthscale`:
#' \deqn{k(x, z) = \mathrm{variance} \cdot \exp\Big(-\sum_l
#'   \frac{(x_l - z_l)^2}{2\,\mathrm{lengthscale}_l^2}\Big)}{
#'   k(x, z) = variance * exp(-sum_l (x_l - z_l)^2 / (2 lengthscale_l^2))}
#'
#' Kernels are values: they can be added and multiplied with `+` and `*`, restricted to some
#' columns by [kernel_on()], and print as the expression that makes them. With `optimise = TRUE` the
#' models learn the hyper-parameters that are not wrapped in [fixed()]; [rvm()] says what it learns.
#'
#' @param variance Variance of the function at every point: one positive number, or [fixed()].
#' @param lengthscale The distance over which the function changes: one positive number, or one
#'   per input column (automatic relevance determination, ARD), or [fixed()]. `NULL` takes the
#'   median distance between training rows, of 500 of them where there are more, and the mean of the
#'   positive distances where most are 0. Several
#'   lengthscales may be named: they are then matched to the columns of the model matrix by name, in
#'   any order.
#' @param ard Use one lengthscale for each input column? All start from `lengthscale`, by default
#'   the median distance, and learning moves each by itself. [coef()] has what they became,
#'   [relevance()] how much each column matters.
#' @param units What lengthscales are measured in, when they are given and when a fit reports them.
#'   Models standardise the inputs unless told otherwise, and `"standardised"` lengthscales refer to
#'   standardised columns. `"data"` lengthscales are in the columns' own units, such as metres; one
#'   of them for several columns needs columns of equal standard deviation, or `standardise` that is
#'   `FALSE` or `"common"`.
#' @param ... Not used; anything here is an error.
#' @return A kernel: an object of class `gpsieve_kernel`.
#' @seealso [kernel_rbf()], [kernel_matern()], [kernel_separable()],
#'   [kernel_rational_quadratic()], [kernel_periodic()], [kernel_great_circle()],
#'   [kernel_linear()], [kernel_affine()], [kernel_polynomial()], [kernel_categorical()],
#'   [kernel_constant()], [kernel_white()], [kernel_function()]; [kernel_on()]; [kernel_matrix()].
#' @examples
#' kernel_rbf()
#' kernel_rbf(variance = 2, lengthscale = c(1, 0.5)) + kernel_constant(0.1)
#' kernel_matrix(kernel_rbf(lengthscale = 1), matrix(1:3))
#'
#' # One lengthscale for each column, without counting them
#' fit <- meanfield_gp(Volume ~ ., trees, kernel = kernel_rbf(ard = TRUE))
#' coef(fit)
#'
#' # A lengthscale of 5 mph
#' ivm(dist ~ speed, cars, kernel = kernel_rbf(lengthscale = fixed(5), units = "data"), seed = 1)
#' @export
kernel_rbf <- function(variance = 1, lengthscale = NULL, ard = FALSE,
                       units = c("standardised", "data"), ...) {
  check_dots(...)
  new_leaf("rbf",
    variance = variance, lengthscale = lengthscale, open = "lengthscale", ard = ard,
    units = check_choice(units, length_units))
}

# A lengthscale that is a distance between rows on the scale of computation: where it starts, and
# the mean squared distance of two rows by the variances of the columns
row_lengths <- list(
  start = function(leaf, x) median_distance(x),
  mean_square = function(leaf, variances) 2 * positive_or_one(sum(variances)),
  between_rows = TRUE
)

# A lengthscale without a unit
unitless_lengths <- list(
  start = function(leaf, x) 1, mean_square = function(leaf, variances) 1, between_rows = FALSE
)

# What kernels of scaled distances share
distance_kind <- list(
  hyper = c("variance", "lengthscale"), lengthscale = row_lengths, unit = "lengthscale",
  unit_variance = function(variances) 1, rate = function(leaf) 1 / leaf$values$lengthscale,
  exported = TRUE
)

rbf_kind <- c(distance_kind, list(word = "very smooth"))

#' Matern kernel
#'
#' Functions of limited smoothness. With
#' \eqn{r^2 = \sum_l (x_l - z_l)^2 / \mathrm{lengthscale}_l^2}{
#'   r^2 = sum_l (x_l - z_l)^2 / lengthscale_l^2},
#' \deqn{k(x, z) = \mathrm{variance} \cdot \left\{\begin{array}{ll}
#'   e^{-r} & \nu = 1/2\\
#'   (1 + \sqrt{3}\,r)\, e^{-\sqrt{3}\,r} & \nu = 3/2\\
#'   (1 + \sqrt{5}\,r + 5 r^2 / 3)\, e^{-\sqrt{5}\,r} & \nu = 5/2
#'   \end{array}\right.}{
#'   k(x, z) = variance * exp(-r) for nu = 0.5,
#'   variance * (1 + sqrt(3) r) exp(-sqrt(3) r) for nu = 1.5,
#'   variance * (1 + sqrt(5) r + 5 r^2 / 3) exp(-sqrt(5) r) for nu = 2.5}
#'
#' @param nu Smoothness: 0.5 (continuous, nowhere differentiable), 1.5 (once differentiable) or
#'   2.5 (twice). A constant, not learned.
#' @inheritParams kernel_rbf
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_matern(nu = 2.5, lengthscale = 0.5)
#' @export
kernel_matern <- function(nu = 1.5, variance = 1, lengthscale = NULL, ard = FALSE,
                          units = c("standardised", "data"), ...) {
  check_dots(...)
  new_leaf("matern",
    nu = nu, variance = variance, lengthscale = lengthscale, open = "lengthscale", ard = ard,
    units = check_choice(units, length_units))
}

# The values of nu, and the roughness of such functions.
matern_orders <- c(0.5, 1.5, 2.5)
matern_words <- c("rough", "fairly smooth", "smooth")

matern_word <- function(leaf) matern_words[match(leaf$values$nu, matern_orders)]

check_nu <- function(x, arg) {
  x <- check_number(x, arg)
  if (x %in% matern_orders) return(x)
  found <- describe(x)
  abort_gpsieve("{.arg nu} must be 0.5, 1.5 or 2.5.", "Found {found}.")
}

matern_kind <- c(distance_kind, list(rules = list(nu = check_nu), word = matern_word))

#' Product of Matern kernels of the inputs
#'
#' A [Matern kernel][kernel_matern()] of each input column, multiplied: with a lengthscale for each
#' column (`ard = TRUE`) the covariance that is usual for the output of computer codes. With
#' \eqn{r_l = |x_l - z_l| / \mathrm{lengthscale}_l}{r_l = |x_l - z_l| / lengthscale_l} and the
#' Matern function m of one input, which is 1 at 0,
#' \deqn{k(x, z) = \mathrm{variance} \cdot \prod_l m_\nu(r_l)}{
#'   k(x, z) = variance * prod_l m_nu(r_l)}
#'
#' Along each column its functions are as smooth as those of [kernel_matern()] with the same `nu`.
#'
#' @inheritParams kernel_matern
#' @inherit kernel_rbf return seealso
#' @references
#' Sacks, J., Welch, W. J., Mitchell, T. J. and Wynn, H. P. (1989). Design and analysis of computer
#' experiments. *Statistical Science* 4, 409-423.
#' @examples
#' kernel_separable(lengthscale = c(1, 0.5))
#' kernel_matrix(kernel_separable(lengthscale = 1), matrix(c(0, 1, 0, 1), 2))
#' @export
kernel_separable <- function(nu = 2.5, variance = 1, lengthscale = NULL, ard = FALSE,
                             units = c("standardised", "data"), ...) {
  check_dots(...)
  new_leaf("separable",
    nu = nu, variance = variance, lengthscale = lengthscale, open = "lengthscale", ard = ard,
    units = check_choice(units, length_units))
}

separable_kind <- utils::modifyList(matern_kind, list(sparse = FALSE, exported = FALSE))

#' Rational quadratic kernel
#'
#' A mixture of [RBF kernels][kernel_rbf] of all lengthscales: functions that vary on several
#' scales at once. It tends to the RBF kernel as `alpha` grows.
#' \deqn{k(x, z) = \mathrm{variance} \cdot \Big(1 + \sum_l
#'   \frac{(x_l - z_l)^2}{2\,\mathrm{alpha}\,\mathrm{lengthscale}_l^2}\Big)^{-\mathrm{alpha}}}{
#'   k(x, z) = variance * (1 + sum_l (x_l - z_l)^2 / (2 alpha lengthscale_l^2))^-alpha}
#'
#' @inheritParams kernel_rbf
#' @param alpha How little the lengthscales of the mixture vary: one positive number, or [fixed()].
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_rational_quadratic(lengthscale = 1, alpha = 0.5)
#' @export
kernel_rational_quadratic <- function(variance = 1, lengthscale = NULL, alpha = 1, ard = FALSE,
                                      units = c("standardised", "data"), ...) {
  check_dots(...)
  new_leaf("rational_quadratic",
    variance = variance, lengthscale = lengthscale, alpha = alpha, open = "lengthscale", ard = ard,
    units = check_choice(units, length_units))
}

rational_quadratic_kind <- utils::modifyList(distance_kind,
  list(hyper = c("variance", "lengthscale", "alpha"), word = "multi-scale"))

#' Linear kernel
#'
#' Linear functions through the origin whose coefficients have this variance; add
#' [kernel_constant()] for an intercept.
#' \deqn{k(x, z) = \mathrm{variance} \cdot x^\top z}{k(x, z) = variance * x'z}
#' With lengthscales column l is divided by its own first, so that its coefficient has the variance
#' \eqn{\mathrm{variance} / \mathrm{lengthscale}_l^2}{variance / lengthscale_l^2}.
#'
#' @param variance Variance of the coefficients: one positive number, or [fixed()]. `NULL` takes 1
#'   over the number of input columns, so that the function has a variance of about 1 at the rows of
#'   standardised inputs, however many columns there are.
#' @param lengthscale What every column is divided by: `NULL` for nothing, or one positive number
#'   per input column, by name in any order if they have names, or [fixed()].
#' @param ard Use one lengthscale for each input column? They start from 1.
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_linear() + kernel_constant()
#' kernel_linear(ard = TRUE)
#' @export
kernel_linear <- function(variance = 1, lengthscale = NULL, ard = FALSE, ...) {
  check_dots(...)
  # A single lengthscale would have the same effect as the variance: without ARD there is none.
  if (is.null(lengthscale) && isFALSE(ard)) {
    return(new_leaf("linear", variance = variance, open = "variance"))
  }
  new_leaf("linear",
    variance = variance, lengthscale = lengthscale, open = c("variance", "lengthscale"), ard = ard)
}

one_by_columns <- function(leaf, x) 1 / ncol(x)

# The inner product of two rows grows with the columns.
linear_kind <- list(
  hyper = c("variance", "lengthscale"), lengthscale = unitless_lengths,
  start = list(variance = one_by_columns),
  unit_variance = function(variances) positive_or_one(sum(variances)),
  rate = function(leaf) 0, word = "linear", trend = TRUE, simple = TRUE, exported = TRUE
)

#' Lines with correlated intercept and slopes
#'
#' Linear functions whose intercept is correlated with their slopes. With p input columns
#' \deqn{k(x, z) = \mathrm{variance} + \mathrm{slope} \cdot x^\top z + \cos(\mathrm{angle})
#'   \sqrt{\mathrm{variance} \cdot \mathrm{slope} / p} \; \textstyle\sum_l (x_l + z_l)}{
#'   k(x, z) = variance + slope * x'z + cos(angle) sqrt(variance * slope / p) sum_l (x_l + z_l)}
#' For one column every covariance matrix of intercept and slope is of this form, wherever the
#' origin of the column is. For several, the slopes are independent of each other and of equal
#' variance. Times [kernel_categorical()] it makes a line for each group: see [groups].
#'
#' @param variance Variance of the intercept: one positive number, or [fixed()].
#' @param slope Variance of each slope: one positive number, or [fixed()].
#' @param angle Angle in radians whose cosine, over the root of the number of columns, is the
#'   correlation of the intercept with each slope: one positive number, or [fixed()]. The default is
#'   a correlation of 0.
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_matrix(kernel_affine(variance = 4, slope = 1, angle = pi / 3), matrix(0:2))
#' @export
kernel_affine <- function(variance = 1, slope = 1, angle = pi / 2, ...) {
  check_dots(...)
  check_one_angle(angle)
  new_leaf("affine", variance = variance, slope = slope, angle = angle)
}

affine_kind <- list(
  hyper = c("variance", "slope", "angle"), scales = c("variance", "slope"),
  unit_variance = "none", rate = function(leaf) 0, word = "linear", trend = TRUE,
  sparse = FALSE, exported = FALSE,
  # check_one_angle() has seen that it is one.
  rules = list(angle = function(x, arg) check_positive(x, arg))
)

check_one_angle <- function(angle) {
  n <- length(if (is_fixed(angle)) angle$value else angle)
  if (n <= 1L) return(invisible())
  abort_gpsieve("{.arg angle} must be one number.", "Found {n} numbers.")
}

#' Polynomial kernel
#'
#' Polynomials in the inputs:
#' \deqn{k(x, z) = \mathrm{variance} \cdot
#'   (\mathrm{offset} + \mathrm{scale} \cdot x^\top z)^{\mathrm{degree}}}{
#'   k(x, z) = variance * (offset + scale * x'z)^degree}
#'
#' @param degree Degree of the polynomials: a positive whole number. A constant, not learned.
#' @param variance Factor in front: one positive number, or [fixed()].
#' @param offset Weight of the terms of lower degree: one number, positive or zero, or [fixed()].
#'   Zero leaves only terms of degree `degree`, and is not learned.
#' @param scale Factor of the inner product: one positive number, or [fixed()]. `NULL` takes 1 over
#'   the number of input columns.
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_polynomial(degree = 3)
#' @export
kernel_polynomial <- function(degree = 2, variance = 1, offset = 1, scale = NULL, ...) {
  check_dots(...)
  new_leaf("polynomial",
    degree = degree, variance = variance, offset = offset, scale = scale, open = "scale")
}

# A larger degree is taken for a mistake; the core refuses it too.
largest_degree <- 1000

polynomial_kind <- list(
  hyper = c("variance", "offset", "scale"), may_be_zero = "offset",
  rules = list(
    offset = function(x, arg) check_number(x, arg, min = 0),
    degree = function(x, arg) check_count(x, arg, max = largest_degree)
  ),
  start = list(scale = one_by_columns), unit_variance = "none", rate = function(leaf) 0,
  word = function(leaf) {
    words <- c("linear", "quadratic", "cubic")
    degree <- leaf$values$degree
    if (degree <= length(words)) words[degree] else paste0("degree-", degree)
  },
  trend = TRUE, exported = TRUE
)

#' Periodic kernel
#'
#' Functions that repeat themselves in every input column; multiply with [kernel_rbf()] for a
#' pattern that drifts, restrict with [kernel_on()] to the column that is periodic.
#' \deqn{k(x, z) = \mathrm{variance} \cdot \exp\Big(-2 \sum_l
#'   \frac{\sin^2(\pi (x_l - z_l) / \mathrm{period})}{\mathrm{lengthscale}_l^2}\Big)}{
#'   k(x, z) = variance * exp(-2 sum_l sin^2(pi (x_l - z_l) / period) / lengthscale_l^2)}
#'
#' @param variance Variance of the function at every point: one positive number, or [fixed()].
#' @param lengthscale How much the function varies within a period, smaller is more: one positive
#'   number, or one per input column, by name in any order if they have names, or [fixed()]. It has
#'   no unit.
#' @param period Distance after which the function repeats: one positive number, or [fixed()], by
#'   default in the column's own units, whether or not the model standardises it: 1 is a year for a
#'   column of years, 12 for a column that counts months. Fits report it in the same units. `NULL`
#'   starts from one standard deviation of the standardised column (1 where nothing is
#'   standardised), which is rarely near a period of the data: learning finds a period only from a
#'   start close to it.
#' @param ard Use one lengthscale for each input column? All start from `lengthscale`.
#' @param units What the period is measured in: the column's own units, or standard deviations of
#'   the column (`"standardised"`) where the model standardises. A given period of several
#'   columns of different standard deviations becomes a period, in the units of the data, for each
#'   of them, and `NULL` one for all in standard deviations: [kernel_on()] restricts the kernel to
#'   the column that is periodic.
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return seealso
#' @examples
#' yearly <- kernel_periodic(period = 12) * kernel_rbf(lengthscale = 60)
#' kernel_matrix(yearly, matrix(c(0, 6, 12)))
#'
#' # A column of years, standardised by the fit: the period is still one year
#' gas <- data.frame(year = as.vector(time(UKgas)), use = log(as.vector(UKgas)))
#' fit <- meanfield_gp(use ~ year, gas,
#'   kernel = kernel_rbf() + kernel_rbf() * kernel_periodic(period = fixed(1))
#' )
#' coef(fit)
#' @export
kernel_periodic <- function(variance = 1, lengthscale = 1, period = NULL, ard = FALSE,
                            units = c("data", "standardised"), ...) {
  check_dots(...)
  new_leaf("periodic",
    variance = variance, lengthscale = lengthscale, period = period, open = "period", ard = ard,
    units = check_choice(units, rev(length_units)))
}

# A periodic kernel of several columns as the product of one for each, which it is: the exponential
# of a sum over columns. Only the first has a variance to learn.
periodic_by_column <- function(leaf, scale) {
  parts <- lapply(seq_along(scale), function(column) {
    part <- leaf
    part$values$lengthscale <- rep_len(leaf$values$lengthscale, length(scale))[column]
    part$values$period <- leaf$values$period / unname(scale[column])
    if (column > 1L) {
      part$values$variance <- 1
      part$fixed <- union(part$fixed, "variance")
    }
    new_kernel("on", children = list(part), dims = column)
  })
  new_kernel("product", children = parts)
}

# The phase of a function far from the origin depends on many digits of its period.
periodic_kind <- list(
  hyper = c("variance", "lengthscale", "period"), exact = "period",
  lengthscale = unitless_lengths, start = list(period = function(leaf, x) 1),
  unit = "period", usual_units = "data", by_column = periodic_by_column,
  unit_variance = function(variances) 1,
  rate = function(leaf) 2 * pi / (leaf$values$period * leaf$values$lengthscale),
  word = "periodic", sparse = FALSE, exported = TRUE
)

#' Constant kernel
#'
#' An unknown constant: as a summand an intercept, as a factor a scale.
#' \deqn{k(x, z) = \mathrm{variance}}{k(x, z) = variance}
#'
#' Numbers in sums and products of kernels become constant kernels that are not learned:
#' `2 * kernel_rbf()` is `kernel_constant(fixed(2)) * kernel_rbf()`.
#'
#' @param variance Variance of the constant: one positive number, or [fixed()].
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_rbf() + kernel_constant(0.1)
#' kernel_rbf() + 0.1
#' @export
kernel_constant <- function(variance = 1, ...) {
  check_dots(...)
  new_leaf("constant", variance = variance)
}

constant_kind <- list(
  hyper = "variance", unit_variance = function(variances) 1, rate = function(leaf) 0, word = "none",
  simple = TRUE, inputs = FALSE, exported = TRUE
)

#' White noise kernel
#'
#' Independent noise: `variance` for a point with itself, zero for any two different points even
#' where their inputs coincide.
#'
#' @param variance Variance of the noise: one positive number, or [fixed()].
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return seealso
#' @examples
#' noisy <- kernel_rbf(lengthscale = 1) + kernel_white(0.1)
#' x <- matrix(1:2)
#' kernel_matrix(noisy, x) # 1.1 on the diagonal
#' kernel_matrix(noisy, x, x) # 1: these are other points at the same place
#' @export
kernel_white <- function(variance = 1, ...) {
  check_dots(...)
  new_leaf("white", variance = variance)
}

white_kind <- list(
  hyper = "variance", unit_variance = "none", rate = function(leaf) 0, word = "white",
  noise = TRUE, inputs = FALSE, exported = TRUE
)
