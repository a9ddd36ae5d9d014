# From a result of the core to a fit: what all models share after the core has done its work.

# The fit that a core result describes.
# The latent functions' basis rows are merged into one matrix, so that a point used by several
# classes is kept, and its kernel column computed, once.
#
# `labels` are new_labels(), `evidence` is account_of_evidence(). `rows` are the row numbers of
# basis points that are no training rows (NA by default). `keep_loo` keeps a number per training
# row; `state` is whatever the model itself needs to go on from this fit. `n` is how many rows the
# fit knows, if it has seen others before. `partition` is list(trees, rows, hashes, judged, visits)
# where the latent functions of the result are those of its machines: the rows that are judged
# without themselves, as a problem, and their visits.
assemble_fit <- function(model, problem, result, settings, labels, evidence, rows = NULL,
                         keep_loo = FALSE, state = NULL, n = problem$n,
                         cases = cases_of_fit(problem, keep_loo), partition = NULL) {
  if (!result$converged) warn_not_converged(result$reason, limit_of_iterations(settings))
  latents <- result$latents
  known <- !is.null(problem$molded[["noise"]])
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
  by_name <- latents[order(match(names(latents), unique(names(latents))))]
  used <- unique(unlist(lapply(by_name, function(l) l$posterior$basis), use.names = FALSE))
  points <- result$points
  if (!length(points)) {
    rows <- data_rows(problem, used)
    points <- scaled_rows(problem, used)
  } else {
    rows <- if (is.null(rows)) rep(NA_integer_, length(used)) else rows[used]
    points <- points[used, , drop = FALSE]
  }
  # A trial is asked for predictions of other rows only.
  trial <- isTRUE(problem$trial)
  if (!trial) warn_of_lost_digits(problem)
  new_fit(
    model = model, posteriors = with_basis_among(lapply(latents, `[[`, "posterior"), used),
    basis = without_names(points), rows = rows, sites = sites_of_rows(problem, latents),
    kernel = problem$kernel, likelihood = problem$likelihood,
    response = problem$response, inputs = problem$inputs,
    blueprint = problem$molded$blueprint, formula = problem$molded$formula, n = n,
    evidence = evidence_of_fit(problem, latents, evidence, partition),
    trace =
      if (is.null(partition)) merge_traces(lapply(unname(latents), function(l) l$trace))
      else trace_of_parts(latents, n_latents(problem)),
    calibration = if (!trial) training_calibration(judged, of_rows),
    # With known noise the cavities leave out a share of the row.
    loo = if (!trial && keep_loo && has_cavities(of_rows) && !known) {
      for_given_rows(problem, cavity_log_density(problem, of_rows))
    },
    state = state, labels = labels, converged = result$converged, reason = result$reason,
    seed = problem$seed, settings = c(settings, problem$molded$repeatable), cases = cases,
    held_out = if (!trial && !known) leave_one_out_figures(judged, of_rows),
    partition = partition[intersect(c("trees", "rows", "hashes", "terms"), names(partition))],
    check = !trial
  )
}

# Warns of columns that warps have bent so far that nothing is left of the others
warn_of_lost_digits <- function(problem) {
  if (!is.matrix(problem$x)) return(invisible())
  lost <- columns_without_digits(problem$kernel, problem$x)
  if (!length(lost)) return(invisible())
  named <- names(problem$inputs$center)[lost]
  warn_gpsieve(c("The warp{?s} of {.field {named}} leave{?s/} no digits to other columns.",
    x = "A warped value is beyond {largest_warped} spreads."),
    "{.code kernel_warped(dims = )} names the columns that are warped; {.fn fixed} holds a tail.",
    class = "digits")
}

# What a fit calls itself, the points on which it rests and how it was computed, when printed
new_labels <- function(title, basis = "active rows", method = NULL) {
  list(title = title, method = method, basis = basis)
}

# What the log evidence of a result means: its kind, how many responses it counts, and what it
# lacks because of known noise
account_of_evidence <- function(problem, kind, rows = total_weight(problem),
                                log_shares = log_shares_of(problem)) {
  list(kind = kind, rows = rows, log_shares = sum(log_shares))
}

evidence_of_fit <- function(problem, latents, account, partition) {
  values <- vapply(counted_latents(latents, partition), function(l) l$log_evidence, 0)
  list(
    value = sum_of_machines(values, partition) + account$log_shares, kind = account$kind,
    rows = account$rows, counts = unname(partition$counts),
    gradient = sum_of_gradients(problem, latents),
    at_bound = problem$at_bound, steps_ended = problem$steps_ended
  )
}

# The Gaussian sites of training rows, for each latent function
sites_of_rows <- function(problem, latents) {
  lapply(latents, function(latent) {
    row <- if (length(latent$site_precision)) latent$site_rows else integer()
    c(
      list(row = data_rows(problem, row), precision = latent$site_precision,
        mean = latent$site_mean),
      if (length(problem$cases$weight)) list(weight = problem$cases$weight[row])
    )
  })
}

# The evidence's gradient by free log hyper-parameters, where the core returned it
sum_of_gradients <- function(problem, latents) {
  each <- lapply(latents, function(l) l$evidence_gradient)
  if (any(lengths(each) == 0L)) return(NULL)
  theta <- theta_of(problem$kernel, problem$likelihood, names(problem$inputs$center))
  stats::setNames(Reduce(`+`, each), names(theta))[theta_free(problem$kernel, problem$likelihood)]
}

# One trace: objectives add up over classes, time is that of the slowest
merge_traces <- function(traces) {
  if (length(traces) == 1L) return(traces[[1L]])
  rows <- min(vapply(traces, nrow, 0L))
  if (rows == 0L) return(traces[[1L]])
  # Classes that stopped early have fewer rows: align the ends.
  ends <- lapply(traces, function(t) t[nrow(t) - rows + seq_len(rows), ])
  total <- function(column) Reduce(`+`, lapply(ends, `[[`, column))
  merged <- data.frame(
    iteration = ends[[1L]]$iteration, objective = total("objective"),
    seconds = do.call(pmax, lapply(ends, function(t) t$seconds)), size = total("size")
  )
  if (!is.null(ends[[1L]]$information)) merged$information <- total("information")
  merged
}

# The argument of a model that limits its iterations: what counts passes over the rows where the
# model has such an argument and it was used, otherwise the settings of the algorithm
limit_of_iterations <- function(settings) {
  if (!is.null(settings$epochs)) "epochs" else if (is.null(settings$refine)) "control" else "refine"
}
