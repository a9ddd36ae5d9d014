# Kernels as values. A kernel is a plain list, a tree whose leaves carry numbers:
#
#   type      the core's name for it ("rbf", "sum", ...)
#   values    hyper-parameters and constants by argument name, natural scale; NULL = still to be
#             resolved from the data (kernel_resolve())
#   fixed     names of the values that are not to be learned
#   children  of "sum", "product", "on" and "warped"
#   dims      of "on" and "warped": column numbers, or names until they are resolved; NULL of a
#             "warped" that is not resolved stands for all columns that can be warped
#   ard       TRUE where one lengthscale is to become one for each column; absent otherwise, and
#             from the moment it is resolved
#   multiple  where an open value starts, in units of the usual start (kernel_rich()); absent
#             otherwise, and from the moment it is resolved
#   rich      of the sum that kernel_rich() makes: its arguments; absent once it is resolved
#   units     "data" where a lengthscale or a period is in the units of the data (kernel-units.R);
#             absent otherwise
#   distance  "arc" of a "great_circle" that measures distances on the surface; absent otherwise
#   others    TRUE of an "on" that keeps levels from a kernel (levels.R); absent otherwise
#   items     of a "function" of a matrix's rows: their names (kernel-precomputed.R)
#   similarity  "learned" of a "categorical" whose levels have angles; absent otherwise
#   degrees   of "great_circle": how inputs are read as degrees (kernel-globe.R); absent until it is
#             resolved
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

# A kernel without children from the arguments of its constructor. Each argument is checked by the
# rule for its name and may be wrapped in `fixed()`, constants excepted; those in `open` may be
# NULL. `ard` asks for one lengthscale for each column, `units` says what lengths are measured in,
# `multiple` how many times the usual start open values begin at.
new_leaf <- function(type, ..., open = character(), ard = FALSE, units = "standardised",
                     multiple = NULL) {
  ard <- check_flag(ard, "ard")
  given <- list(...)
  fixed <- character()
  for (name in names(given)) {
    value <- given[[name]]
    if (is_fixed(value) && !name %in% kernel_constants) {
      fixed <- c(fixed, name)
      value <- value$value
    }
    if (!is.null(value) || !name %in% open) value <- kernel_rules[[name]](value, name)
    given[name] <- list(value)
  }
  kernel <- new_kernel(type, given, fixed)
  if (ard) kernel$ard <- TRUE
  if (units == "data") kernel$units <- "data"
  kernel$multiple <- multiple
  kernel
}

# What lengths can be measured in: standard deviations of the columns where the fit standardises
# them, or the columns' own units.
length_units <- c("standardised", "data")

# A larger degree is taken for a mistake; the core refuses it too.
largest_degree <- 1000

single_positive <- function(x, arg) check_positive(x, arg, single = TRUE)

# What each value must be, by argument name.
kernel_rules <- list(
  variance = single_positive,
  # Names stay: they say which column a lengthscale belongs to.
  lengthscale = function(x, arg) {
    out <- check_positive(x, arg)
    names(out) <- if (length(x) > 1L) names(x)
    out
  },
  alpha = single_positive,
  slope = single_positive,
  # Also the angle of kernel_affine(), whose help says so.
  angle = function(x, arg) check_positive(x, arg),
  correlation = function(x, arg) {
    x <- check_number(x, arg, min = 0)
    if (x < 1) return(x)
    abort_gpsieve("{.arg {arg}} must be less than 1.", "Found {x}.")
  },
  period = single_positive,
  radius = single_positive,
  scale = single_positive,
  offset = function(x, arg) check_number(x, arg, min = 0),
  degree = function(x, arg) check_count(x, arg, max = largest_degree),
  skew = function(x, arg) check_numbers(x, arg, most = largest_skew),
  tail = function(x, arg) check_positive(x, arg),
  center = function(x, arg) check_numbers(x, arg),
  spread = function(x, arg) check_positive(x, arg),
  nu = function(x, arg) {
    x <- check_number(x, arg)
    if (!x %in% c(0.5, 1.5, 2.5)) {
      found <- describe(x)
      abort_gpsieve("{.arg nu} must be 0.5, 1.5 or 2.5.", "Found {found}.")
    }
    x
  }
)

# Values that shape a kernel but are never learned.
kernel_constants <- c("nu", "degree", "radius", "center", "spread")

# Values that shape a kernel or a likelihood but are never learned.
never_learned <- c(kernel_constants, "df", "flip", "noise")
