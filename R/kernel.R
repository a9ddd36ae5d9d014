# Kernels as values. A kernel is a plain list, a tree whose leaves carry numbers:
#
#   type      the core's name for it ("rbf", "sum", ...)
#   values    hyper-parameters and constants by argument name, natural scale; NULL = still to be
#             resolved from the data (kernel_resolve())
#   fixed     names of the values that are not to be learned
#   children  of "sum", "product", "on", "warped" and "mixed"
#   dims      of "on", "warped" and "mixed": column numbers, or names until they are resolved; NULL
#             of a map that is not resolved stands for all columns that can be mapped
#   ard       TRUE where one lengthscale is to become one for each column; absent otherwise, and
#             from the moment it is resolved
#   multiple  where an open value starts, in units of the usual start (kernel_rich()); absent
#             otherwise, and from the moment it is resolved
#   rich      of the sum that kernel_rich() makes: its arguments; absent once it is resolved
#   units     "data" where a lengthscale or a period is in the units of the data (kernel-units.R);
#             absent otherwise
#   distance  "arc" of a "great_circle" that measures distances on the surface; absent otherwise
#   others    TRUE of an "on" that keeps levels from a kernel (rows-levels.R); absent otherwise
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
  kind <- kernel_kinds[[type]]
  given <- list(...)
  fixed <- character()
  for (name in names(given)) {
    value <- given[[name]]
    if (is_fixed(value) && name %in% kind$hyper) {
      fixed <- c(fixed, name)
      value <- value$value
    }
    if (!is.null(value) || !name %in% open) value <- rule_of(kind, name)(value, name)
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

single_positive <- function(x, arg) check_positive(x, arg, single = TRUE)

# What a value of a kind must be
rule_of <- function(kind, name) {
  if (name == "lengthscale") check_lengthscale
  else if (name %in% names(kind$rules)) kind$rules[[name]]
  else single_positive
}

check_lengthscale <- function(x, arg) {
  out <- check_positive(x, arg)
  # Names stay: they say which column a lengthscale belongs to.
  names(out) <- if (length(x) > 1L) names(x)
  out
}

# Finite numbers, no greater than `most` on either side
check_numbers <- function(x, arg, most = Inf) {
  if (!is.numeric(x) || is.object(x) || !length(x) || !all(is.finite(x)) || any(abs(x) > most)) {
    found <- describe(x)
    abort_gpsieve("{.arg {arg}} must be finite numbers{if (most < Inf) paste(' from', -most, 'to',
      most)}.", "Found {found}.")
  }
  as.double(x)
}
