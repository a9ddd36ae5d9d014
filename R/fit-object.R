# The fit: a plain list, which only this file makes and checks.
#
#   posteriors  one per latent function: basis (indices into `rows`), weights, down, up, ...
#   basis       the union of basis points, on the scale of computation;  rows: their training rows
#               (NA for points that are no training rows)
#   sites       Gaussian sites of training rows, per latent function
#   evidence    value, kind, how many rows it counts, gradient; at_bound: positions of the
#               hyper-parameters whose learning ended at a bound; steps_ended: did learning end
#               before it reached a maximum?
#   loo         leave-one-out log densities per training row, from models that keep them
#   state       what the model itself needs to go on from this fit;  labels: what it is called
#   inputs      centre and scale of every input column;  response: what y was and how it was coded
#   partition   only where several machines share the inputs (fit-partition.R)
#   cases       only where not all rows of the data are different and take part with weight 1
#               (rows-cases.R): the total weight, the rows that take part, those left out because of
#               missing values, and how many are different where equal rows are one (rows-equal.R)
#   held_out    only where leave-one-out moments are known: numbers that say how good
#               predictions of the training rows are without themselves (predict-held-out.R)
#   kept, origin   what it keeps of its training rows, and where the data are
#               (predict-training-rows.R); a fit may be without them
# No inputs of training rows beyond the basis and those of some rows for pictures, in `kept` (an
# online fit that learns keeps its last rows in its state), no environment but those of functions of
# the user's, no external pointer. SECURITY.md says what of single rows a fit holds, and axe_data()
# (adapt-vetiver.R) drops it.

fit_fields <- c(
  "model", "posteriors", "basis", "rows", "sites", "kernel", "likelihood", "response", "inputs",
  "blueprint", "formula", "n", "evidence", "trace", "calibration", "loo", "converged", "reason",
  "seed", "settings", "state", "labels"
)

# Parts that a fit has only where they say something.
fields_if_needed <- c("cases", "held_out", "partition")

# `check = FALSE` is for fits that nobody sees: their check was an eighth
# of the time of a choice with few rows.
new_fit <- function(model, ..., check = TRUE) {
  fields <- list(model = model, ...)
  stopifnot(setequal(names(fields), c(fit_fields, fields_if_needed)))
  kept <- c(fit_fields, names(Filter(Negate(is.null), fields[fields_if_needed])))
  fit <- structure(fields[kept], class = c(paste0("gpsieve_", model), "gpsieve_fit"))
  if (check) validate_fit(fit) else fit
}

# Stops unless every part of the object is what a fit has, in sizes that agree.
# A fit may have been edited, truncated or read from a file of unknown origin: whatever is wrong
# must become an R error here. The core checks indices and factors once more.
validate_fit <- function(fit) {
  damaged <- function(problem) {
    abort_gpsieve("This is not a valid {.pkg gpsieve} fit.", "{problem}.",
      "Fit the model again, or restore the object from a good copy.", class = "object")
  }
  if (!is.list(fit) || !inherits(fit, "gpsieve_fit")) damaged("The object is not a fit")
  lacking <- setdiff(fit_fields, names(fit))
  if (length(lacking)) damaged(paste("It lacks", toString(lacking)))
  part <- damaged_part(fit)
  if (!is.null(part)) damaged(paste("Its", part, "is damaged"))
  fit
}

# The first part of a fit of which something is not true, NULL if there is none
damaged_part <- function(fit) {
  looked_at <- NULL
  look <- function() {
    for (part in names(fit_checks)) {
      looked_at <<- part
      if (!isTRUE(fit_checks[[part]](fit))) return(part)
    }
    NULL
  }
  on_error(suppressWarnings(look()), function(e) looked_at)
}

