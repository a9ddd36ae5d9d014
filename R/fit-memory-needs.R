# The number of bytes of the large arrays of each model, for n rows, p inputs and K latent
# functions. As many of the K machines are fitted at the same time as there are threads. In addition
# to the arrays of the model, each fit holds one scaled copy of the inputs.

# n, p, K, the number of machines that run at once, and the bytes of the scaled inputs
problem_sizes <- function(problem) {
  n <- as.double(problem$n)
  p <- length(problem$inputs$center)
  latents <- n_latents(problem)
  # Of a source, the rows of the sample and of a window are held.
  inputs <- doubles(min(n, if (is.null(problem$rows)) Inf else 2 * sample_size), p)
  held <- if (is.null(problem$raw)) problem$x else problem$raw
  if (is_sparse(held)) {
    # A number and its column, here, joined with other rows, and in the core.
    inputs <- 3 * 12 * length(held$value)
    p <- 1.5 * ceiling(length(held$value) / n)
  }
  list(n = n, p = p, latents = latents, machines = min(problem$threads, latents), inputs = inputs)
}

# The sizes of the leaves of trees whose cuts are all even; of one machine for all rows without
# `leaf_rows`
even_leaves <- function(n, leaf_rows, trees, overlap) {
  if (is.null(leaf_rows) || n <= leaf_rows) return(n)
  halves <- ceiling(log2(n / leaf_rows))
  rep(ceiling(n * (1 + overlap) / 2^halves), trees * 2^halves)
}

# Bytes up to which the core keeps K_uf of all rows; of a larger one it computes a part at a time.
most_kernel_columns <- 8 * 2^25

# About eight m x m matrices for each latent function, K_uf of all rows if the core keeps it, and
# for `method = "ep"` the site of each row; with minibatches a site is stored with the m numbers of
# the direction in which it acts
check_ep_memory <- function(problem, settings) {
  s <- problem_sizes(problem)
  # A number of inducing inputs larger than that of the rows means all rows.
  inducing <-
    if (is.matrix(settings$inducing)) nrow(settings$inducing) else min(settings$inducing, s$n)
  held <- window_rows(problem, settings$control)
  need <- function(m) {
    sites <- if (settings$method != "ep") 0 else if (is.null(settings$batch_size)) 2 else m + 2
    kernel_columns <- doubles(held, m)
    s$inputs + (8 * s$latents + 4) * doubles(m, m) +
      (if (kernel_columns <= most_kernel_columns) kernel_columns else 0) +
      s$latents * doubles(s$n, sites)
  }
  check_memory(need(inducing),
    "every latent function has several matrices of {.arg inducing} rows and columns",
    fitting_hint("inducing", inducing, need))
}

# An n x n matrix for each machine at work (the kernel matrix), and for each latent function one
# that is kept in the fit (a factor) and a half, since it is in the core and in R for a while
dense_need <- function(problem) {
  s <- problem_sizes(problem)
  s$inputs + (s$machines + 1.5 * s$latents) * doubles(s$n, s$n)
}

check_meanfield_memory <- function(problem) {
  check_memory(dense_need(problem),
    "a dense Gaussian process keeps matrices of n rows and n columns",
    "{.fn ivm}, {.fn ep_gp} and {.fn greedy_gp} need far less for many rows.")
}

# What the dense model needs from which ivm() learns: at most two machines, a kernel matrix, a
# factor and its inverse for each
check_ivm_learning_memory <- function(problem, learn_rows) {
  rows <- min(learn_rows, nrow(problem$y))
  need <- function(rows) 3 * min(2, n_latents(problem)) * doubles(rows, rows)
  check_memory(need(rows), "learning keeps matrices of the rows that it learns from",
    fitting_hint("learn_rows", rows, need))
}

# Seven B x B matrices for each machine with a budget of B: the three of the state, in the machine
# and in the fit, and one while a basis point is deleted, or where a call ends within a block of
# rows. Without a budget B is n if every row is kept. Otherwise B depends on the data and is not
# known before the fit, so that nothing is checked.
check_online_memory <- function(problem, budget, keeps_all, visits) {
  if (is.infinite(budget) && !keeps_all) return(invisible())
  s <- problem_sizes(problem)
  size <- min(budget, visits)
  need <- function(size) s$inputs + s$latents * 7 * doubles(size, size)
  check_memory(need(size),
    "the posterior is a matrix over the basis points, at most {.arg budget} of them",
    fitting_hint("budget", size, need))
}

# Bytes of the kernel columns of the candidates, and of sums over chunks of the rows, that the
# greedy search of one machine keeps at most: 2^22 numbers of each.
most_candidate_bytes <- 2 * 2^22 * 8

# One matrix with a number for each basis function and row, which grows by a tenth when it is full,
# and what the search keeps of its candidates
check_greedy_memory <- function(problem, n_basis) {
  s <- problem_sizes(problem)
  candidates <- s$machines * min(2 * doubles(s$n, s$n), most_candidate_bytes)
  need <- function(size) {
    s$inputs + candidates + 1.3 * s$machines * doubles(s$n, size) +
      s$latents * 3 * doubles(size, size)
  }
  check_memory(need(n_basis), "the search keeps a number for each row and basis function",
    fitting_hint("n_basis", n_basis, need))
}

# Numbers of a design matrix that the core stores; of a larger one it computes 64 columns at a time.
most_stored_design <- 2^26

# The n x M design matrix of the M candidate functions, if it is stored, and for the active
# functions of each machine six times as many columns: with room to grow, the old and the new ones
# while they grow, and an orthogonal basis of them where their Gram matrix is ill-conditioned. In
# batch EM all candidates are active. The other algorithms start with the empty model; a tenth of
# the candidates is taken as the number of functions that they add.
check_rvm_memory <- function(problem, algorithm) {
  s <- problem_sizes(problem)
  candidates <- if (nrow(problem$centres)) nrow(problem$centres) else s$n
  active <- if (algorithm == "em") candidates else ceiling(candidates / 10)
  stored <- if (s$n * candidates <= most_stored_design) candidates else 64
  need <- s$inputs + doubles(s$n, stored) +
    s$machines * (6 * doubles(s$n, active) + 3 * doubles(active, active))
  check_memory(need, "the design matrix has a column for each centre",
    paste(
      "{.arg basis} takes a number of centres, found by k-means;",
      if (algorithm == "em") "{.code algorithm = \"ssem\"} begins without functions."
      else "{.fn ivm} and {.fn ep_gp} need less for many rows."
    ))
}

# A value of an argument for which the memory would be enough, as a sentence for the error.
# `need` is the number of bytes as a function of the argument. Bisection finds the value, which is
# the largest one if `need` increases everywhere.
fitting_hint <- function(arg, asked, need, otherwise = NULL) {
  limit <- memory_limit()$bytes
  if (need(1) > limit) return(otherwise)
  fits <- 1
  too_many <- asked
  while (too_many - fits > max(1, fits / 50)) {
    middle <- floor((fits + too_many) / 2)
    if (need(middle) <= limit) fits <- middle else too_many <- middle
  }
  c(sprintf("{.code %s = %s} would fit.", arg, format(fits, scientific = FALSE)), otherwise)
}
