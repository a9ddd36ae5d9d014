# What kernels of warped and of mixed inputs share: a kernel in them sees a map of the columns in
# place of the columns.

# The kernel of a map, from the leaf with its values and the kernel that sees the mapped columns
new_map <- function(leaf, kernel, dims) {
  kernel <- as_kernel(kernel, "kernel")
  check_can_map(kernel, paste0("kernel_", leaf$type))
  leaf$children <- list(kernel)
  if (!is.null(dims)) leaf$dims <- kernel_on(kernel_constant(), dims)$dims
  leaf
}

# Kernels that do not look at distances between numbers have nothing to map
check_can_map <- function(kernel, maker) {
  strange <- Filter(function(kind) !kind$maps || kind$maker == maker, kinds_in(kernel))
  if (!length(strange)) return(invisible())
  makers <- unique(vapply(strange, `[[`, "", "maker"))
  abort_gpsieve("{.fn {maker}} takes kernels of columns of numbers.",
    "Found {.fn {makers}} in {.arg kernel}.", "Apply it to the other terms or factors.",
    class = "unsupported")
}

# The columns of x that a map takes: those named, or all with more than two different values
mapped_dims <- function(dims, x) {
  if (is.null(dims)) which(apply(x, 2L, has_several_values)) else resolve_dims(dims, x)
}

# Has a column more than two different values?
has_several_values <- function(x) any(x != x[1L] & x != x[x != x[1L]][1L], na.rm = TRUE)

text_of_map <- function(kernel, inner, digits) {
  dims <- if (!is.null(kernel$dims)) paste("dims =", format_dims(kernel$dims))
  paste0(constructor_of(kernel), "(", toString(c(inner, format_values(kernel, digits), dims)), ")")
}

is_whole_map <- function(kernel) {
  length(kernel$children) == 1L && is_remade(kernel, constructor_of(kernel),
    c(list(kernel$children[[1L]], dims = kernel$dims), kernel$values))
}

# The terms of a kernel: those of a sum, each with the maps that are around the sum
kernel_sum_terms <- function(kernel) {
  if (is_sum(kernel)) return(kernel$children)
  if (!is_input_map(kernel)) return(list(kernel))
  lapply(kernel_sum_terms(kernel$children[[1L]]), function(term) {
    kernel$children <- list(term)
    kernel
  })
}

# The leaves that are maps of a kind, list(kernel, columns) of each, without the kernels in them
leaves_that <- function(is_kind, kernel, columns = NULL) {
  Filter(function(leaf) is_kind(leaf$kernel), kernel_leaves(kernel, columns))
}

mapped_columns <- function(kernel, columns, is_kind) {
  unique(unlist(lapply(leaves_that(is_kind, kernel, columns), `[[`, "columns")))
}

# The standard deviations of the normal priors of the hyper-parameters of maps, in the order of
# kernel_theta(), for n rows; NA for other hyper-parameters
prior_sd_of_maps <- function(kernel, n) {
  as.double(unlist(lapply(kernel_leaves(kernel), function(leaf) {
    sizes <- lengths(leaf$kernel$values[hyper_names(leaf$kernel)])
    if (!is_input_map(leaf$kernel)) return(rep(NA, sum(sizes)))
    rep(kernel_kind(leaf$kernel)$prior_sd(leaf$kernel, n)[names(sizes)], sizes)
  })))
}

# The kernel of other rows with the maps of the one that `learned` holds: their columns, and centres
# and spreads of warps. Those are numbers on the scale of computation, which the other rows may have
# changed. A column can have too few values among these rows to have got a map by itself.
with_maps_of <- function(kernel, learned, inputs) {
  factor <- learned$scale / inputs$scale
  shift <- (learned$center - inputs$center) / inputs$scale
  as_learned <- function(own, other, factor, shift) {
    if (is_restricted(other)) {
      factor <- factor[other$dims]
      shift <- shift[other$dims]
    }
    same <- identical(own$type, other$type)
    if (is_input_map(own) && !same) {
      own$children <- list(as_learned(own$children[[1L]], other, factor, shift))
      return(own)
    }
    if (is_input_map(other)) {
      inner <- if (same) own$children[[1L]] else own
      other$children <- list(as_learned(inner, other$children[[1L]], factor, shift))
      return(if (is_warp(other)) on_other_scale(other, factor, shift) else other)
    }
    own$children <- Map(as_learned, own$children, other$children, list(factor), list(shift))
    own
  }
  if (!length(leaves_that(is_input_map, learned$kernel))) return(kernel)
  as_learned(kernel, learned$kernel, unname(factor), unname(shift))
}

# The map for the columns `new` of another formula: columns keep theirs, new ones have none. Where
# none is left that is mapped, the kernel in the map.
map_for_columns <- function(kernel, old, new) {
  now <- match(columns_seen(kernel$dims, old), new)
  kept <- !is.na(now)
  kernel <- kernel_kind(kernel)$of_dims(kernel, kept)
  if (!sum(lengths(kernel$values))) return(kernel$children[[1L]])
  kernel$dims <- now[kept]
  kernel
}
