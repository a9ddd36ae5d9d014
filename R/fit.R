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
#' `merge_equal` equal rows become one row, unless white noise makes them differ. `round_response`
#' rounds a standardised response: see rounded_response(). `start_rows` are the rows that say where
#' learning starts, NULL for all rows: see at_start().
#' @noRd
prepare_problem <- function(molded, kernel, likelihood, standardise, prior_mean, seed, threads,
                            verbose, call, scale_inputs = TRUE, takes_rows = FALSE,
                            merge_equal = FALSE, round_response = FALSE, start_rows = NULL,
                            takes_step = FALSE) {
  if (!is.null(molded$rows) && !takes_rows) abort_in_memory(call)
  kernel <- with_column_groups(as_kernel(kernel, "kernel", call), molded, call)
  check_sparse_kernel(kernel, molded$x, call)
  refuse_uneven(likelihood, call)
  suited <- with_levels(molded, kernel, call)
  molded <- suited$molded
  kernel <- suited$kernel
  if (!is.null(likelihood)) likelihood <- as_likelihood(likelihood, "likelihood", call)
  standardise <- check_standardise(standardise, call)
  verbose <- check_flag(verbose, "verbose", call)
  threads <- resolve_threads(threads, call)
  # R evaluates a density of the user's, and R has one thread.
  if (!is.null(likelihood) && has_own_function(likelihood)) threads <- 1L
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
  if (is.null(likelihood)) likelihood <- default_likelihood(response, call)
  check_step(likelihood, takes_step, call)
  response$kind <- check_response_matches(likelihood, response$kind, encoded$y, call)
  check_cuts(likelihood, response, call)

  earlier <- molded$earlier # a fit whose scales hold
  inputs <-
    if (is.null(earlier)) input_scales(found, molded$columns, standardise, molded$levels)
    else earlier$inputs
  y <- encoded$y
  cases <- list(weight = as.double(molded$weights), offset = as.double(molded$offset))
  check_offset_has_meaning(cases$offset, response, likelihood, call)
  # Plain numbers for start values: pairs are codes for the core.
  numbers <- if (is.null(encoded$numbers)) y[, 1L] else encoded$numbers
  if (response$kind == "real") {
    # The response less its offset has the model without one.
    if (length(cases$offset)) {
      y <- y - cases$offset
      numbers <- y[, 1L]
    }
    cases$offset <- numeric()
  }
  if (response$kind == "real" && !isFALSE(standardise)) {
    scales <-
      if (!is.null(earlier)) earlier$response
      else if (is.null(scan)) column_scales(matrix(numbers), weights_of_scales(molded))
      else scan$response
    response[c("center", "scale")] <- list(scales$center, scales$scale)
    numbers <- (numbers - scales$center) / scales$scale
    if (is.null(encoded$table)) y <- apply_scales(y, scales)
    if (round_response) y <- rounded_response(y)
  }
  if (!is.null(encoded$table)) {
    if (response$kind == "positive") {
      encoded$table <- positive_intervals(y, encoded$table, call)
    }
    coded <- scale_coded(y, encoded$table, response)
    response$known <- known_share(coded$y, cases$weight)
    y <- matrix(coded$y)
  }
  if (!isFALSE(standardise) && is.null(prior_mean)) {
    prior_mean <- natural_prior_mean(likelihood,
      if (response$kind == "trials") y[, 1L] else numbers, cases
    )
  }
  noise <- molded[["noise"]]
  if (!is.null(noise) && !isTRUE(noise$learned)) {
    likelihood <- known_noise_likelihood(noise, response)
  }
  problem <- list(
    x = if (scale_inputs) apply_scales(molded$x, inputs),
    raw = if (!scale_inputs) raw_inputs(molded$x, inputs),
    y = y, n = n, cases = cases, inputs = inputs, response = response,
    start_rows = start_rows, prior_mean = prior_mean, seed = resolve_seed(seed, call),
    threads = threads, verbose = verbose,
    molded = molded[
      c("blueprint", "formula", "kept", "na_action", "repeatable", "merged", "noise")
    ],
    rows = molded$rows, scan = scan, learned = molded$learned, trial = molded$trial,
    earlier = earlier, call = call
  )
  start <- at_start(c(problem, list(numbers = cbind(numbers))))
  typical <- representative_values(start$numbers[, 1L], start$cases$weight)
  problem$likelihood <- likelihood_resolve(likelihood, typical, length(response$present))
  if (!is.null(encoded$table)) problem$likelihood$table <- coded$table
  # What is left open in a kernel depends on a few hundred rows.
  few <- representative_rows(nrow(start$y), start$cases$weight, median_rows)
  few_rows <- scaled_rows(start, few)
  problem$kernel <- kernel_resolve(kernel, few_rows, call, inputs$scale, inputs$center)
  check_latitudes(problem$kernel, inputs$range, names(inputs$center), call)
  check_covariances(problem$kernel, few_rows, call)
  problem
}

#' The prior mean of a latent function whose scale is not that of the response, unless another one
#' is given: the latent value of the mean response; NULL for other responses
#' @noRd
natural_prior_mean <- function(likelihood, y, cases) {
  prior_mean <- family_of(likelihood)$prior_mean
  if (is.null(prior_mean)) return(NULL)
  weights <- if (length(cases$weight)) cases$weight else rep(1, length(y))
  prior_mean(y, weights, if (length(cases$offset)) cases$offset else 0)
}

