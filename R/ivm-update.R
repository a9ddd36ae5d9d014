# update(leaves = "changed"): of the machines of a partition, only those whose rows have changed are
# fitted anew. Scales, hyper-parameters and cuts stay those of the fit; a leaf that has grown beyond
# `leaf_rows` is cut further.

#' @rdname update.gpsieve_fit
#' @param leaves For an [ivm()] with `leaf_rows` and a number of `trees`, and rows in memory:
#'   `"all"` fits anew, `"changed"` the leaves only whose rows differ from those of the fit in their
#'   number in the data, their inputs, response, weight or offset. Then nothing but data can be
#'   given. Scales, hyper-parameters and cuts stay as they are, and a leaf that has got more than
#'   `leaf_rows` rows is cut. Unless all leaves are fitted anew, the new fit has no calibration, and
#'   figures of rows without themselves with [lik_gaussian()] only.
#' @export
update.gpsieve_ivm <- function(object, formula = NULL, ..., leaves = c("all", "changed")) {
  leaves <- check_choice(leaves)
  validate_fit(object)
  given <- rlang::enquos(...)
  if (leaves == "all") return(refit(object, formula, given, rlang::caller_env()))
  written <- data_expressions(lapply(given, rlang::quo_get_expr))
  check_updates_leaves(object, formula, given)
  given <- lapply(given, rlang::eval_tidy)
  molded <- mold_again(object, given, rlang::caller_env())
  molded$earlier <- object
  given <- given_or_default(ivm, c(
    list(kernel = object$kernel, likelihood = object$likelihood, seed = object$seed,
      standardise = standardised_by(object$inputs), verbose = FALSE),
    object$settings[setdiff(names(object$settings), arguments_of_rows)]
  ))
  fit <- with_training_rows(ivm_of_rows(molded, given), molded, given, NULL)
  fit$origin <- c(written, object$origin[setdiff(names(object$origin), names(written))])
  fit
}

check_updates_leaves <- function(fit, formula, given) {
  if (!is_partitioned(fit) || is.null(fit$partition$hashes)) {
    abort_gpsieve("{.code leaves = \"changed\"} needs a fit by {.fn ivm} with {.arg leaf_rows} and a
      number of {.arg trees}.",
      "Found {what_has_no_leaves(fit)}.",
      class = "unsupported")
  }
  others <- c(if (!is.null(formula)) "formula", setdiff(names(given), c("data", "x", "y")))
  if (length(others)) {
    abort_gpsieve("{.code leaves = \"changed\"} takes data and nothing else.",
      "Found {.arg {others}}.", "{.code leaves = \"all\"} fits anew.")
  }
  unable <- c(if (!is.null(fit$blueprint$recipe)) "recipe", fit$blueprint$given,
    if (has_known_noise(fit)) "noise_sd")
  if (!length(unable)) return(invisible())
  abort_gpsieve(
    "{.code leaves = \"changed\"} cannot repeat this fit's {.arg {unique(unable)}}.",
    hint = "{.code leaves = \"all\"} fits anew.", class = "unsupported")
}

what_has_no_leaves <- function(fit) {
  if (!is_partitioned(fit)) "one machine"
  else "trees of terms, whose leaves depend on those of the other trees"
}

# The data of a fit, given anew or found where they were, as its own call molded them
mold_again <- function(fit, given, env) {
  needed <- if (is.null(fit$formula)) c("x", "y") else "data"
  if (!all(needed %in% names(given))) given <- data_again(fit, needed, NULL, env)
  if (is_source(as_source(given$data))) {
    abort_gpsieve("{.code leaves = \"changed\"} needs all rows in memory.",
      "Found a source of rows.", class = "unsupported")
  }
  cases <- cases_of_arguments(fit$settings)
  if (is.null(fit$formula)) return(mold_xy(with_levels_of(fit, given$x), given$y, cases))
  mold_formula(stats::formula(fit), with_levels_of(fit, given$data), cases)
}

# The problem of new data as the earlier fit saw its own: with its hyper-parameters and prior means
as_earlier <- function(problem, earlier) {
  problem[c("kernel", "likelihood")] <- earlier[c("kernel", "likelihood")]
  first <- seq_along(latent_names(earlier$response))
  problem$prior_means <- vapply(earlier$posteriors[first], `[[`, 0, "prior_mean")
  problem$response$temperature <- earlier$response$temperature
  problem
}

# A text for the rows of each leaf by which other rows are told apart; `numbers` are those of the
# rows in the data
hash_of_leaf <- function(problem, rows, numbers) {
  part <- some_rows(problem, rows)
  x <- if (is_sparse(part$x)) part$x else unname(part$x)
  rlang::hash(list(x, unname(part$y), part$cases, as.double(numbers)))
}

# What an earlier fit found in the leaves with these hashes: a result of each, or NULL.
# Rows are named by their positions in the problem. A leaf's evidence stands with its first class.
earlier_results <- function(earlier, hashes, problem, order) {
  classes <- length(order)
  # Two trees may have a leaf in common, with a machine in each.
  at <- match(make.unique(hashes), make.unique(earlier$partition$hashes))
  numbers <- data_rows(problem, seq_len(nrow(problem$y)))
  row_of_number <- integer()
  row_of_number[numbers] <- seq_along(numbers)
  lapply(at, function(leaf) {
    if (is.na(leaf)) return(NULL)
    latents <- lapply((leaf - 1L) * classes + order, function(machine) {
      posterior <- earlier$posteriors[[machine]]
      posterior$basis <- row_of_number[earlier$rows[posterior$basis]]
      site <- earlier$sites[[machine]]
      first <- machine == (leaf - 1L) * classes + order[1L]
      list(
        posterior = posterior, site_rows = row_of_number[site$row],
        site_precision = site$precision, site_mean = site$mean,
        log_evidence = if (first) earlier$trace$objective[leaf] else 0,
        trace = data.frame(iteration = 1L, objective = 0, seconds = 0, size = length(site$row))
      )
    })
    list(latents = latents, converged = TRUE, reason = "")
  })
}
