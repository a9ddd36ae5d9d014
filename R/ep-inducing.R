# Initial inducing inputs, on the scale on which the core computes.

# Selection and clustering use a random subset of at most this many rows, or of five rows for each
# inducing input where that is more.
inducing_rows <- 5000

starting_inducing <- function(problem, settings) {
  wanted <- settings$inducing
  if (is.matrix(wanted)) return(without_names(apply_scales(wanted, problem$inputs)))
  n <- nrow(problem$y)
  m <- min(wanted, n)
  rows <- draw(n, min(n, max(inducing_rows, 5 * m)), problem$seed)
  sample <- problem
  sample$x <- scaled_rows(problem, rows)
  sample$y <- responses_of(problem, machine_order(problem))[rows, , drop = FALSE]
  sample$cases <- part_of_cases(problem$cases, rows)
  without_names(switch(settings$inducing_init,
    ivm = sample$x[informative_rows(sample, m), , drop = FALSE],
    kmeans = kmeans_centres(sample$x, m, problem$seed, level_places(problem$inputs)),
    random = sample$x[draw(nrow(sample$x), m, problem$seed), , drop = FALSE]))
}

# The m rows that informative vector machines select first, one machine for each latent function
informative_rows <- function(problem, m) {
  n <- nrow(problem$x)
  each <- min(n, ceiling(m / n_latents(problem)))
  options <- ivm_options(problem, each, "entropy", 0L, control_ivm())
  latents <- run_ivm(problem, options)$latents
  chosen <- lapply(latents, function(l) l$posterior$basis)
  # First choices of all machines, then second choices, and so on.
  chosen <- unlist(chosen)[order(unlist(lapply(chosen, seq_along)))]
  # A machine stops early when no further row would change its posterior; rows drawn at random then
  # make up the number.
  utils::head(unique(c(chosen, draw(n, n, problem$seed, sorted = FALSE))), m)
}

# Whether inducing inputs move before the kernel is learned: those that the package has chosen,
# where they are fewer than the rows
moves_beforehand <- function(problem, settings, inducing) {
  learns_in_stages(settings) && !is.matrix(settings$inducing) && nrow(inducing) < problem$n &&
    learning_passes(settings, problem$n)$moving > 0 && has_input_gradient(problem)
}

# The inducing inputs after passes of learning in which the hyper-parameters stay as they are.
# A source has so few rows that its sample in memory holds all of them.
moved_inducing <- function(problem, inducing, settings, joint) {
  problem["rows"] <- list(NULL)
  settings$epochs <- learning_passes(settings, problem$n)$moving
  settings$learn_inducing <- TRUE
  options <- ep_options(problem, settings, learns = TRUE, joint)
  options$learning$free[] <- FALSE
  bar <- progress_bar(problem$verbose, "Moving inducing inputs")
  call_core(core_fit_ep, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood),
    ep_data(problem, problem[c("raw", "y", "cases")]), inducing, options, no_checkpoints,
    problem$seed, core_settings(problem$threads, bar))$points
}
