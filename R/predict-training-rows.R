# What a fit keeps of its training rows, so that predict(), fitted(), residuals(), augment() and the
# picture of residuals need no data, and update() finds the data again.
#
#   kept    mean, variance   marginals of the latent function, n x K, on the scale of computation
#           y                the response, as numbers or a factor
#           row_names        the names of the rows, where they have names
#           row_numbers      the numbers of the rows in another data frame from which they come
#           drawn            the inputs of some rows as pictures show them (rows-drawn.R)
#           marks            a number for each row, by which equal inputs are found (row_marks())
#   origin  the expressions of the arguments that held the data, as the user wrote them
#
# A fit without `kept` was asked not to keep them, has too many rows, read them from a source, or
# absorbed further rows.

# Of more rows than this, or where predicting them takes more multiplications than this, nothing is
# kept, unless the user asks for it.
most_kept_rows <- 1e5
most_kept_products <- 1e11

# The fit with what it keeps of its training rows; `given` are the arguments of its model, `asked`
# is the user's call
with_training_rows <- function(fit, molded, given, asked) {
  fit$origin <- data_expressions(asked)
  if (is.null(fit$held_out) && is.null(molded$rows)) {
    fit$held_out <- figures_without_rows(fit, molded)
  }
  known <- fit$state$marginals
  if (!is.null(known)) fit$state$marginals <- NULL
  if (!keeps_rows(given$control, molded, fit)) return(fit)
  molded <- as_fit_reads(fit, molded)
  latent <-
    if (is.null(known)) {
      latent_marginals(fit, rows_for_fit(fit, molded$x), TRUE,
        core_settings(resolve_threads(given$threads)), molded$offset)
    } else {
      shift <- if (is.null(molded$offset)) 0 else molded$offset / latent_scale(fit)
      list(mean = known$mean + shift, variance = known$variance)
    }
  fit$kept <- c(latent[c("mean", "variance")],
    list(y = canonical_response(molded$y), row_names = molded$row_names,
      row_numbers = molded$row_numbers, noise_sd = noise_of_training(fit, molded),
      drawn = drawn_to_keep(fit, molded), marks = row_marks(molded$x, fit$inputs$scale)))
  if (is.null(fit$held_out)) fit$held_out <- marginal_figures(fit)
  fit
}

# Molded data as the fit reads them: gpsieve() may have chosen other variables, or a kernel of
# levels
as_fit_reads <- function(fit, molded) {
  kernel <- as_written(fit$kernel, names(fit$inputs$center))
  read_levels(with_variables_of(fit, molded), list(kernel))
}

keeps_rows <- function(control, molded, fit) {
  if (!is.null(molded$rows)) return(FALSE)
  if (!is.null(control$keep)) return(control$keep)
  rows <- nrow(molded$x)
  rows <= most_kept_rows && rows * products_of_row(fit) <= most_kept_products
}

# How many multiplications the variances at a row take: the squared numbers of basis points of the
# machines that it asks; none where they come with the fit
products_of_row <- function(fit) {
  if (is_iterative(fit)) return(0)
  squares <- lengths(lapply(fit$posteriors, `[[`, "basis"))^2
  sum(squares) / count_machines(fit) * max(1L, length(fit$partition$trees))
}

# The setting `keep` of a control function
check_keep <- function(keep) {
  if (!is.null(keep)) check_flag(keep, "keep")
}

# What the fit keeps; stops where it keeps nothing. `name` is the function that needs it.
kept_rows <- function(fit, name) {
  if (!is.null(fit$kept)) return(fit$kept)
  keep <- fit$settings$control$keep
  why <-
    if (isFALSE(keep)) "It was made with {.code keep = FALSE}."
    else if (fit$n > most_kept_rows) {
      "It has {fit$n} rows: of more than {most_kept_rows} only {.code keep = TRUE} keeps something."
    } else if (fit$n * products_of_row(fit) > most_kept_products) {
      "Predicting its {fit$n} rows takes more than {format(most_kept_products)} multiplications:
       only {.code keep = TRUE} keeps something."
    } else {
      "It read them from a source, or has absorbed further rows."
    }
  abort_gpsieve("{.arg newdata} is missing, and this fit keeps nothing of its training rows.", why,
    "Give the rows: {.code {name}(fit, newdata = )}.")
}

# Latent marginals and the response of the training rows, as predictive_at() gives those of others
predictive_at_training <- function(fit) {
  kept <- kept_rows(fit, "residuals")
  y <- training_response(fit)
  coded <- if (is_classification(fit$response)) y else code_response(y, fit)
  list(latent = kept[c("mean", "variance")], noise_sd = kept$noise_sd, y = coded)
}

