# The machines of several classes, one against the rest, fitted by the workers of a cluster.
# Hyper-parameters are learned by the calling process before. Every machine has a stream of random
# numbers of its own, so that the fit has the same bits with any number of workers.

check_machine_cluster <- function(cluster, problem) {
  check_cluster(cluster)
  if (is.null(cluster) || n_latents(problem) > 1L) return(invisible())
  abort_gpsieve("{.arg cluster} divides the machines of three or more classes among workers.",
    "Found one machine.", "{.fn ep_gp} divides rows.", class = "unsupported")
}

# The machines of a problem in an order that does not depend on that of the class levels: by the
# number of rows of the class, those with equally many by its name
machine_order <- function(problem) {
  if (n_latents(problem) == 1L) return(1L)
  order(-positive_weights(problem), problem$response$present, method = "radix")
}

# What the core returns for all machines of a problem, as run(problem, options, progress) does.
# Machines are numbered in an order of their own, because each has a stream of random numbers by
# its number: the order of the class levels does not matter. `threads` is the user's argument;
# without it a worker uses one.
run_machines <- function(run, problem, options, progress, cluster, threads) {
  order <- machine_order(problem)
  problem$y <- responses_of(problem, order)
  in_given_order(run_ordered(run, problem, options, progress, cluster, threads), order(order))
}

# What the core returns once for each machine.
parts_of_machines <- c("latents", "corrected", "certificates")

in_given_order <- function(result, order) {
  each <- intersect(parts_of_machines, names(result))
  result[each] <- lapply(result[each], `[`, order)
  result
}

run_ordered <- function(run, problem, options, progress, cluster, threads) {
  if (is.null(cluster)) return(run(problem, options, progress))
  needed <- c(
    "kernel", "likelihood", "x", "y", "cases", "prior_mean", "centres", "response", "seed"
  )
  held <- problem[intersect(needed, names(problem))]
  held$molded <- problem$molded["merged"]
  held$threads <- if (is.null(threads)) 1L else problem$threads
  workers <- holding_workers(cluster, list(run = run, problem = held, options = options),
    fit_machine, "The other machines are fitted in this process.")
  on.exit(workers$close())
  done <- tryCatch(workers$many(seq_len(n_latents(problem))), gpsieve_error = blame_user)
  join_machines(done)
}

# What a worker does with the number of a machine
fit_machine <- function(held, machine) {
  problem <- held$problem
  problem$y <- responses_of(problem, machine)
  problem$first_machine <- machine - 1
  held$run(problem, held$options, NULL)
}

# The results of single machines as the core returns them together
join_machines <- function(results) {
  out <- results[[1L]]
  for (part in intersect(parts_of_machines, names(out))) {
    out[[part]] <- do.call(c, lapply(results, `[[`, part))
  }
  converged <- vapply(results, `[[`, NA, "converged")
  reasons <- vapply(results, `[[`, "", "reason")
  out$converged <- all(converged)
  telling <- if (out$converged) nzchar(reasons) else !converged
  out$reason <- if (any(telling)) reasons[telling][1L] else ""
  out
}

machine_settings <- function(problem, progress) {
  first <- problem$first_machine
  core_settings(problem$threads, progress, if (is.null(first)) 0 else first)
}
