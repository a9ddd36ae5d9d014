# Which rows to observe next, for fits of every model.

#' Which rows to observe next
#'
#' Scores the rows of a pool by what their response would bring, and chooses the best row, or a
#' batch of rows in which each is chosen given the ones before it. This is the step of Bayesian
#' optimisation, of active learning and of the search for a level set.
#'
#' With mean \eqn{m} and standard deviation \eqn{s} of the latent function at a row, on the scale of
#' `predict(type = "link")`, which for a numeric response with additive noise is the response's own,
#' the scores are
#'
#' * `"minimum"`, `"maximum"`: the expected improvement over the best mean \eqn{b} so far,
#'   \deqn{E\max(f - b, 0) = s\,(u\,\Phi(u) + \phi(u)), \quad u = (m - b) / s}{
#'     E max(f - b, 0) = s (u Phi(u) + phi(u)),  u = (m - b) / s}
#'   for a maximum, and the same of \eqn{-f} for a minimum (Jones et al. 1998). With
#'   `rule = "bound"` it is the upper confidence bound \eqn{m + w s} for a maximum and
#'   \eqn{-m + w s} for a minimum, \eqn{w} being `width`.
#' * `"learn"`: the mutual information of response and latent function in nats, the criterion
#'   `"bald"` of [query_score()] (Houlsby et al. 2011): how much the entropy of the function is
#'   expected to fall. With Gaussian noise of variance \eqn{\sigma^2}{v} it is
#'   \eqn{\log(1 + s^2 / \sigma^2) / 2}{log(1 + s^2 / v) / 2}.
#' * `"boundary"`: \eqn{w s - |m - t|} (the straddle of Bryan et al. 2006): large where the function
#'   may lie on either side of the threshold \eqn{t}. Between two classes the threshold is 0, where
#'   both have probability one half.
#'
#' In a batch each chosen row is treated as if it had been observed with its own mean as the
#' response (the kriging believer of Ginsbourger et al. 2010): the means stay, the row's mean counts
#' for \eqn{b}, and the joint covariance \eqn{K} of `predict(type = "link", cov = TRUE)` becomes
#' \deqn{K - (1 - e^{-2 I_i})\, K_{\cdot i} K_{i \cdot} / K_{ii},}{
#'   K - (1 - exp(-2 I)) K[, i] K[i, ] / K[i, i],}
#' \eqn{I_i}{I} being the mutual information of row \eqn{i}. With Gaussian noise this is the
#' posterior with that row and unchanged hyper-parameters: exactly for a dense posterior and up to
#' the sparse approximation for others. With another likelihood the row counts as the observation
#' with Gaussian noise that has the same mutual information. Every latent function of several
#' classes has its own \eqn{K} and \eqn{I_i}{I}.
#'
#' Where inputs are numbers that may take any value, the pool is a sample of them: rows from
#' everywhere together with rows near the best one so far, in distances from a third of the range to
#' a ten-thousandth. Choosing again from rows near the row that was chosen comes closer to the
#' maximum of the score. Functions without noise need `likelihood = lik_gaussian(fixed(1e-6))`: the
#' noise that [meanfield_gp()] and [ivm()] learn from their usual start does not go below a
#' ten-thousandth of the response's variance.
#'
#' The covariance is computed between the rows with the best scores, at first 200 or `4 * n` of
#' them, and then twice as many until no row that was left out had a larger score of its own than
#' the last row of the batch has in the batch. A row is chosen once at most, and of rows with the
#' same score the first.
#'
#' @param fit A fit.
#' @param pool Rows to choose from, without response: a data frame or matrix with the training
#'   columns. Rows with a missing value that the fit does not model are never chosen, nor rows
#'   whose inputs are those of a training row, as far as the fit keeps something of these (the
#'   setting `keep` of its control function); [query_score()] scores them too.
#' @param n Number of rows to choose.
#' @param goal What the new responses are for: to find the `"minimum"` or `"maximum"` of a numeric
#'   response, to `"learn"` the function everywhere, or to find the `"boundary"` between two classes
#'   or where a numeric response crosses the `threshold`.
#' @param cost What each row of `pool` costs to observe, positive numbers: the score is then the
#'   score per cost. Only for scores that are gains, which are never negative: `goal = "learn"` and
#'   the expected improvement.
#' @param ... Not used; anything here is an error.
#' @param rule With the goals `"minimum"` and `"maximum"`: the expected `"improvement"`, or the
#'   confidence `"bound"`.
#' @param width Standard deviations in the bound and the straddle; above 0.
#' @param best The best value so far, on the scale of the means, for the expected improvement.
#'   `NULL` takes the best of the fit's means at its training rows; a fit that keeps nothing of them
#'   (see the setting `keep` of its control function) needs a number.
#' @param threshold With `goal = "boundary"` and a numeric response: the number whose level set is
#'   sought, on the scale of `predict(type = "link")`.
#' @param threads Number of threads; results do not depend on it.
#' @return A data frame with a row for each chosen row, in the order of choice: its number in
#'   `pool`, `.row`; its score given the rows before it, `.score`; and the columns of `pool`, those
#'   that are called `.row` and `.score` left out.
#' @section Errors: classed `gpsieve_error_unsupported` for goals that a response does not have, and
#'   where the noise of the pool's rows would have to be known (fits with known noise, with noise
#'   that depends on the inputs or with trials of their own: `goal = "learn"` and batches), and for
#'   batches of [rvm()] with augmented variances; `gpsieve_error_data` for a pool with fewer than
#'   `n` rows that may be chosen.
#' @seealso [query_score()] for the scores of all rows.
#' @references
#' Jones, D. R., Schonlau, M. and Welch, W. J. (1998). Efficient global optimization of expensive
#' black-box functions. *Journal of Global Optimization* 13, 455-492.
#'
#' Houlsby, N., Huszar, F., Ghahramani, Z. and Lengyel, M. (2011). Bayesian active learning for
#' classification and preference learning. arXiv:1112.5745.
#'
#' Bryan, B., Nichol, R. C., Genovese, C. R., Schneider, J., Miller, C. J. and Wasserman, L. (2006).
#' Active learning for identifying function threshold boundaries. *Advances in Neural Information
#' Processing Systems* 18.
#'
#' Ginsbourger, D., Le Riche, R. and Carraro, L. (2010). Kriging is well-suited to parallelize
#' optimization. In *Computational Intelligence in Expensive Optimization Problems*, 131-162.
#' Springer.
#' @examples
#' tried <- mtcars[c(1:6, 20:25), ]
#' others <- mtcars[-c(1:6, 20:25), c("wt", "hp")]
#' fit <- meanfield_gp(mpg ~ wt + hp, tried)
#' what_next(fit, others, 3, goal = "maximum")
#' what_next(fit, others, 3, goal = "learn", cost = others$hp)
#' @export
what_next <- function(fit, pool, n = 1, goal = c("minimum", "maximum", "learn", "boundary"),
                      cost = NULL, ..., rule = c("improvement", "bound"), width = 1.96, best = NULL,
                      threshold = NULL, threads = NULL) {
  check_dots(...)
  validate_fit(fit)
  if (missing(pool)) {
    abort_gpsieve("{.arg pool} is missing.",
      hint = "{.arg pool} are the rows to choose from; there is no default.")
  }
  n <- check_count(n, "n")
  goal <- check_choice(goal)
  of_extremes <- goal %in% c("minimum", "maximum")
  kind <- if (of_extremes) check_choice(rule) else goal
  check_goes_with_goal(kind, goal, given = c(
    rule = !missing(rule), width = !missing(width), best = !is.null(best),
    threshold = !is.null(threshold), cost = !is.null(cost)
  ))
  check_goal_is_offered(fit, goal, n, threshold)
  aim <- list(kind = kind, up = if (goal == "minimum") -1 else 1,
    width = check_number(width, "width", above = 0))
  if (kind == "boundary") {
    aim$threshold <- if (is.null(threshold)) 0 else check_number(threshold, "threshold")
  }
  if (kind == "improvement") aim$best <- best_so_far(fit, best, aim$up)
  settings <- core_settings(resolve_threads(threads))
  from_fit({
    x <- forge_new(fit, pool, "pool")
    log_cost <- if (is.null(cost)) numeric(nrow(x)) else log(check_costs(cost, nrow(x)))
    new <- untried_rows(fit, x, complete_rows(fit, x))
    if (n > length(new$complete)) {
      abort_gpsieve("{.arg pool} must have at least {.arg n} rows that have no missing value and are
         no training rows.", "Found {length(new$complete)} for {.code n = {n}}.",
        if (new$tried) "{new$tried} of its rows {?is/are} among the training rows.", class = "data")
    }
    latent <- latent_marginals(fit, new$rows, TRUE, settings, new$offset)
    batch <- best_batch(fit, new$rows, latent, n, aim, log_cost[new$complete], settings)
    rows <- new$complete[batch$rows]
    chosen_rows(pool, rows, if (kind %in% goes_with$cost) exp(batch$utility) else batch$utility)
  })
}

