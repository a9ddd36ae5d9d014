# Kernels as expressions (sums, products, restrictions, printing), what other objects mean as
# kernels, and what a kernel means to a fit: open values filled in from the data,
# hyper-parameters as one named vector, and the bare list that the core reads.

#' Add, multiply and print kernels
#'
#' Sums and products of kernels are kernels: the functions they describe are sums and products of
#' independent functions. Positive numbers may take part; they become constant kernels that are
#' not learned, so `2 * k` has twice the variance of `k`.
#'
#' @param e1,e2 Kernels; one of them may be a positive number.
#' @param x A kernel.
#' @param ... Not used.
#' @return A kernel; `print()` returns its argument invisibly, `format()` a string: the expression
#'   that makes the kernel, numbers to four significant digits.
#' @seealso [kernel_rbf()] and the other kernels, [kernel_on()].
#' @examples
#' kernel_rbf(lengthscale = 2) + kernel_linear() * kernel_periodic() + 0.1
#' @name kernel-algebra
NULL

#' @rdname kernel-algebra
#' @export
Ops.gpsieve_kernel <- function(e1, e2) { # nolint: object_name_linter. A group generic's name.
  call <- rlang::current_env()
  if (!.Generic %in% c("+", "*") || missing(e2)) {
    operator <- if (missing(e2)) paste("unary", .Generic) else .Generic
    abort_gpsieve("Kernels can be added and multiplied, nothing else.",
      "Found the operator {.code {operator}}.",
      class = "unsupported", call = call
    )
  }
  type <- if (.Generic == "+") "sum" else "product"
  parts <- c(kernel_terms(e1, type, call), kernel_terms(e2, type, call))
  new_kernel(type, children = parts)
}

#' What an operand contributes to a sum or product, nested ones of the same type flattened
#' @noRd
kernel_terms <- function(x, type, call) {
  if (inherits(x, "gpsieve_kernel")) return(if (x$type == type) x$children else list(x))
  usable <- is.numeric(x) && !is.object(x) && length(x) == 1L && is.finite(x) && x > 0
  if (!usable) {
    found <- describe(x)
    abort_gpsieve("Kernels add to and multiply with kernels and single positive numbers.",
      "Found {found}.", call = call
    )
  }
  list(kernel_constant(fixed(x)))
}

#' Restrict a kernel to some input columns
#'
#' \deqn{k(x, z) = \mathrm{kernel}(x_{\mathrm{dims}}, z_{\mathrm{dims}})}{
#'   k(x, z) = kernel(x[dims], z[dims])}
#'
#' @param kernel A kernel.
#' @param dims The columns it sees, in this order: numbers or names. They are columns of the numeric
#'   matrix that the model computes with, in which a factor has one column per level.
#' @inherit kernel_rbf return
#' @seealso [kernel_rbf()] and the other kernels.
#' @examples
#' kernel_on(kernel_rbf(), c("age", "income")) + kernel_on(kernel_linear(), "year")
#' kernel_on(kernel_periodic(), 1) * kernel_on(kernel_rbf(), 2:3)
#' @export
kernel_on <- function(kernel, dims) {
  call <- rlang::current_env()
  kernel <- as_kernel(kernel, "kernel", call)
  named <- is.character(dims)
  numbered <- is.numeric(dims) && !is.object(dims) &&
    all(is.finite(dims) & dims >= 1 & dims == trunc(dims))
  if (!(named || numbered) || !length(dims) || anyNA(dims) || anyDuplicated(dims)) {
    found <- if (anyDuplicated(dims)) "repeated columns" else describe(dims)
    abort_gpsieve("{.arg dims} must be distinct column numbers or column names.",
      "Found {found}.", call = call
    )
  }
  dims <- if (named) as.character(dims) else as.integer(dims)
  new_kernel("on", children = list(kernel), dims = dims)
}

#' @rdname kernel-algebra
#' @export
format.gpsieve_kernel <- function(x, ...) {
  inner <- vapply(x$children, format, "")
  switch(x$type,
    sum = paste(inner, collapse = " + "),
    product = {
      sums <- vapply(x$children, function(child) child$type == "sum", NA)
      inner[sums] <- paste0("(", inner[sums], ")")
      paste(inner, collapse = " * ")
    },
    on = paste0("kernel_on(", inner, ", dims = ", format_dims(x$dims), ")"),
    "function" = paste0("kernel_function(", if (is.null(x$name)) "<function>" else x$name, ")"),
    paste0("kernel_", x$type, "(", format_values(x), ")")
  )
}

#' @rdname kernel-algebra
#' @export
print.gpsieve_kernel <- function(x, ...) {
  cat(format(x), "\n", sep = "")
  invisible(x)
}

format_values <- function(kernel) {
  text <- vapply(kernel$values, format_numbers, "")
  fixed <- names(text) %in% kernel$fixed
  # An open value is its argument's default and need not be typed.
  shown <- fixed | !vapply(kernel$values, is.null, NA)
  text[fixed] <- paste0("fixed(", text[fixed], ")")
  paste(names(text)[shown], text[shown], sep = " = ", collapse = ", ")
}