# The response that a fit has kept, as response_of() reads that of other rows
training_response <- function(fit) {
  y <- fit$kept$y
  if (is.factor(y)) as_classes(as.character(y), fit$response) else y
}

# Stops at the first of these arguments that is given: they need rows
check_goes_without_newdata <- function(given) {
  given <- names(Filter(Negate(is.null), given))
  if (!length(given)) return(invisible())
  abort_gpsieve("{.arg {given[1L]}} needs {.arg newdata}.", "Found no {.arg newdata}.")
}

# Answers for the training rows in the rows of the data: with the names of the rows, and after
# `na.exclude` with NA for those left out
for_training_rows <- function(fit, answer) {
  for_data_rows(fit, with_row_names(answer, fit$kept$row_names))
}

# Names for the elements or rows of an answer, which may be a list; both sides of a covariance
with_row_names <- function(answer, names) {
  if (is.null(names)) return(answer)
  if (is.list(answer)) return(lapply(answer, with_row_names, names))
  if (!is.matrix(answer)) return(stats::setNames(answer, names))
  rownames(answer) <- names
  if (is.null(colnames(answer)) && nrow(answer) == ncol(answer)) colnames(answer) <- names
  answer
}

without_row_names <- function(answer) {
  if (is.list(answer)) return(lapply(answer, without_row_names))
  if (!is.matrix(answer)) return(unname(answer))
  rownames(answer) <- NULL
  answer
}

data_arguments <- c("data", "x", "y", "subset", "weights", "offset", "noise_sd")

# The arguments that hold data, by name, as code that can be evaluated again.
# An argument whose value stands in the call itself, as do.call() puts it there, is left out: a fit
# holds no training data.
data_expressions <- function(given) {
  found <- Filter(is_plain_code, given[names(given) %in% data_arguments])
  if (length(found)) found
}

# The data of a fit's own call, evaluated in `env`, where update() was called; those of the
# arguments `replaced` are not needed
data_again <- function(fit, needed, replaced, env) {
  origin <- fit$origin
  if (!all(needed %in% names(origin))) {
    abort_gpsieve("{.fn update} needs {.arg {needed}}: the fit does not know where its data are.")
  }
  values <- lapply(stats::setNames(needed, needed), function(arg) {
    tryCatch(eval(origin[[arg]], env), error = function(e) {
      written <- expr_text(origin[[arg]])
      said <- conditionMessage(e)
      abort_gpsieve("{.fn update} cannot compute {.arg {arg}} anew from {.code {written}}.",
        "{said}.", "Give the data: {.code update(fit, {arg} = )}.")
    })
  })
  frame <- values[["data"]]
  if ("data" %in% needed && !is.data.frame(frame) && !is_source(as_source(frame))) {
    written <- expr_text(origin$data)
    found <- describe(frame)
    abort_gpsieve("{.code {written}}, the {.arg data} of this fit, is no data frame here.",
      "Found {found}.", "Give the data: {.code update(fit, data = )}.")
  }
  rows <- if (is.data.frame(frame)) frame
  for (arg in setdiff(intersect(column_arguments, names(origin)), replaced)) {
    # Expressions of the columns are arguments that the fit repeats itself.
    if (!is.null(fit$settings[[arg]])) next
    values[[arg]] <- eval_in_data(rlang::new_quosure(origin[[arg]], env), rows, arg)
  }
  values
}

# A number for each row of inputs, whose columns have these `scales`, by which equal rows are found
# again: a weighted sum, which does not depend on the other rows. Square roots of primes are no
# fractions of each other, so that different rows have different sums.
row_marks <- function(x, scales) {
  weights <- sqrt(first_primes(ncol(x))) / scales
  marks <- numeric(nrow(x))
  if (is_sparse(x)) {
    sums <- rowsum(x$value * weights[x$column + 1L], row_of_values(x))
    return(replace(marks, as.integer(rownames(sums)), sums))
  }
  for (j in seq_along(weights)) marks <- marks + x[, j] * weights[j]
  marks
}

first_primes <- function(count) {
  # The k-th prime is less than k (log k + log log k) from the sixth on.
  most <- max(13, ceiling(count * (log(count) + log(log(count + 2)))))
  numbers <- 2:most
  for (divisor in 2:floor(sqrt(most))) {
    numbers <- numbers[numbers == divisor | numbers %% divisor != 0]
  }
  numbers[seq_len(count)]
}
