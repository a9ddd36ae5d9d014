# More rows than n x n matrices suit: the exact mean by conjugate gradients, for other likelihoods
# than Gaussian noise that of the sites of TAP mean field, variances by near rows and inducing rows
# (src/core/exact/theory.md).
#
# The fit keeps the factors that variances need, about n (L / 2 + m) numbers for leaves of L rows
# and m inducing rows, in posterior$local. Made anew they would cost as much as half of the fit at
# the first prediction of every session.

meanfield_solvers <- c("auto", "cholesky", "iterative")

# Rows of a leaf, and inducing rows. With the kernels that gpsieve() learned, 9,600 rows of 26
# columns needed 51 steps (tol = 1e-5) with 1000 and 1000, 45 with leaves of 2000 and 35 with 2000
# inducing rows: the larger factors cost what the steps save, and a fit keeps them.
exact_leaf_rows <- 1000
exact_inducing <- 1000
# Probes of the log determinant. Their products share the kernel values of the weights' products.
exact_probes <- 10L
# The weights' relative residual. Predictions were off by at most seven times as much.
exact_tol <- 1e-5
# Products with the kernel matrix for one of the rounds that `max_iter` counts.
exact_steps_of_round <- 10
# From so many rows on conjugate gradients are cheaper than a factor and its inverse.
exact_rows <- 8000
# Rounds in which the sites of other likelihoods are found end when the moments of the sites differ
# from those of the likelihoods by so many times the tolerance of the weights, in units of the
# posterior standard deviation: the variances of near rows and inducing rows are no more accurate.
exact_site_tols <- 100
# Where the noise is a smaller share of the prior variance, conjugate gradients take very many
# steps.
exact_noise <- 1e-6

# Can this problem be solved without n x n matrices? A text that says why not, or NULL
why_not_iterative <- function(problem, method) {
  gaussian <- has_gaussian_sites(problem$likelihood)
  if (n_latents(problem) > 1L) {
    paste("Found", n_latents(problem), "classes, each of which has a latent function.")
  } else if (!gaussian && method != "tap") {
    paste0("Found {.code method = \"", method, "\"}.")
  } else if (is_noiseless(problem$likelihood)) {
    "{.code lik_probit(noise = 0)} has no derivatives."
  } else if (is_sparse(problem$x)) {
    "The inputs are sparse, and trees of cuts divide dense ones."
  }
}