# Of rows x those of complete_rows() that are no training rows, and how many are, `tried`
untried_rows <- function(fit, x, new) {
  tried <- row_marks(x[new$complete, , drop = FALSE], fit$inputs$scale) %in% fit$kept$marks
  new$tried <- sum(tried)
  new$complete <- new$complete[!tried]
  new$rows <- new$rows[!tried, , drop = FALSE]
  new$offset <- new$offset[!tried]
  new
}

# What each argument needs.
goes_with <- list(
  rule = c("improvement", "bound"), width = c("bound", "boundary"), best = "improvement",
  threshold = "boundary", cost = c("improvement", "learn")
)

# Stops at the first argument that is given in vain
check_goes_with_goal <- function(kind, goal, given) {
  for (arg in names(given)[given]) {
    if (kind %in% goes_with[[arg]]) next
    found <- paste0("goal = \"", goal, "\"", if (kind == "bound") ", rule = \"bound\"")
    why <- switch(arg,
      rule = "It goes with the goals {.val minimum} and {.val maximum}.",
      width = "It goes with {.code rule = \"bound\"} and the goal {.val boundary}.",
      best = "It goes with {.code rule = \"improvement\"}.",
      threshold = "It goes with the goal {.val boundary}.",
      cost = "Scores per cost need scores that are never negative: the expected improvement, or
        the goal {.val learn}.")
    abort_gpsieve("{.arg {arg}} has no meaning here.", "Found {.code {found}}.", why)
  }
}

check_goal_is_offered <- function(fit, goal, n, threshold) {
  refuse <- function(message, hint) {
    abort_gpsieve(message, hint = hint, class = "unsupported")
  }
  classes <- is_classification(fit$response)
  if (classes && goal %in% c("minimum", "maximum")) {
    refuse("Classes have no {goal}.", "Choose the goal {.val learn} or {.val boundary}.")
  }
  if (goal == "boundary") {
    if (classes && fit$response$kind != "binary") {
      refuse("The goal {.val boundary} is for two classes or a number.",
        "With more classes {.val learn} finds rows on which the machines disagree.")
    }
    if (classes != is.null(threshold)) {
      abort_gpsieve("{.arg threshold} goes with a numeric response, and only there is it needed.",
        if (classes) "Found classes." else "Found none.")
    }
  }
  unknown_noise <- has_row_noise(fit) || fit$response$kind == "trials"
  if (unknown_noise && (goal == "learn" || n > 1)) {
    refuse("What an observation would tell depends on its own noise or number of trials.",
      "With {.code n = 1} the goals {.val minimum}, {.val maximum} and {.val boundary} do not need
       these.")
  }
  if (n > 1) check_joint_posterior(fit, refuse)
}

best_so_far <- function(fit, best, up) {
  if (!is.null(best)) return(check_number(best, "best"))
  if (is.null(fit$kept)) {
    abort_gpsieve("This fit keeps nothing of its training rows: their best mean is not known.",
      hint = "Give it as {.arg best}, or use {.code rule = \"bound\"}.")
  }
  up * max(up * latent_mean(fit, fit$kept))
}

check_costs <- function(cost, n) {
  check_one_for_each_row(cost, "cost", n)
  if (n == 0L) cost else check_positive(cost, "cost")
}

# By what rows are compared: the logarithm of a gain, so that gains too small for a number keep
# their order, or another score itself
utilities <- function(fit, aim, latent, settings) {
  if (aim$kind == "learn") return(log(rowSums(information(fit, latent, settings))))
  m <- latent_mean(fit, latent)
  s <- latent_sd(fit, latent)
  switch(aim$kind,
    improvement = log_expected_improvement(aim$up * (m - aim$best), s),
    bound = aim$up * m + aim$width * s,
    boundary = aim$width * s - abs(m - aim$threshold))
}

# log E max(d + s z, 0) for standard normal z. Far below zero u Phi(u) and phi(u) cancel: from u =
# -100 their sum is phi(u) times the first terms of 1/u^2 - 3/u^4 + 15/u^6 - 105/u^8.
log_expected_improvement <- function(d, s) {
  u <- d / s
  near <- pmax(u, -100)
  inverse <- 1 / pmin(u, -100)^2
  mills <- exp(stats::pnorm(near, log.p = TRUE) - stats::dnorm(near, log = TRUE))
  rest <- ifelse(u > -100, log1p(near * mills),
    log(inverse) + log1p(-inverse * (3 - inverse * (15 - 105 * inverse))))
  out <- log(s) + stats::dnorm(u, log = TRUE) + rest
  far <- s == 0 | u > 30
  out[far] <- log(pmax(d[far], 0))
  out
}

# So many rows at least have a joint covariance at first.
first_shortlist <- 200

# The rows of a batch and their utilities less the logarithms of their costs: list(rows, utility)
best_batch <- function(fit, x, latent, n, aim, log_cost, settings) {
  alone <- utilities(fit, aim, latent, settings) - log_cost
  if (n == 1) {
    row <- which.max(alone)
    return(list(rows = row, utility = alone[row]))
  }
  best_first <- order(alone, decreasing = TRUE)
  size <- max(first_shortlist, 4 * n)
  repeat {
    among <- sort(utils::head(best_first, size))
    batch <- batch_among(fit, x[among, , drop = FALSE],
      lapply(latent[c("mean", "variance")], function(part) part[among, , drop = FALSE]), n, aim,
      log_cost[among], settings)
    if (size >= length(alone) || batch$utility[n] >= alone[best_first[size + 1]]) {
      batch$rows <- among[batch$rows]
      return(batch)
    }
    size <- 2 * size
  }
}

# A batch from rows whose joint covariance is computed.
# What the chosen rows take from the covariance of each latent function is `taken taken'`, with a
# column for each of them, as in a Cholesky factor with pivots.
batch_among <- function(fit, x, latent, n, aim, log_cost, settings) {
  rows <- nrow(x)
  functions <- ncol(latent$mean)
  check_memory(3 * functions * doubles(rows, rows), "covariances between the best rows",
    "Choose fewer rows, or from a smaller pool.")
  covariance <- latent_covariances(fit, x, settings)
  taken <- rep(list(matrix(0, rows, n)), functions)
  chosen <- integer()
  utility <- numeric()
  repeat {
    now <- utilities(fit, aim, latent, settings) - log_cost
    free <- setdiff(seq_len(rows), chosen)
    row <- free[which.max(now[free])]
    chosen <- c(chosen, row)
    utility <- c(utility, now[row])
    if (length(chosen) == n) return(list(rows = chosen, utility = utility))
    at_row <- lapply(latent, function(part) part[row, , drop = FALSE])
    told <- information(fit, at_row, settings)
    for (k in seq_len(functions)) {
      own <- covariance[[k]][, row] / latent_scale(fit)^2 - taken[[k]] %*% taken[[k]][row, ]
      if (own[row] <= 0) next
      column <- own * sqrt(-expm1(-2 * told[k]) / own[row])
      taken[[k]][, length(chosen)] <- column
      latent$variance[, k] <- pmax(0, latent$variance[, k] - column^2)
    }
    if (aim$kind == "improvement") {
      aim$best <- aim$up * max(aim$up * c(aim$best, latent_mean(fit, at_row)))
    }
  }
}

# The chosen rows with their scores as a data frame
chosen_rows <- function(pool, rows, score) {
  if (!is.data.frame(pool)) pool <- as.matrix(pool[rows, , drop = FALSE])
  else pool <- as.data.frame(pool)[rows, , drop = FALSE]
  pool <- as.data.frame(pool)
  data.frame(.row = rows, .score = score, pool[setdiff(names(pool), c(".row", ".score"))],
    check.names = FALSE, row.names = NULL)
}