format_numbers <- function(x) {
  if (is.null(x)) return("NULL")
  # One at a time: numbers of very different size must not share a number of decimals.
  text <- vapply(x, function(v) format(signif(v, 4), digits = 4, decimal.mark = "."), "")
  as_vector_call(text)
}

format_dims <- function(dims) {
  as_vector_call(if (is.character(dims)) encodeString(dims, quote = '"') else as.character(dims))
}

as_vector_call <- function(text) {
  if (length(text) == 1L) text else paste0("c(", paste(text, collapse = ", "), ")")
}

#' What an argument `kernel` means: a kernel, kernlab's kernel object, or a function of two matrices
#' @noRd
as_kernel <- function(x, arg = rlang::caller_arg(x), call = rlang::caller_env()) {
  if (inherits(x, "gpsieve_kernel")) return(x)
  if (identical(attr(class(x), "package"), "kernlab")) return(from_kernlab(x, arg, call))
  constructor <- is.function(x) && identical(environment(x), environment(as_kernel))
  if (takes_two_points(x) && !constructor) return(new_kernel("function", fn = x))
  found <- describe_function(x)
  abort_gpsieve("{.arg {arg}} must be a kernel.", "Found {found}.",
    if (constructor) {
      "Call it: a kernel is what {.code kernel_rbf()} returns."
    } else {
      "Kernels are made by {.fn kernel_rbf} and its kin; {.fn kernel_function} takes your own."
    },
    call = call
  )
}

#' kernlab's kernels, by their parametrisation in its page ?dots: rbfdot() makes an "rbfkernel"
#' @noRd
from_kernlab <- function(x, arg, call) {
  maker <- sub("kernel$", "dot", as.vector(class(x))[1L])
  pars <- x@kpar
  switch(maker,
    rbfdot = kernel_rbf(lengthscale = sqrt(1 / (2 * pars$sigma))),
    laplacedot = kernel_matern(nu = 0.5, lengthscale = 1 / pars$sigma),
    vanilladot = kernel_linear(),
    polydot = kernel_polynomial(degree = pars$degree, offset = pars$offset, scale = pars$scale),
    abort_gpsieve("{.arg {arg}} comes from kernlab and has no counterpart here.",
      "Found an object that {.fn {maker}} makes.",
      "Those of {.fn rbfdot}, {.fn laplacedot}, {.fn polydot} and {.fn vanilladot} have one.",
      class = "unsupported", call = call
    )
  )
}

# ---- From a kernel the user wrote to the numbers a fit works with ----

#' Hyper-parameters of each type in the order of the core
#' @noRd
kernel_hyper <- list(
  rbf = c("variance", "lengthscale"),
  matern = c("variance", "lengthscale"),
  rational_quadratic = c("variance", "lengthscale", "alpha"),
  linear = "variance",
  polynomial = c("variance", "offset", "scale"),
  periodic = c("variance", "lengthscale", "period"),
  constant = "variance",
  white = "variance",
  "function" = character()
)

#' Names of the hyper-parameters of a leaf: an offset of zero has no logarithm and is a constant
#' @noRd
hyper_names <- function(leaf) {
  names <- kernel_hyper[[leaf$type]]
  if (identical(leaf$values[["offset"]], 0)) setdiff(names, "offset") else names
}

#' Fills in what was left open, from the inputs the model will compute with
#'
#' Column names in `dims` become numbers, and lengthscales are checked against the columns.
#' @noRd
kernel_resolve <- function(kernel, x, call = rlang::caller_env()) {
  if (kernel$type == "on") {
    kernel$dims <- resolve_dims(kernel$dims, x, call)
    x <- x[, kernel$dims, drop = FALSE]
  }
  kernel$children <- lapply(kernel$children, kernel_resolve, x, call)
  open <- names(kernel$values)[vapply(kernel$values, is.null, NA)]
  for (name in open) {
    kernel$values[[name]] <- switch(name,
      lengthscale = median_distance(x),
      scale = 1 / ncol(x)
    )
  }
  check_lengthscales(kernel$values[["lengthscale"]], ncol(x), call)
  kernel
}

check_lengthscales <- function(lengthscale, columns, call) {
  n <- length(lengthscale)
  if (n <= 1L || n == columns) return(invisible())
  abort_gpsieve(
    "{.arg lengthscale} must be one number or one for each of the {columns} column{?s}.",
    "Found {n} numbers.",
    "{.fn kernel_on} restricts a kernel to some columns.",
    call = call
  )
}

resolve_dims <- function(dims, x, call) {
  known <- if (is.character(dims)) dims %in% colnames(x) else dims <= ncol(x)
  if (!all(known)) {
    absent <- dims[!known]
    hint <- if (is.character(dims) && !is.null(colnames(x))) {
      "The columns are {.val {colnames(x)}}."
    } else {
      "Column numbers go from 1 to {ncol(x)}."
    }
    abort_gpsieve("{.arg dims} must be columns of the inputs.",
      "There is no column {.val {absent}}.", hint,
      call = call
    )
  }
  if (is.character(dims)) match(dims, colnames(x)) else dims
}