# Refuses `solver = "iterative"` where it has no meaning, before any work
check_meanfield_solver <- function(problem, method, control) {
  reason <- why_not_iterative(problem, method)
  if (control$solver != "iterative" || is.null(reason)) return(invisible())
  abort_gpsieve(
    "{.code solver = \"iterative\"} is for one latent function of dense inputs, with
     {.code method = \"tap\"} or Gaussian noise.", reason,
    "{.code solver = \"cholesky\"} takes all of them.",
    class = "unsupported"
  )
}

# The solver of a problem: "cholesky" or "iterative". Workers can share the products of conjugate
# gradients, but no factor.
meanfield_solver <- function(problem, method, control, cluster = NULL) {
  if (control$solver != "auto") return(control$solver)
  if (!is.null(why_not_iterative(problem, method))) return("cholesky")
  if (!is.null(cluster)) return("iterative")
  if (!fits_in_memory(dense_need(problem))) return("iterative")
  if (nrow(problem$x) >= exact_rows && has_enough_noise(problem)) "iterative" else "cholesky"
}

# Is Gaussian noise large enough for conjugate gradients? The precisions of other sites are bounded
has_enough_noise <- function(problem) {
  if (!has_gaussian_sites(problem$likelihood)) return(TRUE)
  prior <- kernel_rates(problem$kernel, ncol(problem$x))$variance
  problem$likelihood$values$variance >= exact_noise * prior
}

# Stops where neither solver that may be taken has enough memory
check_solver_memory <- function(problem, method, control) {
  dense <- control$solver == "cholesky" || !is.null(why_not_iterative(problem, method))
  if (!dense && control$solver == "auto") {
    need <- dense_need(problem)
    if (fits_in_memory(need)) return(invisible())
    dense <- need <= iterative_need(problem)
  }
  if (dense) return(check_meanfield_memory(problem))
  check_memory(iterative_need(problem),
    "each row keeps a number for every inducing row and every row of its leaf",
    "{.fn ivm} and {.fn ep_gp} need less for many rows.")
}

# The factors of leaves of these sizes and of the inducing rows, in the core and in the fit, and
# the vectors of conjugate gradients with the terms of a product that are summed at the same time
iterative_need <- function(problem, sizes = NULL) {
  n <- as.double(nrow(problem$x))
  if (is.null(sizes)) sizes <- rep(min(n, exact_leaf_rows), ceiling(n / exact_leaf_rows))
  m <- min(n, exact_inducing)
  2 * doubles(nrow(problem$x), ncol(problem$x)) + 8 * 1.5 * sum(sizes^2) + 2 * doubles(n, m) +
    4 * doubles(m, m) + doubles(n, 13 * (1 + exact_probes))
}

# Bytes that blocks of the kernel matrix may take: half of what is left
kept_block_bytes <- function(need) {
  left <- memory_limit()$bytes - need
  if (is.finite(left)) max(0, left / 2) else 1e9
}

# The fit of the core by conjugate gradients, in the form of core_fit_meanfield()
run_iteratively <- function(problem, control, progress = NULL, cluster = NULL, threads = NULL) {
  parts <- partition_rows(problem, plan_partition(problem, exact_leaf_rows, 1L, 0))
  need <- iterative_need(problem, parts$rows)
  check_memory(need, "{length(parts$rows)} leaves keep a matrix of their rows each",
    "{.fn ivm} and {.fn ep_gp} need less for many rows.")
  rows <- core_rows(problem, latent_prior_means(problem))
  products <- shared_products(problem, rows, kept_block_bytes(need), cluster, threads)
  on.exit(products$close())
  options <- list(
    tree = parts$trees[[1L]], inducing = exact_inducing, seed = problem$seed,
    max_bytes = kept_block_bytes(need), probes = exact_probes, tol = iterative_tol(control),
    max_steps = as.integer(min(exact_steps_of_round * control$max_iter, .Machine$integer.max)),
    max_rounds = as.integer(control$max_iter), site_tol = exact_site_tols * iterative_tol(control),
    ask = products$ask
  )
  found <- call_core(core_fit_iteratively, kernel_spec(problem$kernel),
    likelihood_spec(problem$likelihood), rows, options, core_settings(problem$threads, progress))
  found$corrected <- found$latents[[1L]]$log_evidence
  found$solver <- "iterative"
  found
}

iterative_tol <- function(control) if (is.null(control$tol)) exact_tol else control$tol

# The fit by the solver that suits the problem; where conjugate gradients chosen by "auto" do not
# converge and a factor has room, by the factor
run_solver <- function(problem, options, control, cluster, threads) {
  bar <- progress_bar(problem$verbose, "Mean field")
  if (meanfield_solver(problem, options$method, control, cluster) == "iterative") {
    found <- run_iteratively(problem, control, bar, cluster, threads)
    if (found$converged || control$solver == "iterative" || !fits_in_memory(dense_need(problem))) {
      return(found)
    }
  }
  if (n_latents(problem) == 1L) cluster <- NULL
  run_machines(run_meanfield, problem, options, bar, cluster, threads)
}

# What the summary of a fit by conjugate gradients says of them, and the marginals at the training
# rows, without their offsets as latent_marginals() has them, until with_training_rows() has kept or
# dropped them
solver_state <- function(problem, result) {
  if (is.null(result$solver)) return(NULL)
  c(if (result$rounds > 0L) list(rounds = result$rounds), list(
    steps = result$steps, residual = result$residual, evidence_error = result$standard_error,
    # With noise of the kernel's own, f at a new row with the inputs of a training row is another.
    marginals = if (!has_white_noise(problem$kernel)) {
      at_rows <- function(values) cbind(for_given_rows(problem, values))
      list(mean = at_rows(result$mean - offsets_of_rows(problem)),
        variance = at_rows(result$variance))
    }
  ))
}
