# Kernels as values. A kernel is a plain list, a tree whose leaves carry numbers:
#
#   type      the core's name for it ("rbf", "sum", ...)
#   values    hyper-parameters and constants by argument name, natural scale; NULL = still to be
#             resolved from the data (kernel_resolve())
#   fixed     names of the values that are not to be learned
#   children  of "sum", "product" and "on"
#   dims      of "on": column numbers, or names until they are resolved
#   ard       TRUE where one lengthscale is to become one for each column; absent otherwise, and
#             from the moment it is resolved
#   fn, name  of "function"

new_kernel <- function(type, values = list(), fixed = character(), children = list(), dims = NULL,
                       fn = NULL, name = NULL) {
  structure(
    list(
      type = type, values = values, fixed = fixed, children = children, dims = dims, fn = fn,
      name = name
    ),
    class = c(paste0("gpsieve_kernel_", type), "gpsieve_kernel")
  )
}

#' A kernel without children from the arguments of its constructor
#'
#' Each argument is checked by the rule for its name and may be wrapped in `fixed()`, constants
#' excepted; those in `open` may be NULL. `ard` asks for one lengthscale for each column.
#' @noRd
new_leaf <- function(type, ..., open = character(), ard = FALSE, call = rlang::caller_env()) {
  ard <- check_flag(ard, "ard", call)
  given <- list(...)
  fixed <- character()
  for (name in names(given)) {
    value <- given[[name]]
    if (is_fixed(value) && !name %in% kernel_constants) {
      fixed <- c(fixed, name)
      value <- value$value
    }
    if (!is.null(value) || !name %in% open) value <- kernel_rules[[name]](value, name, call)
    given[name] <- list(value)
  }
  kernel <- new_kernel(type, given, fixed)
  if (ard) kernel$ard <- TRUE
  kernel
}

# A degree beyond this is a slip of the pen; the core refuses it too.
largest_degree <- 1000

single_positive <- function(x, arg, call) check_positive(x, arg, call, single = TRUE)

# What each value must be, by argument name.
kernel_rules <- list(
  variance = single_positive,
  # Names stay: they say which column a lengthscale belongs to.
  lengthscale = function(x, arg, call) {
    out <- check_positive(x, arg, call)
    names(out) <- if (length(x) > 1L) names(x)
    out
  },
  alpha = single_positive,
  period = single_positive,
  scale = single_positive,
  offset = function(x, arg, call) check_number(x, arg, call, min = 0),
  degree = function(x, arg, call) check_count(x, arg, call, max = largest_degree),
  nu = function(x, arg, call) {
    x <- check_number(x, arg, call)
    if (!x %in% c(0.5, 1.5, 2.5)) {
      found <- describe(x)
      abort_gpsieve("{.arg nu} must be 0.5, 1.5 or 2.5.", "Found {found}.", call = call)
    }
    x
  }
)

# Values that shape a kernel but are never learned.
kernel_constants <- c("nu", "degree")

#' Keep a hyper-parameter from being learned
#'
#' Wraps the value of a kernel's or likelihood's argument. Fitting then uses the value as it is,
#' whatever `optimise` says. `hold()` and `fixed()` are the same function; other packages, stringr
#' among them, have a `fixed()` of their own, which hides this one if they are attached later.
#'
#' @param value The number or numbers to keep. `hold(NULL)` is allowed where the argument may be
#'   `NULL`: the value is chosen from the data as usual, then kept.
#' @return An object of class `gpsieve_fixed` for use as an argument of a kernel or likelihood.
#' @seealso [kernel_rbf()] and the other kernels.
#' @examples
#' kernel_rbf(variance = hold(1))
#' kernel_rbf() + kernel_constant(fixed(0.1))
#' @export
fixed <- function(value) {
  if (is_fixed(value)) return(value)
  if (!is.null(value) && (!is.numeric(value) || is.object(value))) {
    found <- describe(value)
    abort_gpsieve("{.arg value} must be numeric or NULL.", "Found {found}.")
  }
  structure(list(value = value), class = "gpsieve_fixed")
}