# The median heuristic looks at no more rows than this: all pairs of 500 rows place it well.
median_rows <- 500L

#' The median distance between rows, a lengthscale that suits most data
#'
#' At most `median_rows` evenly spaced rows are used, so the result is deterministic. Where most
#' rows coincide the mean of the distances that are not zero takes over, and 1 where all do.
#' @noRd
median_distance <- function(x) {
  if (nrow(x) > median_rows) {
    x <- x[round(seq(1, nrow(x), length.out = median_rows)), , drop = FALSE]
  }
  if (nrow(x) < 2L) return(1)
  # Shifted and scaled to numbers of size one, the squares neither overflow nor vanish.
  x <- sweep(x, 2L, x[1L, ])
  size <- max(abs(x))
  if (size == 0) return(1)
  distances <- as.vector(stats::dist(x / size))
  middle <- stats::median(distances)
  size * if (middle > 0) middle else mean(distances[distances > 0])
}

#' The kernels that carry hyper-parameters, in the order of the core, each with a label and the
#' names of the columns it sees
#' @noRd
kernel_leaves <- function(kernel, columns = NULL) {
  collect <- function(kernel, columns) {
    if (!length(kernel$children)) {
      return(list(list(kernel = kernel, columns = columns)))
    }
    if (kernel$type == "on") {
      columns <- if (is.character(kernel$dims)) kernel$dims else columns[kernel$dims]
    }
    do.call(c, lapply(kernel$children, collect, columns))
  }
  leaves <- collect(kernel, columns)
  types <- vapply(leaves, function(leaf) leaf$kernel$type, "")
  for (i in seq_along(leaves)) {
    same <- which(types == types[i])
    number <- if (length(same) > 1L) match(i, same) else ""
    leaves[[i]]$label <- if (length(leaves) > 1L) paste0(types[i], number, ".") else ""
  }
  leaves
}

#' Hyper-parameters as a named vector on the log scale, in the order of the core
#' @noRd
kernel_theta <- function(kernel, columns = NULL) {
  parts <- lapply(kernel_leaves(kernel, columns), function(leaf) {
    values <- leaf$kernel$values[hyper_names(leaf$kernel)]
    check_resolved(values)
    names <- Map(hyper_labels, names(values), lengths(values), list(leaf$columns))
    theta <- log(as.double(unlist(values)))
    names(theta) <- paste0(leaf$label, unlist(names), recycle0 = TRUE)
    theta
  })
  do.call(c, parts)
}

hyper_labels <- function(name, n, columns) {
  if (n == 1L) return(name)
  if (length(columns) == n) paste(name, columns, sep = ".") else paste0(name, seq_len(n))
}

check_resolved <- function(values) {
  open <- names(values)[vapply(values, is.null, NA)]
  if (length(open)) {
    abort_gpsieve("The kernel's {.field {open}} {?has/have} not been chosen yet.",
      hint = "Fitting a model chooses from the data what was left {.code NULL}.",
      class = "object", call = NULL
    )
  }
}

#' The kernel with these hyper-parameters: the inverse of kernel_theta()
#' @noRd
kernel_set_theta <- function(kernel, theta) {
  expected <- length(kernel_theta(kernel))
  if (length(theta) != expected) {
    abort_gpsieve("The kernel has {expected} hyper-parameter{?s}.", "Found {length(theta)}.",
      class = "object", call = NULL
    )
  }
  used <- 0L
  set <- function(kernel) {
    kernel$children <- lapply(kernel$children, set)
    for (name in hyper_names(kernel)) {
      old <- kernel$values[[name]]
      new <- unname(theta[used + seq_along(old)])
      # Numbers that did not move stay what they are: exp(log(x)) is not always x.
      kernel$values[[name]] <- ifelse(new == log(old), old, exp(new))
      used <<- used + length(old)
    }
    kernel
  }
  set(kernel)
}

#' Which entries of kernel_theta() are to be learned
#' @noRd
kernel_free <- function(kernel) {
  parts <- lapply(kernel_leaves(kernel), function(leaf) {
    names <- hyper_names(leaf$kernel)
    rep(!names %in% leaf$kernel$fixed, lengths(leaf$kernel$values[names]))
  })
  as.logical(unlist(parts))
}

#' The bare list that the core reads
#' @noRd
kernel_spec <- function(kernel) {
  check_resolved(kernel$values)
  if (!all(vapply(kernel$values, is.numeric, NA))) {
    abort_gpsieve("The kernel's values must be numbers.", class = "object", call = NULL)
  }
  list(
    type = kernel$type, values = lapply(kernel$values, as.double),
    children = lapply(kernel$children, kernel_spec), dims = kernel$dims,
    fn = if (is.function(kernel$fn)) guarded_kernel(kernel$fn)
  )
}

#' The user's own function, whose errors must say that they are the kernel's
#' @noRd
guarded_kernel <- function(fn) {
  function(x, z) {
    rlang::try_fetch(fn(x, z), error = function(e) {
      said <- conditionMessage(e)
      abort_gpsieve("The kernel function stopped with an error.", "{said}", class = "kernel",
        call = NULL
      )
    })
  }
}
