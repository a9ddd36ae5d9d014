# Hyper-parameters as one vector: log scale, kernel first, then likelihood; and their learning.

# The hyper-parameters of a kernel and a likelihood on their natural scale
natural_values <- function(kernel, likelihood, columns = NULL) {
  c(kernel_vector(kernel, columns, function(name, value) value),
    hyper_vector(hyper_values(likelihood)))
}

theta_free <- function(kernel, likelihood) c(kernel_free(kernel), likelihood_free(likelihood))

# The kernel and likelihood that a full vector of log hyper-parameters describes
set_theta <- function(kernel, likelihood, theta) {
  k <- count_hyper(kernel)
  list(
    kernel = kernel_set_theta(kernel, theta[seq_len(k)]),
    likelihood = likelihood_set_theta(likelihood, theta[seq_len(length(theta) - k) + k])
  )
}

# Hyper-parameters may move this far on the log scale in one round: the sites or the active
# set that the objective holds fixed are wrong for hyper-parameters that are farther away.
log_step_limit <- 3

# A search ends where it expects to gain less than 10^-7 of the evidence, or where its steps become
# shorter than 10^-3 of the log hyper-parameters. Approximate inference that starts from the result
# at the last hyper-parameters makes the evidence rough on a smaller scale.
search_tolerances <- list(rel.tol = 1e-7, x.tol = 1e-3, xf.tol = 1e-3)

# Maximises value(theta) over the free entries of theta, a few quasi-Newton steps (PORT), within
# `step` of theta and `range` of where learning began (`origin`), all on the log scale.
# `objective(theta)` returns list(value, gradient) for the full vector; a failure (a factor that
# breaks down, a value that is not finite) counts as infinitely bad. The answer is
# list(theta, steps_ended): did the steps end before a maximum was found?
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
    control = c(list(iter.max = steps, eval.max = 2 * steps), search_tolerances))
  list(theta = replace(theta, free, found$par), steps_ended = grepl("limit", found$message))
}

# How far a search may move the logarithm of a hyper-parameter from where it starts: by a factor of
# 1000, up or down. The evidence of data that say nothing about it may rise without end.
search_range <- log(1000)

# Where and how far a search for hyper-parameters goes: list(free, groups, origin, range, steps,
# prior), the range on the log scale
new_search <- function(problem, control) {
  list(
    free = theta_free(problem$kernel, problem$likelihood),
    groups = theta_groups(problem$kernel, problem$likelihood),
    origin = theta_of(problem$kernel, problem$likelihood), range = search_range,
    steps = control$steps, prior = hyper_prior(problem, control$prior)
  )
}

# maximise_theta() in stages, each of which finds a better start for the next.
# First the lengthscales of one kernel move together. From the isotropic rule (`ard = TRUE`) they
# all start equal; their best common value is a far better place to start from than the rule: with
# many columns the differences between them need more steps than there are. Then all
# hyper-parameters but the periods move, to which the evidence is so sensitive that steps in all
# directions together would be tiny.
maximise_in_stages <- function(objective, theta, search, step = log_step_limit) {
  if (starts_isotropic(theta, search$free, search$groups)) {
    theta <- maximise_common(objective, theta, search, step)
  }
  others <- search$free & !grepl("(^|[.])period$", names(search$origin))
  if (any(others) && !identical(others, search$free)) {
    theta <- maximise_theta(objective, theta, others, search$steps, search$origin, search$range,
      step)$theta
  }
  maximise_theta(objective, theta, search$free, search$steps, search$origin, search$range,
    step)$theta
}

# The maximum over hyper-parameters where the lengthscales of one kernel have one common value
maximise_common <- function(objective, theta, search, step) {
  first <- match(unique(search$groups), search$groups)
  members <- match(search$groups, unique(search$groups))
  tied <- function(common) {
    at <- objective(common[members])
    at$gradient <- as.vector(rowsum(at$gradient, members))
    at
  }
  maximise_theta(tied, theta[first], search$free[first], search$steps, search$origin[first],
    search$range, step)$theta[members]
}

starts_isotropic <- function(theta, free, groups) {
  several <- duplicated(groups) | duplicated(groups, fromLast = TRUE)
  any(several & free) && all(theta == theta[match(groups, groups)])
}

# Numbers of the hyper-parameters: equal ones for the lengthscales of one kernel, a number of its
# own for every other
theta_groups <- function(kernel, likelihood) {
  of_kernel <- unlist(lapply(seq_along(leaves <- kernel_leaves(kernel)), function(i) {
    values <- leaves[[i]]$kernel$values[hyper_names(leaves[[i]]$kernel)]
    groups <- rep(sprintf("%d %s", i, names(values)), lengths(values))
    if (is_input_map(leaves[[i]]$kernel)) make.unique(groups) else groups
  }))
  groups <- c(of_kernel, names(likelihood_theta(likelihood)))
  match(groups, unique(groups))
}

#' @rdname accessors
#' @export
evidence <- function(fit, gradient = FALSE, ...) {
  check_fit(fit)
  gradient <- check_flag(gradient)
  from_fit(c(
    list(
      value = fit$evidence$value - response_log_scale(fit),
      kind = fit$evidence$kind,
      gradient = if (gradient) evidence_gradient(fit)
    ),
    if (gradient && length(fit$state$inducing_gradient)) {
      list(inducing = sweep(fit$state$inducing_gradient, 2L, fit$inputs$scale, "/"))
    }
  ))
}

# log |dy / dy_standardised| summed over the responses that the evidence counts
response_log_scale <- function(fit) {
  if (fit$response$kind != "real") return(0)
  # A censored response has a probability, which does not depend on the scale.
  known <- if (is.null(fit$response$known)) 1 else fit$response$known
  known * fit$evidence$rows * log(fit$response$scale)
}

evidence_gradient <- function(fit) UseMethod("evidence_gradient")