#' @rdname fixed
#' @export
hold <- function(value) fixed(value)

#' Is it a value to keep? What another package's fixed() made is refused by name.
#' @noRd
is_fixed <- function(x, call = rlang::caller_env(2L)) {
  foreign <- !inherits(x, "gpsieve_fixed") && any(grepl("fixed", class(x), fixed = TRUE))
  if (foreign) {
    abort_gpsieve("A value to keep must be made by {.fn hold}.",
      "Found an object of class {.cls {class(x)}}: the {.fn fixed} of another package.",
      "{.fn gpsieve::hold} does what {.fn gpsieve::fixed} does, under a name of its own.",
      call = call
    )
  }
  inherits(x, "gpsieve_fixed")
}

#' @export
format.gpsieve_fixed <- function(x, ...) paste0("fixed(", format_numbers(x$value), ")")

#' @export
print.gpsieve_fixed <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

#' RBF (squared exponential, Gaussian) kernel
#'
#' Infinitely smooth functions that vary over distances of about `lengthscale`:
#' \deqn{k(x, z) = \mathrm{variance} \cdot \exp\Big(-\sum_l
#'   \frac{(x_l - z_l)^2}{2\,\mathrm{lengthscale}_l^2}\Big)}{
#'   k(x, z) = variance * exp(-sum_l (x_l - z_l)^2 / (2 lengthscale_l^2))}
#'
#' Kernels are values: they can be added and multiplied with `+` and `*`, restricted to some
#' columns by [kernel_on()], and print as the expression that makes them. The models learn every
#' hyper-parameter that is not wrapped in [fixed()].
#'
#' @param variance Variance of the function at every point: one positive number, or [fixed()].
#' @param lengthscale The distance over which the function changes: one positive number, or one
#'   per input column (automatic relevance determination, ARD), or [fixed()]. `NULL` takes the
#'   median distance between training inputs. Models standardise the inputs unless told otherwise,
#'   and lengthscales then refer to standardised columns. Several lengthscales may be named: they
#'   are then matched to the columns of the model matrix by name, in any order.
#' @param ard Use one lengthscale for each input column? All start from `lengthscale`, by default
#'   the median distance, and learning moves each by itself. [relevance()] says what they became.
#' @return A kernel: an object of class `gpsieve_kernel`.
#' @seealso [kernel_rbf()], [kernel_matern()], [kernel_rational_quadratic()], [kernel_periodic()],
#'   [kernel_linear()], [kernel_polynomial()], [kernel_constant()], [kernel_white()],
#'   [kernel_function()]; [kernel_on()]; [kernel_matrix()].
#' @examples
#' kernel_rbf()
#' kernel_rbf(variance = 2, lengthscale = c(1, 0.5)) + kernel_constant(0.1)
#' kernel_matrix(kernel_rbf(lengthscale = 1), matrix(1:3))
#'
#' # One lengthscale for each column, without counting them
#' fit <- meanfield_gp(Volume ~ ., trees, kernel = kernel_rbf(ard = TRUE))
#' coef(fit)
#' @export
kernel_rbf <- function(variance = 1, lengthscale = NULL, ard = FALSE) {
  new_leaf("rbf", variance = variance, lengthscale = lengthscale, open = "lengthscale", ard = ard)
}

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
kernel_matern <- function(nu = 1.5, variance = 1, lengthscale = NULL, ard = FALSE) {
  new_leaf("matern",
    nu = nu, variance = variance, lengthscale = lengthscale, open = "lengthscale", ard = ard
  )
}

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
kernel_rational_quadratic <- function(variance = 1, lengthscale = NULL, alpha = 1, ard = FALSE) {
  new_leaf("rational_quadratic",
    variance = variance, lengthscale = lengthscale, alpha = alpha, open = "lengthscale", ard = ard
  )
}

