# The joint posterior of several rows: covariances and draws.

# Spreads a matrix between the complete rows over all rows, NA elsewhere
fill_square <- function(k, complete, n) {
  if (length(complete) == n) return(k)
  out <- matrix(NA_real_, n, n)
  out[complete, complete] <- k
  out
}

#' Joint draws of the latent function
#'
#' Draws from the joint posterior of the latent function at the rows of `newdata`, prior mean
#' included and on the scale of `predict(type = "link")`: their means and covariances are those of
#' `predict(type = "link", cov = TRUE)`. For a fit with `leaf_rows` ([ivm()], [local_gp()])
#' rows that ask no leaf in common are independent. A fit by [rvm()] with `variance = "augmented"`
#' has no joint posterior, and is refused.
#'
#' @param fit A fit.
#' @param newdata Data frame or matrix with the training columns.
#' @param n Number of draws.
#' @param ... Not used; anything here is an error.
#' @param seed One whole number, or `NULL` to draw from R's generator where it stands.
#' @param threads Number of threads; results do not depend on it.
#' @return A matrix with a row for each row of `newdata` and a column for each draw; for several
#'   classes a list with one such matrix for each latent function. Rows with a missing value that
#'   the fit does not model are `NA`. Needs memory for a matrix between all rows of `newdata`.
#' @seealso [simulate()][simulate.gpsieve_fit] for draws of the response.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' grid <- data.frame(speed = seq(4, 25, length.out = 50))
#' matplot(grid$speed, posterior_draws(fit, grid, 10, seed = 1), type = "l", lty = 1)
#' @export
posterior_draws <- function(fit, newdata, n = 1, ..., seed = NULL, threads = NULL) {
  check_dots(...)
  validate_fit(fit)
  n <- check_count(n, "n")
  if (missing(newdata)) abort_no_newdata()
  settings <- core_settings(resolve_threads(threads))
  drawn <- under_seed(seed, joint_draws(fit, newdata, n, settings))
  one_or_all(lapply(drawn$f, fill_rows, drawn$complete, drawn$rows))
}

abort_no_newdata <- function() {
  abort_gpsieve("{.arg newdata} is missing.",
    hint = "There is no default: a fit does not keep the data frame that it was fitted to.")
}

# Draws at the complete rows of newdata: list(f, complete, rows), f a named list of matrices
joint_draws <- function(fit, newdata, n, settings) {
  check_joint_posterior(fit, function(message, hint) {
    abort_gpsieve(message, hint = hint, class = "unsupported")
  })
  from_fit({
    x <- forge_new(fit, newdata)
    new <- complete_rows(fit, x)
    rows <- new$rows
    mean <- latent_mean(fit, latent_marginals(fit, rows, FALSE, settings, new$offset))
    covariance <- latent_covariances(fit, rows, settings)
    f <- lapply(seq_along(covariance), function(k) {
      normal <- matrix(stats::rnorm(nrow(rows) * n), nrow(rows), n)
      as.matrix(mean)[, k] +
        call_core(core_correlated_draws, covariance[[k]], normal, settings)
    })
    list(f = stats::setNames(f, names(covariance)), complete = new$complete, rows = nrow(x))
  })
}