# What is true of each part of a fit, in the order of checking: later checks rely on earlier ones.
fit_checks <- list(
  model = function(fit) is_string(fit$model) && inherits(fit, paste0("gpsieve_", fit$model)),
  basis = function(fit) is_finite_matrix(fit$basis),
  rows = function(fit) is.integer(fit$rows) && length(fit$rows) == nrow(fit$basis),
  inputs = function(fit) {
    p <- ncol(fit$basis)
    numbers <- function(x) is.double(x) && length(x) == p && all(is.finite(x))
    numbers(fit$inputs$center) && numbers(fit$inputs$scale) && all(fit$inputs$scale > 0) &&
      is_finite_matrix(fit$inputs$range) && all(dim(fit$inputs$range) == c(2L, p)) &&
      is_names(names(fit$inputs$center))
  },
  kernel = function(fit) {
    good_as_before(list(fit$kernel), function(kernel) {
      inherits(kernel, "gpsieve_kernel") && is_string(format(kernel)) &&
        is.list(kernel_spec(kernel))
    })
  },
  likelihood = function(fit) {
    parts <- list(fit$kernel, fit$likelihood, names(fit$inputs$center))
    good_as_before(parts, function(kernel, likelihood, columns) {
      inherits(likelihood, "gpsieve_likelihood") &&
        has_known_type(likelihood) &&
        is_string(format(likelihood)) && all(is.finite(theta_of(kernel, likelihood, columns)))
    })
  },
  partition = function(fit) valid_partition(fit),
  response = function(fit) {
    valid_response(fit$response, length(fit$posteriors) / count_machines(fit))
  },
  posterior = function(fit) {
    is.list(fit$posteriors) && length(fit$posteriors) &&
      all(vapply(fit$posteriors, valid_posterior, NA))
  },
  sites = function(fit) is.list(fit$sites) && all(vapply(fit$sites, valid_sites, NA)),
  blueprint = function(fit) valid_blueprint(fit$blueprint),
  formula = function(fit) {
    is.null(fit$formula) || (inherits(fit$formula, "formula") && length(fit$formula) == 3L)
  },
  "number of rows" = function(fit) is_whole(fit$n),
  "account of rows" = function(fit) {
    cases <- fit$cases
    is.null(cases) || (is.list(cases) && (is.null(cases$total) || is_number(cases$total)) &&
      (is.null(cases$kept) || is.integer(cases$kept)) &&
      (is.null(cases$distinct) || is_whole(cases$distinct)))
  },
  evidence = function(fit) {
    e <- fit$evidence
    is.double(e$value) && length(e$value) == 1L && is_string(e$kind) && is_number(e$rows + 0) &&
      e$rows >= 0 &&
      (is.null(e$gradient) || is.double(e$gradient))
  },
  trace = function(fit) is_frame(fit$trace, c("iteration", "objective", "seconds", "size")),
  calibration = function(fit) {
    is.null(fit$calibration) ||
      (is_frame(fit$calibration$reject, c("rejected", "error")) &&
        is_frame(fit$calibration$reliability, c("predicted", "observed", "count")))
  },
  loo = function(fit) is.null(fit$loo) || (is.double(fit$loo) && is.null(dim(fit$loo))),
  "held-out figures" = function(fit) is.null(fit$held_out) || is.double(fit$held_out),
  "account of training rows" = function(fit) {
    is.null(fit$kept) || (valid_kept(fit$kept, fit$response) && valid_drawn_rows(fit))
  },
  origin = function(fit) {
    is.null(fit$origin) || (is.list(fit$origin) && all(vapply(fit$origin, is_plain_code, NA)))
  },
  state = function(fit) is.null(fit$state) || is.list(fit$state),
  labels = function(fit) is_string(fit$labels$title) && is_string(fit$labels$basis),
  status = function(fit) is_flag(fit$converged) && is_string(fit$reason) && is_whole(fit$seed),
  settings = function(fit) is.list(fit$settings) && is_flag(fit$settings$optimise)
)

found_good$last <- list()

valid_posterior <- function(posterior) {
  numbers <- c("weights", "prior_mean", "prior_scale")
  all(vapply(posterior[numbers], is.double, NA)) &&
    all(is.finite(unlist(posterior[numbers], use.names = FALSE))) &&
    length(posterior$prior_mean) == 1L && length(posterior$prior_scale) == 1L &&
    is.integer(posterior$basis) && is.list(posterior$down) && is.list(posterior$up) &&
    is.matrix(posterior$form) && is.double(posterior$form) && is.matrix(posterior$whitening) &&
    is.double(posterior$whitening) && is.logical(posterior$intercept) &&
    (is.null(posterior$dense_scale) || is.double(posterior$dense_scale)) &&
    (is.null(posterior$local) || is.list(posterior$local))
}

valid_sites <- function(sites) {
  is.list(sites) && is.integer(sites$row) && is.double(sites$precision) && is.double(sites$mean) &&
    all(lengths(sites[c("precision", "mean")]) == length(sites$row))
}

