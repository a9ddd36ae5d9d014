# What a machine was after each of its inclusions, and what it then said of rows that it has not
# seen. The sites of the active rows are those of the selection, whatever passes of EP came after
# it, so that the first k of them are the machine with k active rows.

# What fit_trace() says of `newdata`: a data frame with a row for each inclusion
trace_of_inclusions <- function(fit, newdata, y) {
  check_has_inclusions(fit)
  fit$response$temperature <- NULL # that of the refined machines
  known <- known_rows(fit, newdata, y)
  if (!nrow(known$rows)) {
    abort_gpsieve("{.arg newdata} must have rows with their response.", "Found none.",
      class = "data")
  }
  sizes <- vapply(fit$sites, function(site) length(site$row), 0L)
  check_memory(2 * doubles(nrow(known$rows), sum(sizes)),
    "predictions of {nrow(known$rows)} rows after each of {sum(sizes)} inclusions",
    "Fewer rows of {.arg newdata} need less.")
  paths <- Map(inclusion_path, list(fit), fit$sites, fit$posteriors, list(known$rows))
  at <- list(
    y = if (is.matrix(known$y)) known$y[known$complete, , drop = FALSE]
        else known$y[known$complete],
    noise_sd = if (has_row_noise(fit)) noise_of_rows(fit, newdata, NULL)[known$complete]
  )
  shift <- if (is.null(known$offset)) 0 else known$offset / latent_scale(fit)
  do.call(rbind, lapply(seq_len(max(sizes)), function(step) {
    # The machine of a class that stopped early stays as it was.
    now <- function(field) {
      do.call(cbind, unname(lapply(paths, function(path) {
        path[[field]][, min(step, length(path$information)), drop = FALSE]
      })))
    }
    latent <- list(mean = now("mean") + shift, variance = now("variance"))
    sum_of <- function(field) {
      sum(vapply(paths, function(path) path[[field]][min(step, length(path[[field]]))], 0))
    }
    included <- vapply(paths, function(path) step <= length(path$information), NA)
    data.frame(
      iteration = step, objective = sum_of("objective"), size = sum(pmin(step, sizes)),
      information = sum(vapply(paths[included], function(path) path$information[step], 0)),
      t(loss_and_error(fit, c(at, list(latent = latent))))
    )
  }))
}

# The inclusions of one machine: the `information` of each, the `objective` after it, and the `mean`
# and `variance` of the latent function at the rows of x, n x d matrices
inclusion_path <- function(fit, site, posterior, x) {
  active <- fit$basis[match(site$row, fit$rows), , drop = FALSE]
  path <- call_core(core_inclusion_path, kernel_spec(fit$kernel), active, site$precision, site$mean,
    posterior$prior_mean, x, core_settings(1L))
  path$objective <- path$log_evidence
  if (!is.null(site$weight)) {
    path$objective <- path$objective + cumsum(density_of_copies(site$precision, site$weight))
  }
  path
}

# Mean negative log predictive density of rows, and the share of wrong classes or the root mean
# squared error of numbers
loss_and_error <- function(fit, at) {
  error <- if (is_classification(fit$response)) {
    mean(predicted_class(fit, at$latent, identity) != at$y, na.rm = TRUE)
  } else {
    sqrt(mean(number_residuals(fit, at, "response")^2, na.rm = TRUE))
  }
  c(log_loss = -mean(log_density_at(fit, at), na.rm = TRUE), error = error)
}

check_has_inclusions <- function(fit) {
  if (fit$model == "ivm" && !is_partitioned(fit)) return(invisible())
  parts <- if (is_partitioned(fit)) " on parts of the rows" else ""
  abort_gpsieve("{.arg newdata} follows the inclusions of one {.fn ivm} for all rows.",
    "Found a fit by {.fn {maker_of(fit)}}{parts}.",
    "{.fn compare} judges whole fits by {.arg newdata}.", class = "unsupported")
}