#' Simulate responses
#'
#' Joint draws from the predictive distribution at the rows of `newdata`: the latent function is
#' drawn from its joint posterior ([posterior_draws()]), and then a response for each row given the
#' latent function. With several classes and one machine for each, the class is drawn with the
#' normalised odds of the drawn latent functions, raised to the power that the fit has learned. A
#' fit with `noise_sd` draws the latent function only, `type = "link"`.
#'
#' @param object A fit.
#' @param nsim Number of draws.
#' @param seed As in [stats::simulate()]: `NULL` draws from R's generator where it stands; a number
#'   is the argument of [set.seed()] for these draws alone.
#' @param newdata Data frame or matrix with the training columns. There is no default: a fit does
#'   not keep the data frame that it was fitted to.
#' @param type `"response"`, or `"link"` for the latent function alone.
#' @param ... Not used; anything here is an error.
#' @param threads Number of threads; results do not depend on it.
#' @return A data frame with columns `sim_1`, `sim_2` and so on, a row for each row of `newdata`,
#'   and the attribute `seed` as [stats::simulate()] gives it. Classes are factors with the
#'   training levels. With several latent functions, a column of `type = "link"` is a matrix with
#'   a column for each.
#' @examples
#' fit <- ivm(dist ~ speed, cars, seed = 1)
#' simulate(fit, 3, seed = 1, newdata = cars[1:5, ])
#' @importFrom stats simulate
#' @export
simulate.gpsieve_fit <- function(object, nsim = 1, seed = NULL, newdata,
                                 type = c("response", "link"), ..., threads = NULL) {
  check_dots(...)
  validate_fit(object)
  nsim <- check_count(nsim, "nsim")
  type <- check_choice(type)
  if (missing(newdata)) abort_no_newdata()
  if (type == "response" && has_known_noise(object)) {
    abort_gpsieve("The noise of simulated responses is not known.",
      hint = "{.code type = \"link\"} draws the function, to which noise can be added.",
      class = "unsupported")
  }
  trials <- if (type == "response" && object$response$kind == "trials") {
    trials_of_rows(object, newdata)
  }
  noise_sd <- if (type == "response" && has_learned_noise(object)) {
    noise_of_rows(object, newdata, NULL)
  }
  settings <- core_settings(resolve_threads(threads))
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) stats::runif(1)
  state <-
    if (is.null(seed)) get(".Random.seed", globalenv())
    else structure(seed, kind = as.list(RNGkind()))
  columns <- under_seed(seed, {
    drawn <- joint_draws(object, newdata, nsim, settings)
    lapply(seq_len(nsim), function(j) {
      f <- do.call(cbind, lapply(drawn$f, function(draws) draws[, j]))
      value <-
        if (!is.null(noise_sd)) f[, 1L] + noise_sd[drawn$complete] * stats::rnorm(nrow(f))
        else if (type == "response") response_given_latent(object, f, trials[drawn$complete])
        else if (ncol(f) == 1L) f[, 1L]
        else f
      fill_rows(value, drawn$complete, drawn$rows)
    })
  })
  names(columns) <- paste0("sim_", seq_len(nsim))
  structure(columns, row.names = .set_row_names(NROW(columns[[1L]])), class = "data.frame",
    seed = state)
}

# A response for every row of a matrix of latent values, on the scale of predict(type = "link")
response_given_latent <- function(fit, f, trials = NULL) {
  draw <- family_of(fit$likelihood)$draw
  if (!is.null(draw)) return(draw(fit$likelihood, f[, 1L], latent_scale(fit), trials))
  p <- predicted_probabilities(fit, list(mean = f, variance = 0 * f))
  passed <- rowSums(stats::runif(nrow(f)) > matrix(cumulated(p), nrow(f)))
  as_classes(fit$response$levels[pmin(passed + 1L, ncol(p))], fit$response)
}

# Cumulative sums along the rows, the last one exactly 1
cumulated <- function(p) {
  for (k in seq_len(ncol(p))[-1L]) p[, k] <- p[, k - 1L] + p[, k]
  p[, ncol(p)] <- 1
  p
}

# Runs code under set.seed(seed) and puts R's generator back, or lets it go on without a seed
under_seed <- function(seed, code) {
  if (is.null(seed)) return(code)
  seed <- check_number(seed, "seed", whole = TRUE)
  if (!exists(".Random.seed", globalenv(), inherits = FALSE)) stats::runif(1)
  before <- get(".Random.seed", globalenv())
  on.exit(assign(".Random.seed", before, globalenv()))
  set.seed(seed)
  code
}
