# From a kernel the user wrote to the numbers a fit works with: open values filled in from the
# data, hyper-parameters as one named vector, and the bare list that the core reads.

# Names of the hyper-parameters of a leaf: a linear kernel need not have lengthscales, and an
# offset or a correlation of zero has no logarithm and is a constant
hyper_names <- function(leaf) {
  kind <- kernel_kind(leaf)
  names <- kind$hyper[kind$hyper %in% names(leaf$values)]
  may_be_zero <- intersect(names, kind$may_be_zero)
  zero <- Filter(function(name) identical(leaf$values[[name]], 0), may_be_zero)
  if (length(zero)) setdiff(names, zero) else names
}

# Fills in what was left open, from the inputs the model will compute with. Column names in `dims`
# become numbers, and lengthscales are checked against the columns. Lengths in the units of the data
# are divided by `scale`, by which the columns of x were divided after `center` was taken from them.
kernel_resolve <- function(kernel, x, scale = rep(1, ncol(x)), center = numeric(ncol(x))) {
  kind <- kernel_kind(kernel)
  kernel <- kind$with_inputs(kernel, x, center, scale)
  if (is_restricted(kernel)) {
    x <- x[, kernel$dims, drop = FALSE]
    scale <- scale[kernel$dims]
    center <- center[kernel$dims]
  }
  kernel$children <- lapply(kernel$children, kernel_resolve, x, scale, center)
  if (is_input_map(kernel) && !length(kernel$dims)) return(kernel$children[[1L]])
  open <- names(kernel$values)[vapply(kernel$values, is.null, NA)]
  starts <- c(kind$start, list(lengthscale = kind$lengthscale$start))
  for (name in intersect(open, names(starts))) {
    kernel$values[[name]] <- starts[[name]](kernel, x)
    if (name %in% names(kernel$multiple)) {
      kernel$values[[name]] <- kernel$multiple[[name]] * kernel$values[[name]]
    }
  }
  kernel[c("multiple", "rich")] <- NULL
  if ("lengthscale" %in% names(kernel$values)) {
    kernel$values$lengthscale <- column_lengthscales(kernel, x)
    kernel$ard <- NULL
  }
  if (identical(kernel$units, "data")) kernel <- in_core_units(kernel, scale, open)
  kernel
}

# The lengthscales of a leaf: one, or one for each column in the order of the columns
column_lengthscales <- function(kernel, x) {
  lengthscale <- kernel$values$lengthscale
  check_lengthscales(lengthscale, ncol(x))
  if (isTRUE(kernel$ard)) lengthscale <- rep_len(lengthscale, ncol(x))
  if (is.null(names(lengthscale))) return(lengthscale)
  check_lengthscale_names(names(lengthscale), colnames(x))
  unname(lengthscale[colnames(x)])
}

# A name that is no column would silently give some column the lengthscale of another
check_lengthscale_names <- function(given, columns) {
  if (!anyDuplicated(given) && setequal(given, columns)) return(invisible())
  strange <- setdiff(given, columns)
  repeated <- unique(given[duplicated(given)])
  abort_gpsieve("Named numbers of {.arg lengthscale} must name every column once.",
    if (is.null(columns)) "The columns have no names."
    else if (length(strange)) "There is no column {.val {strange}}."
    else "Repeated: {.val {repeated}}.",
    if (is.null(columns)) "Leave out the names to give them in the order of the columns."
    else "The columns are {.val {columns}}.")
}

check_lengthscales <- function(lengthscale, columns) {
  n <- length(lengthscale)
  if (n <= 1L || n == columns) return(invisible())
  abort_gpsieve(
    "{.arg lengthscale} must be one number or one for each of the {columns} column{?s}.",
    "Found {n} numbers.", "{.fn kernel_on} restricts a kernel to some columns.")
}

resolve_dims <- function(dims, x) {
  if (is.character(dims)) dims <- enc2native(dims)
  known <- if (is.character(dims)) dims %in% colnames(x) else dims <= ncol(x)
  if (!all(known)) {
    absent <- dims[!known]
    hint <- if (is.character(dims) && length(meant_values(absent, colnames(x)))) {
      meant_values(absent, colnames(x))
    } else if (is.character(dims) && !is.null(colnames(x))) {
      "The columns are {.val {colnames(x)}}."
    } else {
      "Column numbers go from 1 to {ncol(x)}."
    }
    abort_gpsieve("{.arg dims} must be columns of the inputs.",
      "There is no column {.val {absent}}.", hint)
  }
  if (is.character(dims)) match(dims, colnames(x)) else dims
}

