# Hyper-parameters as one vector: log scale, kernel first, then likelihood; and their learning.

theta_of <- function(kernel, likelihood, columns = NULL) {
  c(kernel_theta(kernel, columns), likelihood_theta(likelihood))
}

theta_free <- function(kernel, likelihood) c(kernel_free(kernel), likelihood_free(likelihood))

#' The kernel and likelihood that a full vector of log hyper-parameters describes
#' @noRd
set_theta <- function(kernel, likelihood, theta) {
  k <- length(kernel_theta(kernel))
  list(
    kernel = kernel_set_theta(kernel, theta[seq_len(k)]),
    likelihood = likelihood_set_theta(likelihood, theta[seq_len(length(theta) - k) + k])
  )
}

# Hyper-parameters may move this far on the log scale in one round: the sites or the active
# set that the objective holds fixed are wrong for hyper-parameters that are farther away.
log_step_limit <- 3

#' Maximises value(theta) over the free entries of theta, a few quasi-Newton steps (PORT), within
#' `step` of theta and `range` of where learning began (`origin`), all on the log scale
#'
#' `objective(theta)` returns list(value, gradient) for the full vector; a failure (a factor that
#' breaks down, a value that is not finite) counts as infinitely bad. The answer is
#' list(theta, steps_ended): did the steps end before a maximum was found?
#' @noRd
maximise_theta <- function(objective, theta, free, steps, origin, range, step = log_step_limit) {
  last <- NULL
  evaluate <- function(part) {
    if (!is.null(last) && identical(last$part, part)) return(last)
    full <- replace(theta, free, part)
    # After a failure the search may try hyper-parameters that are not finite.
    at <- if (!anyNA(full)) tryCatch(objective(full), gpsieve_error_numerical = function(e) NULL)
    good <- !is.null(at) && is.finite(at$value) && all(is.finite(at$gradient))
    last <<- list(
      part = part, value = if (good) -at$value else Inf,
      gradient = if (good) -at$gradient[free] else numeric(sum(free))
    )
    last
  }
  start <- theta[free]
  step <- rep_len(step, length(theta))[free]
  range <- rep_len(range, length(theta))[free]
  found <- stats::nlminb(start, function(p) evaluate(p)$value, function(p) evaluate(p)$gradient,
    lower = pmax(start - step, origin[free] - range),
    upper = pmin(start + step, origin[free] + range),
    control = list(iter.max = steps, eval.max = 2 * steps)
  )
  list(theta = replace(theta, free, found$par), steps_ended = grepl("limit", found$message))
}

#' maximise_theta() in stages, each of which finds a better start for the next
#'
#' First the lengthscales of one kernel move together. From the isotropic rule (`ard = TRUE`) they
#' all start equal; their best common value is a far better place to start from than the rule: with
#' many columns the differences between them need more steps than there are. Then all
#' hyper-parameters but the periods move, to which the evidence is so sensitive that steps in all
#' directions together would be tiny. `groups` numbers the hyper-parameters, equal numbers for
#' lengthscales of one kernel.
#' @noRd
maximise_in_stages <- function(objective, theta, free, groups, steps, origin, range,
                               step = log_step_limit) {
  if (starts_isotropic(theta, free, groups)) {
    first <- match(unique(groups), groups)
    members <- match(groups, unique(groups))
    tied <- function(common) {
      at <- objective(common[members])
      at$gradient <- as.vector(rowsum(at$gradient, members))
      at
    }
    theta <- maximise_theta(
      tied, theta[first], free[first], steps, origin[first], range, step
    )$theta[members]
  }
  others <- free & !grepl("(^|[.])period$", names(origin))
  if (any(others) && !identical(others, free)) {
    theta <- maximise_theta(objective, theta, others, steps, origin, range, step)$theta
  }
  maximise_theta(objective, theta, free, steps, origin, range, step)$theta
}

starts_isotropic <- function(theta, free, groups) {
  several <- duplicated(groups) | duplicated(groups, fromLast = TRUE)
  any(several & free) && all(theta == theta[match(groups, groups)])
}

#' Equal numbers for the lengthscales of one kernel, a number of its own for every other
#' hyper-parameter
#' @noRd
theta_groups <- function(kernel, likelihood) {
  of_kernel <- unlist(lapply(seq_along(leaves <- kernel_leaves(kernel)), function(i) {
    values <- leaves[[i]]$kernel$values[hyper_names(leaves[[i]]$kernel)]
    rep(sprintf("%d %s", i, names(values)), lengths(values))
  }))
  groups <- c(of_kernel, names(likelihood_theta(likelihood)))
  match(groups, unique(groups))
}
