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

# Hyper-parameters may move this far on the log scale in one round: beyond it the sites or the
# active set that an objective holds fixed mean nothing any more.
log_step_limit <- 3
# And this far in all. Where the data do not bound a hyper-parameter (the variance when classes are
# separable) the evidence is flat out there, and a factor of 1000 is as good as infinity.
log_range <- log(1000)

#' Maximises value(theta) over the free entries of theta, a few quasi-Newton steps (PORT), within
#' `step` of theta and `range` of where learning began
#'
#' `objective(theta)` returns list(value, gradient) for the full vector; a failure (a factor that
#' breaks down, a value that is not finite) counts as infinitely bad.
#' @noRd
maximise_theta <- function(objective, theta, free, steps, origin = theta,
                           step = log_step_limit, range = log_range) {
  last <- NULL
  evaluate <- function(part) {
    if (!is.null(last) && identical(last$part, part)) return(last)
    full <- replace(theta, free, part)
    at <- tryCatch(objective(full), gpsieve_error_numerical = function(e) NULL)
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
  replace(theta, free, found$par)
}
