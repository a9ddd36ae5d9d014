# From molded data to a fit: what all models share before and after the core has done its work.

#' The number of rows of the data. Of a source, x and y hold a random sample of the rows only.
#' @noRd
count_rows <- function(molded) {
  if (is.null(molded$rows)) return(nrow(molded$x))
  n <- molded$scan$n
  if (n <= .Machine$integer.max) as.integer(n) else n
}

#' Everything a model needs, checked and on the scale it computes in
#'
#' x is standardised, y encoded (n x K, one column per latent function), kernel and likelihood have
#' no open values left. Randomness is drawn here, once. A model for very many rows leaves the inputs
#' as they came (`scale_inputs = FALSE`, `raw`): the core then scales them in its own copy. With
#' `merge_equal` equal rows become one row, unless white noise makes them differ.
#' @noRd
prepare_problem <- function(molded, kernel, likelihood, standardise, prior_mean, seed, threads,
                            verbose, call, scale_inputs = TRUE, takes_rows = FALSE,
                            merge_equal = FALSE) {
  if (!is.null(molded$rows) && !takes_rows) abort_in_memory(call)
  kernel <- as_kernel(kernel, "kernel", call)
  check_sparse_kernel(kernel, molded$x, call)
  if (!is.null(likelihood)) likelihood <- as_likelihood(likelihood, "likelihood", call)
  standardise <- check_standardise(standardise, call)
  verbose <- check_flag(verbose, "verbose", call)
  threads <- resolve_threads(threads, call)
  if (!is.null(prior_mean)) prior_mean <- check_number(prior_mean, "prior_mean", call)
  n <- count_rows(molded)
  scan <- molded$scan
  found <- check_finite_inputs(molded, call)
  encoded <- new_response(molded$y, nrow(molded$x), molded$outcome, call, scan$counts)
  if (merge_equal && !has_white_noise(kernel)) {
    molded <- merge_equal_rows(molded, call)
    if (!is.null(molded$merged)) {
      found <- check_finite_inputs(molded, call)
      encoded <- new_response(molded$y, nrow(molded$x), molded$outcome, call)
    }
  }
  response <- encoded$description
  if (is.null(likelihood)) likelihood <- default_likelihood(response)
  response$kind <- check_response_matches(likelihood, response$kind, encoded$y, call)

  inputs <- input_scales(found, molded$columns, standardise)
  y <- encoded$y
  cases <- list(weight = as.double(molded$weights), offset = as.double(molded$offset))
  check_offset_has_meaning(cases$offset, response, call)
  if (response$kind == "real") {
    # The response less its offset has the model without one.
    if (length(cases$offset)) y <- y - cases$offset
    cases$offset <- numeric()
  }
  if (response$kind == "real" && !isFALSE(standardise)) {
    scales <- if (is.null(scan)) column_scales(y, cases$weight) else scan$response
    response[c("center", "scale")] <- list(scales$center, scales$scale)
    y <- apply_scales(y, scales)
  }
  if (response$kind == "count" && !isFALSE(standardise) && is.null(prior_mean)) {
    prior_mean <- log_mean_count(y, cases)
  }
  problem <- list(
    x = if (scale_inputs) apply_scales(molded$x, inputs),
    raw = if (!scale_inputs) raw_inputs(molded$x, inputs),
    y = y, n = n, cases = cases, inputs = inputs, response = response,
    likelihood = likelihood_resolve(likelihood, representative_values(y[, 1L], cases$weight)),
    prior_mean = prior_mean, seed = resolve_seed(seed, call), threads = threads, verbose = verbose,
    molded = molded[c("blueprint", "formula", "kept", "na_action", "repeatable", "merged")],
    rows = molded$rows, scan = scan, call = call
  )
  # What is left open in a kernel depends on a few hundred rows.
  few <- representative_rows(nrow(molded$x), cases$weight, median_rows)
  few_rows <- scaled_rows(problem, few)
  problem$kernel <- kernel_resolve(kernel, few_rows, call, inputs$scale)
  check_covariances(problem$kernel, few_rows, call)
  problem
}

#' The logarithm of the mean count, the prior mean of the latent function unless another is given
#'
#' Half a count is added to the sum, so that counts that are all zero have a finite logarithm. With
#' an offset it is the logarithm of the count per unit of exposure, exp(offset).
#' @noRd
log_mean_count <- function(y, cases) {
  w <- if (length(cases$weight)) cases$weight else rep(1, length(y))
  exposure <- if (length(cases$offset)) sum(w * exp(cases$offset)) else sum(w)
  log((sum(w * y) + 0.5) / exposure)
}

#' With several classes the same offset of all latent functions would not change the probabilities
#' @noRd
check_offset_has_meaning <- function(offset, response, call) {
  if (!length(offset) || response$kind != "multiclass") return(invisible())
  abort_gpsieve("An offset needs numbers, counts or two classes as the response.",
    "Found {length(response$present)} classes.", class = "unsupported", call = call
  )
}

#' The scales of the input columns; stops where a value is missing or infinite
#' @noRd
check_finite_inputs <- function(molded, call) {
  scan <- molded$scan
  found <-
    if (!is.null(scan)) scan$columns
    else scales_of_columns(molded$x, as.double(molded$weights), call)
  if (found$not_finite > 0) {
    abort_not_finite(molded$x, molded$columns, if (is.null(molded$formula)) "x" else "data", call)
  }
  found
}