# The median heuristic uses at most this many rows: the pairs of 500 rows determine it well enough.
median_rows <- 500L

# The median distance between rows, a lengthscale that suits most data.
# At most `median_rows` evenly spaced rows are used, so the result is deterministic. Where most
# rows coincide the mean of the distances that are not zero takes over, and 1 where all do.
median_distance <- function(x) {
  x <- x[evenly_spaced(nrow(x), median_rows), , drop = FALSE]
  if (nrow(x) < 2L) return(1)
  if (is_sparse(x)) return(middle_distance(stats::as.dist(sparse_distances(x))))
  # Shifted and scaled to numbers of size one, the squares neither overflow nor vanish.
  x <- sweep(x, 2L, x[1L, ])
  size <- max(abs(x))
  if (size == 0) return(1)
  size * middle_distance(stats::dist(x / size))
}

middle_distance <- function(distances) {
  distances <- as.vector(distances)
  if (all(distances == 0)) return(1)
  middle <- stats::median(distances)
  if (middle > 0) middle else mean(distances[distances > 0])
}

evenly_spaced <- function(n, size) {
  if (n > size) round(seq(1, n, length.out = size)) else seq_len(n)
}

# The kernels that carry hyper-parameters, in the order of the core, each with a label and the
# names of the columns it sees: leaves, and maps after the kernels in them
kernel_leaves <- function(kernel, columns = NULL) {
  collect <- function(kernel, columns) {
    own <- list(list(kernel = kernel, columns = columns))
    if (!length(kernel$children)) return(own)
    if (length(kernel$dims)) own[[1L]]$columns <- columns_seen(kernel$dims, columns)
    if (is_restricted(kernel)) columns <- own[[1L]]$columns
    inner <- do.call(c, lapply(kernel$children, collect, columns))
    c(inner, if (is_input_map(kernel)) own)
  }
  leaves <- collect(kernel, columns)
  if (length(leaves) == 1L) {
    leaves[[1L]]$label <- ""
    return(leaves)
  }
  types <- vapply(leaves, function(leaf) leaf$kernel$type, "")
  for (i in seq_along(leaves)) {
    same <- which(types == types[i])
    leaves[[i]]$label <- paste0(types[i], if (length(same) > 1L) match(i, same), ".")
  }
  leaves
}

# Hyper-parameters as a named vector without bounds, in the order of the core: logarithms, but log
# odds of a correlation
kernel_theta <- function(kernel, columns = NULL) kernel_vector(kernel, columns, unbounded)

kernel_vector <- function(kernel, columns, scale) {
  parts <- lapply(kernel_leaves(kernel, columns), function(leaf) {
    values <- leaf$kernel$values[hyper_names(leaf$kernel)]
    check_resolved(values)
    each <- lapply(names(values), function(name) {
      theta <- scale(name, as.double(values[[name]]))
      names(theta) <- paste0(leaf$label, hyper_labels(name, length(theta), leaf$columns))
      theta
    })
    do.call(c, c(list(numeric()), each))
  })
  do.call(c, parts)
}

hyper_labels <- function(name, n, columns) {
  if (n == 1L) return(name)
  # The weight of one column in another one
  if (name == "mixing" && length(columns)) {
    return(paste(name, off_diagonal(outer(columns, columns, paste, sep = ".")), sep = "."))
  }
  if (length(columns) == n) paste(name, columns, sep = ".") else paste0(name, seq_len(n))
}

check_resolved <- function(values) {
  open <- names(values)[vapply(values, is.null, NA)]
  if (length(open)) {
    abort_gpsieve("The kernel's {.field {open}} {?has/have} not been chosen yet.",
      hint = "Fitting a model chooses from the data what was left {.code NULL}.", class = "object")
  }
}

# How many hyper-parameters a kernel has, the length of kernel_theta()
count_hyper <- function(kernel) {
  values <- kernel$values[hyper_names(kernel)]
  check_resolved(values)
  sum(lengths(values), vapply(kernel$children, count_hyper, 0L))
}

