# The machines of an online fit, the rows of its first call and those of later calls.
#
# A numeric response and a factor of two levels have one machine. A factor with more levels has one
# machine for each level that some row had so far, and one more for all levels without a row: the
# label of every row is -1 for each of these levels, so that their machines would be equal. A level
# whose first row comes later starts with a copy of that machine. While rows of only two levels have
# come the fit is binary: its latent function is the machine of the second level, and that of the
# first is kept.

# The classes of the machines, where NA stands for all levels without a row; NULL for numbers and
# ordered classes
machine_classes <- function(response) {
  if (!response$kind %in% c("binary", "multiclass")) return(NULL)
  if (length(response$levels) == 2L) return(response$levels[2L])
  c(response$present, if (length(response$present) < length(response$levels)) NA)
}

# The indices of the machines that are the latent functions of the fit
latent_machines <- function(response, classes) {
  switch(response$kind,
    binary = match(response$present[2L], classes),
    multiclass = match(response$present, classes),
    1L)
}

# n x machines: each class (+1) against the rest (-1)
machine_labels <- function(y, classes) {
  2 * outer(as.character(y), classes, function(y, class) !is.na(class) & y == class) - 1
}

# The rows of a first fit, for machines without any row.
# `visits` are the rows in the order of visits, where a row of weight w stands w times.
new_stream <- function(problem, y, settings, visits = seq_len(nrow(problem$x))) {
  classes <- machine_classes(problem$response)
  labels <-
    if (is.null(classes)) problem$y
    else machine_labels(canonical_response(y), classes)
  repeats <- length(visits) > nrow(problem$x)
  list(
    problem = problem, x = if (repeats) problem$x[visits, , drop = FALSE] else problem$x,
    rows = data_rows(problem, visits), first_visits = if (repeats) match(unique(visits), visits),
    classes = classes, y = if (repeats) labels[visits, , drop = FALSE] else labels,
    offset = part_of_cases(problem$cases, visits)$offset,
    noise = noise_variances(problem)[visits],
    cases = cases_of_fit(problem, settings$sweeps > 1 && settings$sweep_type == "ep"),
    counted = max(length(visits), nrow(problem$x)),
    prior_mean = latent_prior_means(problem)[1L], states = list(), n = nrow(problem$x),
    kind = if (settings$sweeps > 1 && settings$sweep_type == "ep") "ep" else "online"
  )
}

# New rows for the machines of a fit. The basis points of the fit come before the new rows, because
# the states of the machines refer to them by their positions.
later_stream <- function(fit, problem, y) {
  response <- fit$response
  if (response$kind %in% c("binary", "multiclass")) {
    response$present <- response$levels[response$levels %in% c(response$present, as.character(y))]
    if (length(response$present) > 2L) response$kind <- "multiclass"
    problem$response <- response
  }
  classes <- machine_classes(response)
  # A row that is a basis point of several machines is one point.
  hidden <- fit$state$hidden
  held <- !hidden$rows %in% fit$rows
  rows <- nrow(problem$x)
  list(
    problem = problem,
    x = rbind(fit$basis, hidden$points[held, , drop = FALSE], problem$x),
    rows = c(fit$rows, hidden$rows[held], fit$n + seq_len(rows)), classes = classes,
    y = if (is.null(classes)) problem$y else machine_labels(y, classes),
    offset = problem$cases$offset, cases = later_cases(fit, rows),
    counted = fit$evidence$rows + rows, prior_mean = fit$posteriors[[1L]]$prior_mean,
    states = machine_states(fit, classes),
    n = fit$n + rows, kind = "online"
  )
}

# What a fit knows about its rows after `rows` more of weight 1
later_cases <- function(fit, rows) {
  cases <- fit$cases
  cases$weights <- NULL
  if (!is.null(cases$total)) cases$total <- cases$total + rows
  cases
}

# The parts of a machine's state that are also parts of its posterior, where the fit stores them.
machine_part <- c("basis", "weights", "form", "whitening")

# The state of the machine of every class. A level whose first row is among the new rows starts with
# the state of the machine for the levels without a row.
machine_states <- function(fit, classes) {
  states <- Map(function(posterior, machine) c(posterior[machine_part], machine),
    unname(fit$posteriors), fit$state$machines)
  rows <- union(fit$rows, fit$state$hidden$rows)
  hidden <- lapply(fit$state$hidden$machines, function(machine) {
    machine$basis <- match(fit$state$hidden$rows, rows)[machine$basis]
    machine
  })
  states <- c(states, hidden)
  if (is.null(classes)) return(states)
  from <- match(classes, fit$state$classes)
  from[is.na(from)] <- match(NA, fit$state$classes)
  states[from]
}

# The fit made from the result of the core
online_fit <- function(stream, result, settings) {
  latent <- latent_machines(stream$problem$response, stream$classes)
  hidden <- setdiff(seq_along(result$states), latent)
  latents <- lapply(result$fit$latents, function(one) {
    one$site_rows <- stream$rows[one$site_rows]
    if (length(one$cavity_mean) && !is.null(stream$first_visits)) {
      one[c("cavity_mean", "cavity_variance")] <-
        lapply(one[c("cavity_mean", "cavity_variance")], `[`, stream$first_visits)
    }
    one
  })
  result$fit$latents <- latents[latent]
  result$fit$points <- stream$x
  assemble_fit("online_gp", stream$problem, result$fit, settings,
    new_labels("Online Gaussian process", "basis points", online_method(settings)),
    account_of_evidence(stream$problem, stream$kind, stream$counted, log_shares = 0),
    rows = stream$rows, n = stream$n, cases = stream$cases, keep_loo = stream$kind == "ep",
    state = list(
      # In the order of the states: those of the latent functions, then the hidden ones.
      classes = stream$classes[c(latent, hidden)], machines = result$states[latent],
      hidden = hidden_machines(latents[hidden], result$states[hidden], stream)
    ))
}

# The machines that are not latent functions of the fit, with the basis points that they use
hidden_machines <- function(latents, states, stream) {
  used <- unique(unlist(lapply(latents, function(latent) latent$posterior$basis)))
  machines <- Map(function(latent, state) {
    posterior <- latent$posterior[machine_part]
    posterior$basis <- match(posterior$basis, used)
    c(posterior, state)
  }, latents, states)
  list(
    points = without_names(stream$x[used, , drop = FALSE]), rows = stream$rows[used],
    machines = machines
  )
}

online_method <- function(settings) {
  if (settings$sweeps > 1) {
    return(sprintf("%d sweeps of %s", as.integer(settings$sweeps), toupper(settings$sweep_type)))
  }
  every <- settings$control$learn_every
  forget <- settings$control$forget
  said <- c(
    if (!is.null(every)) paste("learns every", in_thousands(every), "rows"),
    if (!is.null(forget)) paste("forgets half in", in_thousands(forget))
  )
  if (length(said)) toString(said)
}
