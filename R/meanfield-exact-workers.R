# Products of conjugate gradients that the workers of a cluster share (meanfield-exact.R). Every
# worker holds the inputs of all rows. A product sends it the vectors, and it answers with what its
# slices of the kernel matrix give, which the core adds in an order that does not depend on who
# computed them.

# Refuses workers where nothing can be divided among them, before any work
check_meanfield_cluster <- function(cluster, problem, method, control) {
  check_cluster(cluster)
  if (is.null(cluster) || n_latents(problem) > 1L) return(invisible())
  reason <- why_not_iterative(problem, method)
  if (is.null(reason) && control$solver == "cholesky") {
    reason <- "Found {.code control_meanfield(solver = \"cholesky\")}, whose factor is not divided."
  }
  if (is.null(reason)) return(invisible())
  abort_gpsieve(
    "{.arg cluster} divides the machines of three or more classes, or the products of conjugate
     gradients, which are for dense inputs and {.code method = \"tap\"} or Gaussian noise.", reason,
    "{.fn ep_gp} and {.fn ivm} divide the rows of any likelihood.",
    class = "unsupported"
  )
}

# Products by the workers of a cluster: list(ask, close); without a cluster `ask` is NULL and the
# core computes them. `rows` are those of core_rows(); the workers together keep at most `max_bytes`
# of the kernel matrix; `threads` is the user's argument, without which a worker uses one.
shared_products <- function(problem, rows, max_bytes, cluster, threads) {
  if (is.null(cluster)) return(list(ask = NULL, close = function() NULL))
  held <- list2env(list(
    kernel = kernel_spec(problem$kernel), likelihood = likelihood_spec(problem$likelihood),
    rows = rows, max_bytes = max_bytes, threads = if (is.null(threads)) 1L else problem$threads
  ))
  workers <- holding_workers(cluster, held, share_of_product,
    "The other products are computed in this process.")
  ask <- function(p) {
    shares <- workers$width()
    tasks <- lapply(seq_len(shares), function(share) list(p = p, share = share, shares = shares))
    unlist(workers$many(tasks), recursive = FALSE)
  }
  list(ask = ask, close = workers$close)
}

# What a worker does with the vectors p: the terms of its share of the product. The worker makes
# the share once, and again when the shares have changed because another worker has died.
share_of_product <- function(held, task) {
  settings <- core_settings(held$threads)
  wanted <- c(task$share, task$shares)
  if (!identical(held$wanted, wanted)) {
    held$share <- NULL
    held$share <- call_core(core_product_share, held$kernel, held$likelihood, held$rows,
      held$max_bytes / task$shares, task$share, task$shares, settings)
    held$wanted <- wanted
  }
  call_core(core_share_of_product, held$share, task$p, settings)
}
