# What the summary of a fit prints: the lines of the fit, its parameters, and how probabilities or
# bounds turned out.

#' @export
print.summary.gpsieve_fit <- function(x, digits = 4, ...) {
  from_fit(print_summary(x, digits))
  invisible(x)
}

print_summary <- function(x, digits) {
  lines <- describe_fit(x$fit)
  writeLines(lines[!startsWith(lines, "  more   ")])
  given <- if (!any(x$hyperparameters$learned)) ", all as given"
  writeLines(c("", on_page(paste0("Parameters", scale_words(x$fit), given)),
    parameter_lines(x, digits)))
  if (!is.null(x$calibration)) {
    table <- x$calibration$reliability
    response <- x$fit$response
    of <-
      if (response$kind == "binary") paste("class", dQuote(response$present[2L], FALSE))
      else "predicted class"
    writeLines(c("", on_page(paste("Leave-one-out probabilities of the", of,
      "beside what was observed"))))
    print_table(table[table$count > 0, ], digits)
  }
  if (!is.null(x$certificate)) {
    cat("\nBounds on the objective\n")
    print_table(x$certificate, digits)
  }
}

# What the hyper-parameters of a fit are measured in, in words
scale_words <- function(fit) {
  if (all(fit$inputs$scale == 1)) return("")
  own <- if (has_data_units(fit$kernel)) "; periods and lengths in the units of the data as asked"
  globe <- unique(unlist(lapply(kinds_in(fit$kernel), function(kind) kind$lengthscale$note)))
  paste0(" (on the standardised scale", own, globe, ")")
}

# The parameters of each kernel and of the likelihood, those of single columns as a table
parameter_lines <- function(summary, digits) {
  fit <- summary$fit
  # The coefficients of the noise have lines of their own.
  table <- summary$hyperparameters[seq_along(theta_free(fit$kernel, fit$likelihood)), ]
  fixed <- !table$learned & any(table$learned)
  values <- paste0(numbers_in_column(table$estimate, digits),
    ifelse(table$at_bound, " at a bound", ifelse(fixed, " as given", "")))
  leaves <- kernel_leaves(fit$kernel, names(fit$inputs$center))
  owner <- rep(seq_along(leaves), vapply(leaves, function(leaf) {
    sum(lengths(leaf$kernel$values[hyper_names(leaf$kernel)]))
  }, 0))
  kernels <- lapply(seq_along(leaves), function(i) {
    leaf_lines(leaves[[i]], values[which(owner == i)], length(fit$inputs$center))
  })
  of_likelihood <- setdiff(seq_len(nrow(table)), seq_along(owner))
  names <- sub("^likelihood\\.", "", rownames(table)[of_likelihood])
  c(unlist(kernels), on_page(paste0(
    "likelihood ", likelihood_type(fit$likelihood),
    if (length(names)) ": ", paste(names, trimws(values[of_likelihood]), collapse = ", ")
  )), noise_lines(fit, digits))
}

# The coefficients of the logarithm of the noise's variance
noise_lines <- function(fit, digits) {
  coefficients <- fit$likelihood$noise$coefficients
  if (!length(coefficients)) return(NULL)
  shown <- seq_len(min(length(coefficients), most_parameter_rows))
  c("  log variance of the noise, for each unit of", paste0("    ",
    format(names(coefficients)[shown]), "  ", numbers_in_column(coefficients[shown], digits)))
}

# The parameters of one kernel: its name with those that are single numbers, then a row for each
# column that has one of its own
leaf_lines <- function(leaf, values, inputs) {
  kernel <- leaf$kernel
  names <- hyper_names(kernel)
  counts <- lengths(kernel$values[names])
  owner <- rep(names, counts)
  single <- owner %in% names[counts == 1L]
  constants <- kernel$values[constants_of(kernel)]
  constants <- constants[lengths(constants) == 1L]
  facts <- c(
    paste(names(constants), number_text(unlist(constants)), recycle0 = TRUE),
    paste(owner[single], trimws(values[single]), recycle0 = TRUE)
  )
  named <- kernel_kind(kernel)$noise || length(leaf$columns) == 1L
  seen <- if (named && length(leaf$columns) < inputs) paste(" of", toString(leaf$columns))
  head <- paste0("kernel ", kernel$type, seen, if (length(facts)) ": ", toString(facts))
  columns <- lapply(names[counts > 1L], function(name) {
    shown <- seq_len(min(counts[[name]], most_parameter_rows))
    of <- substring(hyper_labels(name, counts[[name]], leaf$columns), nchar(name) + 2L)
    labels <- format(c(name, of[shown]))
    more <- counts[[name]] - length(shown)
    c(
      paste0("  ", labels[1L]), paste0("  ", labels[-1L], "  ", values[owner == name][shown]),
      if (more) paste0("  and ", more, " more: coef() has all")
    )
  })
  c(on_page(head), unlist(columns))
}

# Tables of more columns than this are not printed whole.
most_parameter_rows <- 60L