valid_blueprint <- function(blueprint) {
  design <- blueprint$design
  inherits(blueprint, "gpsieve_blueprint") && is_frame(blueprint$ptypes$predictors) &&
    nrow(blueprint$ptypes$predictors) == 0L && is.list(design$variables) &&
    is.list(design$encodings) && all(vapply(design$encodings, valid_encoding, NA)) &&
    is.list(design$terms) &&
    length(design$variables) == length(design$encodings) &&
    all(unlist(design$terms) %in% seq_along(design$variables)) &&
    (is.null(blueprint$drawn) || valid_drawn(blueprint$drawn)) &&
    (is.null(blueprint$flags) || is_names(blueprint$flags)) &&
    (is.null(blueprint$twofold) || is_names(blueprint$twofold))
}

valid_response <- function(response, latents) {
  named <- is_string(response$kind) && is_string(response$name)
  classes <- function(least) {
    is.character(response$levels) && is.character(response$present) &&
      all(response$present %in% response$levels) && length(response$present) >= least
  }
  named && switch(response$kind,
    real = latents == 1L && is_number(response$center) && is_number(response$scale) &&
      response$scale > 0,
    count = , positive = , share = , trials = , free = , warped = , warped_positive = latents == 1L,
    ordinal = latents == 1L && classes(3L),
    binary = latents == 1L && classes(2L) && length(response$present) == 2L,
    multiclass = classes(3L) && latents == length(response$present) &&
      (is.null(response$temperature) || is_number(response$temperature)),
    FALSE)
}

# Evaluates what reads a fit: an error nobody foresaw means the object is damaged
from_fit <- function(expr) {
  rlang::try_fetch(expr,
    error = function(e) {
      # The error already says what is wrong, or the fit is valid.
      if (inherits(e, "gpsieve_error") || is_time_limit(e)) return(rlang::zap())
      said <- conditionMessage(e)
      abort_gpsieve("This is not a valid {.pkg gpsieve} fit.", "{said}",
        "Fit the model again, or restore the object from a good copy.", class = "object")
    }
  )
}

# The kernel of a fit, or of a problem, with lengths in the units that the user asked for
kernel_in_units <- function(fit) {
  without_degrees(in_data_units(fit$kernel, fit$inputs$scale))
}

# The kernel of a fit as the user would write it, lengths in the units that were asked for
reported_kernel <- function(fit) as_written(kernel_in_units(fit), names(fit$inputs$center))

check_fit <- function(fit, arg = "fit") {
  if (!inherits(fit, "gpsieve_fit") || !is.list(fit)) {
    found <- describe(fit)
    abort_gpsieve("{.arg {arg}} must be a fit made by one of this package's models.",
      "Found {found}.")
  }
  invisible(validate_fit(fit))
}

theta_of <- function(kernel, likelihood, columns = NULL) {
  c(kernel_theta(kernel, columns), likelihood_theta(likelihood))
}

# Posteriors whose basis points are places among the rows `numbers`.
# One match for all of them: it makes a table of `numbers`, which are the rows of thousands of
# leaves where a posterior has those of one.
with_basis_among <- function(posteriors, numbers) {
  each <- lapply(posteriors, `[[`, "basis")
  place <- match(unlist(each, use.names = FALSE), numbers)
  last <- cumsum(lengths(each))
  Map(function(posterior, first, last) {
    posterior$basis <- place[seq_len(last - first) + first]
    posterior
  }, posteriors, last - lengths(each), last)
}

latent_names <- function(response) {
  switch(response$kind,
    binary = response$present[2L],
    multiclass = response$present,
    response$name)
}

is_iterative <- function(fit) length(fit$posteriors[[1L]]$local) > 0L

# Rows on the scale of computation, in the form of the fit's basis
rows_for_fit <- function(fit, x) {
  if (is_sparse(fit$basis) && !is_sparse(x)) x <- dense_to_sparse(x)
  apply_scales(x, fit$inputs)
}

valid_kept <- function(kept, response) {
  n <- length(kept$y)
  latents <- if (response$kind == "multiclass") length(response$present) else 1L
  marginals <- function(x) is_finite_matrix(x) && identical(dim(x), c(n, latents))
  is.list(kept) && (is.double(kept$y) || is.factor(kept$y)) &&
    marginals(kept$mean) &&
    marginals(kept$variance) && all(kept$variance >= 0) &&
    (is.null(kept$row_names) || (is.character(kept$row_names) && length(kept$row_names) == n)) &&
    (is.null(kept$row_numbers) || (is.integer(kept$row_numbers) && length(kept$row_numbers) == n))
}