#' The problem with only those rows that say where learning starts: what is left open in kernel and
#' likelihood, the hyper-prior, first hyper-parameters and first inducing inputs
#' @noRd
at_start <- function(problem) {
  rows <- problem$start_rows
  if (is.null(rows)) return(problem)
  for (part in intersect(c("x", "raw", "y", "numbers"), names(problem))) {
    problem[[part]] <- problem[[part]][rows, , drop = FALSE]
  }
  problem$cases <- part_of_cases(problem$cases, rows)
  problem["start_rows"] <- list(NULL)
  problem
}

#' With several classes the same offset of all latent functions would not change the probabilities
#' @noRd
check_offset_has_meaning <- function(offset, response, likelihood, call) {
  if (length(offset) && is_censored(likelihood) && likelihood_response(likelihood) == "real") {
    abort_gpsieve("{.code lik_censored(\"gaussian\")} takes no offset.",
      hint = "Subtract it from the numbers and their bounds.", class = "unsupported", call = call
    )
  }
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
    else scales_of_columns(molded$x, weights_of_scales(molded), call)
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
latent_prior_means <- function(problem, default = 0) {
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
#' `title`, `method` and `basis_name` are what the fit calls itself, how it was computed and its
#' basis when printed. `rows` are the
#' row numbers of basis points that are no training rows (NA by default). `evidence_rows` is how
#' many responses the evidence counts, if not all of them with their weights. `keep_loo` keeps a
#' number per training row; `state` is whatever the model itself needs to go on from this fit. `n`
#' is how many rows the fit knows, if it has seen others before. `partition` is
#' list(trees, rows, hashes, judged, visits) where the latent functions of the result are those of
#' its machines: the rows that are judged without themselves, as a problem, and their visits.
#' `log_shares` is what the log evidence lacks because of known noise.
#' @noRd
assemble_fit <- function(model, problem, result, evidence_kind, settings, title,
                         method = NULL, basis_name = "active rows", rows = NULL,
                         evidence_rows = NULL,
                         keep_loo = FALSE, state = NULL, n = problem$n,
                         cases = cases_of_fit(problem, keep_loo), partition = NULL,
                         log_shares = log_shares_of(problem)) {
  if (!result$converged) warn_not_converged(result$reason)
  latents <- result$latents
  noise <- problem$molded[["noise"]]
  names(latents) <- rep_len(latent_names(problem$response), length(latents))
  judged <- if (is.null(partition)) problem else partition$judged
  of_rows <-
    if (is.null(partition)) latents
    else if (is.null(partition$cavities)) cavities_of_rows(latents, partition$visits, judged)
    else partition$cavities
  if (is.null(problem$earlier)) {
    problem$response$temperature <- leave_one_out_temperature(judged, of_rows)
  }
  judged$response <- problem$response
  own_points <- length(result$points) > 0L
  by_name <- latents[order(match(names(latents), unique(names(latents))))]
  used <- unique(unlist(lapply(by_name, function(l) l$posterior$basis), use.names = FALSE))
  posteriors <- with_basis_among(lapply(latents, `[[`, "posterior"), used)
  sites <- lapply(latents, function(l) {
    row <- if (length(l$site_precision)) l$site_rows else integer()
    c(
      list(row = data_rows(problem, row), precision = l$site_precision, mean = l$site_mean),
      if (length(problem$cases$weight)) list(weight = problem$cases$weight[row])
    )
  })
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
    sites = sites, kernel = problem$kernel,
    # The table of intervals belongs to the training rows.
    likelihood = with_table(problem, NULL)$likelihood,
    response = problem$response, inputs = problem$inputs,
    blueprint = problem$molded$blueprint, formula = problem$molded$formula, n = n,
    evidence = list(
      value = sum(vapply(counted_latents(latents, partition), function(l) l$log_evidence, 0)) /
        counted_trees(partition) + sum(log_shares),
      kind = evidence_kind,
      rows = if (is.null(evidence_rows)) total_weight(problem) else evidence_rows,
      gradient = sum_of_gradients(problem, latents), at_bound = problem$at_bound
    ),
    trace =
      if (is.null(partition)) merge_traces(lapply(unname(latents), function(l) l$trace))
      else trace_of_parts(latents, ncol(problem$y)),
    calibration = training_calibration(judged, of_rows),
    # With known noise the cavities leave out a share of the row.
    loo = if (keep_loo && has_cavities(of_rows) && is.null(noise)) {
      for_given_rows(problem, cavity_log_density(problem, of_rows))
    },
    state = state, labels = list(title = title, method = method, basis = basis_name),
    converged = result$converged, reason = result$reason, seed = problem$seed,
    settings = c(settings, problem$molded$repeatable), cases = cases,
    held_out = if (is.null(noise)) leave_one_out_figures(judged, of_rows),
    partition = partition[intersect(c("trees", "rows", "hashes", "terms"), names(partition))]
  )
}

#' Posteriors whose basis points are places among the rows `numbers`
#'
#' One match for all of them: it makes a table of `numbers`, which are the rows of thousands of leaves
#' where a posterior has those of one.
#' @noRd
with_basis_among <- function(posteriors, numbers) {
  each <- lapply(posteriors, `[[`, "basis")
  place <- match(unlist(each, use.names = FALSE), numbers)
  last <- cumsum(lengths(each))
  Map(function(posterior, first, last) {
    posterior$basis <- place[seq_len(last - first) + first]
    posterior
  }, posteriors, last - lengths(each), last)
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