#' The inputs of a model whose core scales them; sparse ones are scaled here
#' @noRd
raw_inputs <- function(x, scales) if (is_sparse(x)) apply_scales(x, scales) else x

#' The scales by which the core divides the raw inputs
#' @noRd
scales_for_core <- function(problem) {
  if (is_sparse(problem$raw)) list(center = 0, scale = 1) else problem$inputs
}

#' Some rows of the inputs on the scale of computation, with their column names
#' @noRd
scaled_rows <- function(problem, rows) {
  if (is.null(problem$raw)) return(problem$x[rows, , drop = FALSE])
  if (is_sparse(problem$raw)) return(problem$raw[rows, , drop = FALSE])
  apply_scales(problem$raw[rows, , drop = FALSE], problem$inputs)
}

#' The prior mean of each latent function on the scale of computation
#' @noRd
latent_prior_means <- function(problem, default) {
  k <- ncol(problem$y)
  if (is.null(problem$prior_mean)) return(rep_len(default, k))
  response <- problem$response
  if (response$kind == "real") return((problem$prior_mean - response$center) / response$scale)
  rep_len(problem$prior_mean, k)
}

#' The fit that a core result describes
#'
#' The latent functions' basis rows are merged into one matrix, so that a point used by several
#' classes is kept, and its kernel column computed, once.
#'
#' `title` and `basis_name` are what the fit calls itself and its basis when printed. `rows` are the
#' row numbers of basis points that are no training rows (NA by default). `evidence_rows` is how
#' many responses the evidence counts, if not all of them with their weights. `keep_loo` keeps a
#' number per training row; `state` is whatever the model itself needs to go on from this fit. `n`
#' is how many rows the fit knows, if it has seen others before.
#' @noRd
assemble_fit <- function(model, problem, result, evidence_kind, settings, title,
                         basis_name = "active rows", rows = NULL, evidence_rows = NULL,
                         keep_loo = FALSE, state = NULL, n = problem$n,
                         cases = cases_of_fit(problem, keep_loo)) {
  if (!result$converged) warn_not_converged(result$reason)
  latents <- result$latents
  problem$response$temperature <- leave_one_out_temperature(problem, latents)
  own_points <- length(result$points) > 0L
  used <- unique(unlist(lapply(latents, function(l) l$posterior$basis)))
  posteriors <- lapply(latents, function(l) {
    l$posterior$basis <- match(l$posterior$basis, used)
    l$posterior
  })
  sites <- lapply(latents, function(l) {
    row <- if (length(l$site_precision)) l$site_rows else integer()
    c(
      list(row = data_rows(problem, row), precision = l$site_precision, mean = l$site_mean),
      if (length(problem$cases$weight)) list(weight = problem$cases$weight[row])
    )
  })
  names(posteriors) <- names(sites) <- latent_names(problem$response)
  new_fit(
    model = model,
    posteriors = posteriors,
    basis = without_names(
      if (own_points) result$points[used, , drop = FALSE] else scaled_rows(problem, used)
    ),
    rows =
      if (!own_points) data_rows(problem, used)
      else if (is.null(rows)) rep(NA_integer_, length(used))
      else rows[used],
    sites = sites, kernel = problem$kernel, likelihood = problem$likelihood,
    response = problem$response, inputs = problem$inputs,
    blueprint = problem$molded$blueprint, formula = problem$molded$formula, n = n,
    evidence = list(
      value = sum(vapply(latents, function(l) l$log_evidence, 0)), kind = evidence_kind,
      rows = if (is.null(evidence_rows)) total_weight(problem) else evidence_rows,
      gradient = sum_of_gradients(problem, latents), at_bound = problem$at_bound
    ),
    trace = merge_traces(lapply(latents, function(l) l$trace)),
    calibration = training_calibration(problem, latents),
    loo = if (keep_loo && has_cavities(latents)) {
      for_given_rows(problem, cavity_log_density(problem, latents))
    },
    state = state, labels = list(title = title, basis = basis_name),
    converged = result$converged, reason = result$reason, seed = problem$seed,
    settings = c(settings, problem$molded$repeatable), cases = cases
  )
}

#' The evidence's gradient by free log hyper-parameters, where the core returned it
#' @noRd
sum_of_gradients <- function(problem, latents) {
  each <- lapply(latents, function(l) l$evidence_gradient)
  if (any(lengths(each) == 0L)) return(NULL)
  theta <- theta_of(problem$kernel, problem$likelihood, names(problem$inputs$center))
  stats::setNames(Reduce(`+`, each), names(theta))[theta_free(problem$kernel, problem$likelihood)]
}

latent_names <- function(response) {
  switch(response$kind,
    binary = response$present[2L],
    multiclass = response$present,
    response$name
  )
}

#' One trace: objectives add up over classes, time is that of the slowest
#' @noRd
merge_traces <- function(traces) {
  if (length(traces) == 1L) return(traces[[1L]])
  rows <- min(vapply(traces, nrow, 0L))
  if (rows == 0L) return(traces[[1L]])
  # Classes that stopped early have fewer rows: align the ends.
  ends <- lapply(traces, function(t) t[nrow(t) - rows + seq_len(rows), ])
  data.frame(
    iteration = ends[[1L]]$iteration,
    objective = Reduce(`+`, lapply(ends, function(t) t$objective)),
    seconds = do.call(pmax, lapply(ends, function(t) t$seconds)),
    size = Reduce(`+`, lapply(ends, function(t) t$size))
  )
}
