#' @include base-record.R kernel-leaves.R kernel-globe.R kernel-categorical.R kernel-precomputed.R
#' @include kernel-function.R kernel-algebra.R kernel-warped.R kernel-mixed.R
#' @include kernel-gap-noise.R
NULL

# The kinds of kernels: what R knows of each type, answered beside its constructor.

# The answers of a kind. Those of `needed_of_kernels` must be given, but by operators; the others
# are as here where they are not.
kind_fields <- list(
  # Does it make a kernel of other kernels?
  operator = FALSE,
  # The function that makes it, where that is not kernel_<type>().
  maker = NULL,
  # The values that are learned, in the order of the core; the other values are constants.
  hyper = character(),
  # What values must be that are neither lengthscales nor one positive number: functions of the
  # value and its name.
  rules = list(),
  # The values to which the covariance is proportional: it is twice as great if all of them are.
  scales = "variance",
  # Hyper-parameters that may be 0, and are constants then.
  may_be_zero = character(),
  # Hyper-parameters of which print() shows as many digits as of constants.
  exact = character(),
  # What a lengthscale measures: list(start, mean_square, between_rows), see row_lengths.
  lengthscale = NULL,
  # Start values: functions of the kernel and the inputs, by the names of values that may be open.
  start = list(),
  # The value that may be in units of the data, and in which units it is unless that is said.
  unit = NULL,
  usual_units = "standardised",
  # by_column(leaf, scale): the same kernel as a product of one for each column, in units of the
  # data.
  by_column = NULL,
  # with_inputs(kernel, x, center, scale): the kernel with what it has to know of the inputs.
  with_inputs = function(kernel, x, center, scale) kernel,
  # check_range(leaf, range, columns): stops where the range of the data is wrong for the kernel.
  check_range = NULL,
  # more_values(kernel): what the core is told beside the values.
  more_values = function(kernel) NULL,
  # unit_variance(variances): the variance of the function where the value `variance` is 1, for
  # columns of these variances; "none": the value has no prior.
  unit_variance = NULL,
  # prior_sd(kernel, n): the standard deviations of normal priors, about 0, of other
  # hyper-parameters as learning moves them, for n rows.
  prior_sd = function(kernel, n) NULL,
  # rate(leaf): how fast the covariance falls along each column; 0, it does not fall.
  rate = NULL,
  # The adjective of the functions, or a function of the leaf that gives it; "none" for a constant.
  word = NULL,
  # of_dims(kernel, kept): a map of some of its columns only; `kept` says of each whether it stays.
  of_dims = NULL,
  # text(kernel, inner, digits): the expression that makes it, given those of the kernels in it.
  text = function(kernel, inner, digits) {
    paste0(constructor_of(kernel), "(", format_values(kernel, digits), ")")
  },
  # is_whole(kernel): is it what its constructor makes?
  is_whole = function(kernel) is_remade_leaf(kernel),
  # Is a function a trend: does it go on beyond the rows?
  trend = FALSE,
  # Is it a constant or a sum of the inputs, of which few rows tell the variance?
  simple = FALSE,
  # Is it independent noise?
  noise = FALSE,
  # Does it look at the inputs?
  inputs = TRUE,
  # Does it read levels of a factor, or items, in place of numbers?
  levels = FALSE,
  # Can it see warped or mixed columns?
  maps = TRUE,
  # Does it take sparse rows?
  sparse = TRUE,
  # Does the core know its gradient in the inputs?
  input_gradient = TRUE,
  # Does inst/include/gpsieve_predict_kernel.h compute it?
  exported = NULL
)

needed_of_kernels <- c("hyper", "unit_variance", "rate", "word", "exported")

# The answers of the kind of a type, of which one that it must give and does not give is an error
new_kind <- function(answers, type) {
  lacking <- setdiff(c(if (!isTRUE(answers$operator)) needed_of_kernels, "exported"),
    names(answers))
  if (length(lacking)) stop("a kernel must answer ", toString(lacking))
  kind <- do.call(new_record, c(list(kind_fields), answers))
  if (is.null(kind$maker)) kind$maker <- paste0("kernel_", type)
  if ("lengthscale" %in% kind$hyper && is.null(kind$lengthscale)) {
    stop("a kernel with lengthscales must say what they measure")
  }
  kind
}

# In the order of the core's registry. A matrix of the user's is a function for the core.
kinds_by_type <- list(
  rbf = rbf_kind, matern = matern_kind, separable = separable_kind,
  rational_quadratic = rational_quadratic_kind, linear = linear_kind,
  polynomial = polynomial_kind, periodic = periodic_kind, great_circle = great_circle_kind,
  affine = affine_kind, categorical = categorical_kind, constant = constant_kind,
  white = white_kind, gap_noise = gap_noise_kind,
  sum = sum_kind, product = product_kind, on = on_kind,
  warped = warped_kind, mixed = mixed_kind,
  "function" = function_kind, precomputed = precomputed_kind
)
kernel_kinds <- Map(new_kind, kinds_by_type, names(kinds_by_type))

kernel_kind <- function(kernel) {
  kernel_kinds[[if (is.null(kernel$items)) kernel$type else "precomputed"]]
}

# The kinds of the leaves of a kernel, warps included
kinds_in <- function(kernel) lapply(kernel_leaves(kernel), function(leaf) kernel_kind(leaf$kernel))

# Has a kernel a leaf of which this answer is TRUE, or FALSE?
has_leaf <- function(kernel, answer, value = TRUE) {
  any(vapply(kinds_in(kernel), function(kind) identical(kind[[answer]], value), NA))
}

# The name of the R function that makes a leaf
constructor_of <- function(leaf) kernel_kind(leaf)$maker

# The constants among the values of a kernel, by their names
constants_of <- function(kernel) setdiff(names(kernel$values), kernel_kind(kernel)$hyper)

# Operators: what a kernel in others is -----------------------------------------------------------

is_sum <- function(kernel) identical(kernel$type, "sum")
is_product <- function(kernel) identical(kernel$type, "product")
is_restricted <- function(kernel) identical(kernel$type, "on")
is_warp <- function(kernel) identical(kernel$type, "warped")
is_mix <- function(kernel) identical(kernel$type, "mixed")
is_input_map <- function(kernel) is_warp(kernel) || is_mix(kernel)