# The kernel with these hyper-parameters: the inverse of kernel_theta()
kernel_set_theta <- function(kernel, theta) {
  expected <- count_hyper(kernel)
  if (length(theta) != expected) {
    abort_gpsieve("The kernel has {expected} hyper-parameter{?s}.", "Found {length(theta)}.",
      class = "object")
  }
  used <- 0L
  set <- function(kernel) {
    kernel$children <- lapply(kernel$children, set)
    for (name in hyper_names(kernel)) {
      old <- kernel$values[[name]]
      new <- unname(theta[used + seq_along(old)])
      # Numbers that did not change are kept, because exp(log(x)) is not always x.
      kernel$values[[name]] <- ifelse(new == unbounded(name, old), old, bounded(name, new))
      used <<- used + length(old)
    }
    kernel
  }
  set(kernel)
}

# Which entries of kernel_theta() are to be learned
kernel_free <- function(kernel) {
  parts <- lapply(kernel_leaves(kernel), function(leaf) {
    names <- hyper_names(leaf$kernel)
    rep(!names %in% leaf$kernel$fixed, lengths(leaf$kernel$values[names]))
  })
  as.logical(unlist(parts))
}

# The bare list that the core reads
kernel_spec <- function(kernel) {
  check_resolved(kernel$values)
  if (!all(vapply(kernel$values, is.numeric, NA))) {
    abort_gpsieve("The kernel's values must be numbers.", class = "object")
  }
  others <- kernel_kind(kernel)$more_values(kernel)
  list(
    type = kernel$type, values = c(lapply(kernel$values, as.double), others),
    children = lapply(kernel$children, kernel_spec), dims = kernel$dims,
    fn = if (is.function(kernel$fn)) guarded_kernel(kernel$fn)
  )
}

# A kernel function that returns the wrong shape or sign does so on few rows already.
probe_rows <- 5L

# Stops unless the kernel gives finite covariances and variances of at least zero on a few rows.
# The core checks what a kernel function returns: type, shape, finite numbers and symmetry. Fewer
# rows of z than of x tell the dimensions of the matrix apart.
check_covariances <- function(kernel, x) {
  x <- x[evenly_spaced(nrow(x), probe_rows), , drop = FALSE]
  spec <- kernel_spec(kernel)
  variances <- diag(call_core(core_kernel_matrix, spec, x, NULL))
  call_core(core_kernel_matrix, spec, x, x[-1L, , drop = FALSE])
  bad <- variances[!is.finite(variances) | variances < 0]
  if (!length(bad)) return(invisible())
  abort_gpsieve("The kernel must give every row a finite variance of at least zero.",
    "Found {format(bad[1L])} at a training row.",
    if (any(!is.finite(bad))) "Smaller hyper-parameters or scaled inputs keep it finite.",
    class = "kernel")
}

# The user's own function, whose errors must say that they are the kernel's; those of items that
# a matrix lacks say so themselves.
guarded_kernel <- function(fn) {
  function(x, z) {
    on_error(fn(x, z), function(e) {
      if (inherits(e, "gpsieve_error_data")) stop(e)
      said <- conditionMessage(e)
      abort_gpsieve("The kernel function stopped with an error.", "{said}", class = "kernel")
    })
  }
}

# Are all parts of a kernel linear or constant, without a lengthscale?
is_simple <- function(kernel) {
  all(vapply(kernel_leaves(kernel), function(leaf) {
    kernel_kind(leaf$kernel)$simple && is.null(leaf$kernel$values$lengthscale) &&
      is.null(leaf$kernel$ard)
  }, NA))
}

# Has no part of a kernel more than one lengthscale, nor will it when the columns are known?
has_one_lengthscale <- function(kernel) {
  all(vapply(kernel_leaves(kernel), function(leaf) {
    is.null(leaf$kernel$ard) && length(leaf$kernel$values$lengthscale) <= 1L
  }, NA))
}

has_white_noise <- function(kernel) has_leaf(kernel, "noise")

# The columns of which `dims` are the numbers or, before a fit, the names
columns_seen <- function(dims, columns) if (is.character(dims)) dims else columns[dims]
