# Lengths in the units of the data. A fit that standardises its inputs computes with columns that
# were divided by their standard deviations, and so are the lengths of its kernel: those of a leaf
# whose `units` are "data" are divided by the scale of their column before the fit and multiplied by
# it where they are reported.

# The length that each type of kernel has.
unit_lengths <- c(
  rbf = "lengthscale", matern = "lengthscale", separable = "lengthscale",
  rational_quadratic = "lengthscale", periodic = "period"
)

# A leaf with its length divided by the scales of its columns.
# One length serves several columns if their scales are equal. Where they are not, a period that
# was left open stays in standardised units, and a given one asks for a factor for each column.
in_core_units <- function(leaf, scale, open) {
  name <- unit_lengths[[leaf$type]]
  given <- !name %in% open
  if (length(leaf$values[[name]]) < length(scale) && any(scale != scale[1L])) {
    if (leaf$type != "periodic") abort_unequal_scales(leaf)
    if (given) return(periodic_by_column(leaf, scale))
    leaf$units <- NULL
  } else if (given) {
    leaf$values[[name]] <- leaf$values[[name]] / own_scales(leaf$values[[name]], scale)
  }
  leaf
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

# The kernel of a fit as it is reported: the inverse of in_core_units() for all its leaves
in_data_units <- function(kernel, scale) {
  if (kernel$type == "on") scale <- scale[kernel$dims]
  kernel$children <- lapply(kernel$children, in_data_units, scale)
  if (identical(kernel$units, "data")) {
    name <- unit_lengths[[kernel$type]]
    kernel$values[[name]] <- kernel$values[[name]] * own_scales(kernel$values[[name]], scale)
  }
  kernel
}

# The scale that each of these lengths is measured in
own_scales <- function(lengths, scale) unname(scale[seq_along(lengths)])

# Has any leaf of the kernel lengths in the units of the data?
has_data_units <- function(kernel) {
  any(vapply(kernel_leaves(kernel), function(leaf) identical(leaf$kernel$units, "data"), NA))
}

abort_unequal_scales <- function(leaf) {
  maker <- paste0("kernel_", leaf$type)
  abort_gpsieve(
    "One lengthscale in the units of the data needs columns with the same standard deviation.",
    "{.fn {maker}} has one for {.code units = \"data\"} and sees several columns.",
    "Use {.code ard = TRUE}, or {.code standardise = FALSE}.")
}
