# The step likelihood, lik_probit(noise = 0): the class is the sign of the latent function.

is_step <- function(likelihood) {
  identical(likelihood$type, "probit") && isTRUE(likelihood$values$noise == 0)
}

# The step has integrals over a Gaussian function but no derivatives: models that need more than
# the integrals, or of which this is not known, refuse it
check_step <- function(likelihood, takes_step) {
  if (takes_step || !is_step(likelihood)) return(invisible())
  abort_gpsieve("{.code lik_probit(noise = 0)} needs {.fn online_gp}, or {.fn meanfield_gp} with
      {.val tap} or {.val naive}.", "Found another model or {.arg method}, {.arg blocks} to learn
      on, or hyper-parameters that follow a stream.",
    "A small noise goes with all models.",
    class = "unsupported")
}

# No function has two classes at the same inputs; rows of the same class there have been merged
check_one_class_a_point <- function(problem) {
  if (!is_step(problem$likelihood) || has_white_noise(problem$kernel)) return(invisible())
  n <- nrow(problem$x)
  offset <- problem$cases$offset
  first <- first_equal_row(list(x = problem$x, y = integer(n), offset = if (length(offset)) offset))
  other <- which(first != seq_len(n))
  if (!length(other)) return(invisible())
  abort_gpsieve("Without noise rows with the same inputs must have the same class.",
    "Found {length(other)} row{?s} whose inputs another row has, with another class.",
    "{.fn lik_probit} with noise, or a {.fn kernel_white} in the kernel, allows both.",
    class = "data")
}
