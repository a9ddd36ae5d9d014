# Calls of the compiled core. All calls of its C++ functions go through call_core(), which turns the
# typed errors of the core into classed R conditions that carry the user's call.

call_core <- function(fn, ...) {
  withCallingHandlers(
    if (has_sparse(list(...))) call_on_row_numbers(fn, list(...)) else fn(...),
    "C++Error" = function(e) rethrow_core_error(e)
  )
}

rethrow_core_error <- function(e) {
  kind <- sub("^gpsieve::", "", class(e)[1])
  said <- conditionMessage(e)
  switch(kind,
    NotPositiveDefinite = abort_gpsieve(
      "A covariance matrix could not be factored.",
      "{said}.",
      "Duplicated or nearly equal points, a very large variance or a very long lengthscale do this;
       adding a little {.code kernel_white()} or scaling the inputs helps.",
      class = "numerical"
    ),
    NumericalFailure = abort_gpsieve("The computation broke down.", "{said}.",
      "Check the scale of the inputs and of the kernel's hyper-parameters.", class = "numerical"),
    KernelFailure = abort_gpsieve("The kernel function does not return covariances.", "{said}.",
      "{.code fn(x, z)} must return the {.code nrow(x)} by {.code nrow(z)} matrix of finite numbers
       that is the transpose of {.code fn(z, x)}.",
      class = "kernel"),
    LikelihoodFailure = abort_gpsieve("A function of the likelihood gave no meaningful number.",
      "{said}.",
      "{.code log_density(y, f)} must return numbers below Inf, {.code quantile(p, f)} numbers and
       {.code derivatives(y, f)} finite numbers.",
      class = "likelihood"),
    InvalidSpec = abort_gpsieve("A part of the fit, kernel or likelihood has no meaning.",
      "{said}.", "The object is damaged: make it again.", class = "object"),
    # A part is missing or has another type.
    "Rcpp::index_out_of_bounds" = , "Rcpp::not_compatible" = abort_gpsieve(
      "A part of the fit, kernel or likelihood is missing or of another type.", "{said}.",
      "The object is damaged: make it again.", class = "object"),
    "std::bad_alloc" = abort_gpsieve("There is not enough memory for this call.",
      hint = "Fewer rows or fewer basis points need less: memory grows with their product.",
      class = "memory"),
    abort_gpsieve("The core stopped unexpectedly.", "{said}.", class = "internal"))
}

# The rows that a model is fitted to, as the core takes them (Problem in src/convert.h)
core_rows <- function(problem, prior_mean, x = problem$x, y = problem$y) {
  list(x = x, y = y, cases = problem$cases, prior_mean = prior_mean)
}

# What a computation is lent: threads and, where wanted, a progress bar; and which of the machines
# of a fit it begins with, the first of them being 0
core_settings <- function(threads, progress = NULL, first_machine = 0) {
  list(threads = as.integer(threads), progress = progress, first_machine = first_machine)
}

# A cli progress bar as the function(done, size) that the core calls; NULL when not wanted.
# cli shows the bar only once a fit has taken longer than its `show_after` (two seconds by default)
# and closes it when the frame `env` ends, however it ends.
progress_bar <- function(verbose, label, env = parent.frame()) {
  if (!verbose) return(NULL)
  # The last step must not close the bar: more reports may follow it.
  bar <- cli::cli_progress_bar(label, total = 1000, .envir = env, auto_terminate = FALSE,
    format = "{cli::pb_name}{cli::pb_bar} {cli::pb_percent} | ETA {cli::pb_eta}")
  function(done, size) {
    cli::cli_progress_update(set = round(1000 * min(done, 1)), id = bar, .envir = env)
    invisible()
  }
}