#' Linear kernel
#'
#' Linear functions through the origin whose coefficients have this variance; add
#' [kernel_constant()] for an intercept.
#' \deqn{k(x, z) = \mathrm{variance} \cdot x^\top z}{k(x, z) = variance * x'z}
#' With lengthscales column l is divided by its own first, so that its coefficient has the variance
#' \eqn{\mathrm{variance} / \mathrm{lengthscale}_l^2}{variance / lengthscale_l^2}.
#'
#' @param variance Variance of the coefficients: one positive number, or [fixed()].
#' @param lengthscale What every column is divided by: `NULL` for nothing, or one positive number
#'   per input column, by name in any order if they have names, or [fixed()].
#' @param ard Use one lengthscale for each input column? They start from 1.
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_linear() + kernel_constant()
#' kernel_linear(ard = TRUE)
#' @export
kernel_linear <- function(variance = 1, lengthscale = NULL, ard = FALSE) {
  # A single lengthscale would say the same as the variance: without ARD there is none.
  if (is.null(lengthscale) && isFALSE(ard)) return(new_leaf("linear", variance = variance))
  new_leaf("linear",
    variance = variance, lengthscale = lengthscale, open = "lengthscale", ard = ard
  )
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
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_polynomial(degree = 3)
#' @export
kernel_polynomial <- function(degree = 2, variance = 1, offset = 1, scale = NULL) {
  new_leaf("polynomial",
    degree = degree, variance = variance, offset = offset, scale = scale, open = "scale"
  )
}

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
#' @param period Distance after which the function repeats: one positive number, or [fixed()]. As
#'   with lengthscales, it refers to standardised columns if the model standardises them.
#' @param ard Use one lengthscale for each input column? All start from `lengthscale`.
#' @inherit kernel_rbf return seealso
#' @examples
#' yearly <- kernel_periodic(period = 12) * kernel_rbf(lengthscale = 60)
#' kernel_matrix(yearly, matrix(c(0, 6, 12)))
#' @export
kernel_periodic <- function(variance = 1, lengthscale = 1, period = 1, ard = FALSE) {
  new_leaf("periodic", variance = variance, lengthscale = lengthscale, period = period, ard = ard)
}

#' Constant kernel
#'
#' An unknown constant: as a summand an intercept, as a factor a scale.
#' \deqn{k(x, z) = \mathrm{variance}}{k(x, z) = variance}
#'
#' Numbers in sums and products of kernels become constant kernels that are not learned:
#' `2 * kernel_rbf()` is `kernel_constant(fixed(2)) * kernel_rbf()`.
#'
#' @param variance Variance of the constant: one positive number, or [fixed()].
#' @inherit kernel_rbf return seealso
#' @examples
#' kernel_rbf() + kernel_constant(0.1)
#' kernel_rbf() + 0.1
#' @export
kernel_constant <- function(variance = 1) new_leaf("constant", variance = variance)

#' White noise kernel
#'
#' Independent noise: `variance` for a point with itself, zero for any two different points even
#' where their inputs coincide.
#'
#' @param variance Variance of the noise: one positive number, or [fixed()].
#' @inherit kernel_rbf return seealso
#' @examples
#' noisy <- kernel_rbf(lengthscale = 1) + kernel_white(0.1)
#' x <- matrix(1:2)
#' kernel_matrix(noisy, x) # 1.1 on the diagonal
#' kernel_matrix(noisy, x, x) # 1: these are other points at the same place
#' @export
kernel_white <- function(variance = 1) new_leaf("white", variance = variance)

#' A kernel of your own
#'
#' Any R function of two matrices of points. It is called on the main thread, once for each block of
#' the covariance matrix; it has no hyper-parameters, and inducing inputs cannot be learned with it.
#' It must be symmetric, `fn(x, z) == t(fn(z, x))`, and positive semi-definite. A fit keeps the
#' function, with the environment it was made in.
#'
#' @param fn `function(x, z)`: takes two numeric matrices, rows are points, and returns the numeric
#'   `nrow(x)` by `nrow(z)` matrix of covariances.
#' @param name The name to print; `NULL` takes the name `fn` was passed by.
#' @inherit kernel_rbf return seealso
#' @examples
#' # the covariance of Brownian motion
#' brownian <- function(x, z) outer(x[, 1], z[, 1], pmin)
#' kernel_function(brownian)
#' kernel_matrix(kernel_function(brownian), matrix(1:3))
#' @export
kernel_function <- function(fn, name = NULL) {
  passed <- substitute(fn)
  if (!is.null(name) && (!is.character(name) || length(name) != 1L || is.na(name))) {
    found <- describe(name)
    abort_gpsieve("{.arg name} must be a single string or NULL.", "Found {found}.")
  }
  if (!takes_two_points(fn)) {
    found <- describe_function(fn)
    abort_gpsieve("{.arg fn} must be a function of two matrices, {.code fn(x, z)}.",
      "Found {found}."
    )
  }
  if (is.null(name) && is.symbol(passed)) name <- as.character(passed)
  new_kernel("function", fn = fn, name = name)
}

#' Whether f(x, z) is a complete call
#' @noRd
takes_two_points <- function(f) {
  if (!is.function(f)) return(FALSE)
  arguments <- formals(args(f))
  if ("..." %in% utils::head(names(arguments), 2L)) return(TRUE)
  required <- !nzchar(as.character(arguments))
  length(arguments) >= 2L && !any(required[-(1:2)] & names(arguments)[-(1:2)] != "...")
}

describe_function <- function(f) {
  if (!is.function(f)) return(describe(f))
  arguments <- names(formals(args(f)))
  if (!length(arguments)) return("a function without arguments")
  paste0("a function of (", paste(arguments, collapse = ", "), ")")
}

#' Evaluate a kernel
#'
#' The matrix of covariances between the rows of `x` and those of `z`.
#'
#' Without `z` the matrix is that of the points `x` among themselves: symmetric, with white noise
#' ([kernel_white()]) on its diagonal. Rows of a `z` are other points, even where they coincide with
#' rows of `x`: white noise contributes nothing.
#'
#' @param kernel A kernel, e.g. [kernel_rbf()].
#' @param x,z Numeric matrices or data frames with the same columns; rows are points. `z = NULL`,
#'   the default, stands for the points `x` themselves.
#' @return A numeric `nrow(x)` by `nrow(z)` matrix.
#' @seealso [kernel_rbf()] and the other kernels.
#' @details
#' A lengthscale left `NULL` is the median distance between the rows of `x`. Nothing is
#' standardised here.
#' @examples
#' x <- as.matrix(iris[1:4, 1:2])
#' kernel_matrix(kernel_rbf(lengthscale = 1), x)
#' kernel_matrix(kernel_linear(), x, x[1:2, ])
#' @export
kernel_matrix <- function(kernel, x, z = NULL) {
  call <- rlang::current_env()
  kernel <- as_kernel(kernel, "kernel", call)
  x <- kernel_points(x, "x", call)
  check_has_size(x, "x", call)
  if (!is.null(z)) {
    z <- kernel_points(z, "z", call)
    if (ncol(z) != ncol(x)) {
      abort_gpsieve("{.arg z} must have the columns of {.arg x}: {ncol(x)}.", "Found {ncol(z)}.",
        class = "data", call = call
      )
    }
  }
  rows <- if (is.null(z)) nrow(x) else nrow(z)
  check_memory(2 * doubles(nrow(x), rows), "the matrix has {nrow(x)} rows and {rows} columns",
    "Evaluate the kernel for fewer points at a time.", call
  )
  kernel <- kernel_resolve(kernel, x, call)
  k <- call_core(core_kernel_matrix, kernel_spec(kernel), x, z, call = call)
  columns <- if (is.null(z)) rownames(x) else rownames(z)
  if (!is.null(rownames(x)) || !is.null(columns)) dimnames(k) <- list(rownames(x), columns)
  k
}

kernel_points <- function(x, arg, call) {
  if (is.data.frame(x)) {
    x <- as.matrix(x)
  } else if (!is.matrix(x)) {
    found <- describe(x)
    abort_gpsieve("{.arg {arg}} must be a matrix or a data frame.", "Found {found}.",
      "Rows are points: a single column is {.code matrix(x)}.",
      call = call
    )
  }
  x <- check_numeric_matrix(x, arg, call)
  check_finite(x, arg, call)
  storage.mode(x) <- "double"
  x
}
