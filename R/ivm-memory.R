# The memory that an informative vector machine and its parts need.

# A machine that selects its active set holds d rows of n numbers, a finished one d x d factors.
# The rows of the search over all data are copied when the selection goes on by an index, and
# their memory, which is freed in parts, may stay with the process. Machines of several classes
# share kernel columns of a quarter of the active set. `sizes` are the numbers of rows of the
# leaves of a partition, whose inputs are copied leaf by leaf, or the number of all rows. A fit
# keeps two triangles for each machine; the core holds their squares for the machines of one call.
check_ivm_memory <- function(problem, n_active, criterion, control, sizes, together = FALSE) {
  s <- problem_sizes(problem)
  full <- if (criterion == "random") 0 else control$n_random + control$n_full
  largest <- max(sizes)
  machines <- if (together) s$latents else min(problem$threads, max(s$latents, length(sizes)))
  in_core <- min(length(sizes), waiting_leaves * problem$threads)
  # The rows of the parts that are read at once, and those of the window that is routed.
  read <- 6 * (doubles(in_core * largest, s$p) +
    max(8 * routed_numbers, doubles(usual_window, s$p))) * !is.null(problem$rows)
  need <- function(d) {
    copied <- if (full < d) full else 0
    shared <- if (s$latents > 1) d / 4 else 0
    active <- pmin(d, sizes)
    s$inputs + read + machines * doubles(largest, d + copied + 6) + doubles(largest, shared) +
      s$latents * (8 * sum(active^2) + in_core * 2 * doubles(d, d) + doubles(sum(active), s$p))
  }
  check_memory(need(n_active),
    if (length(sizes) == 1L) "the selection keeps {.arg n_active} numbers for each row"
    else "each of {length(sizes)} leaves keeps matrices of {.arg n_active} rows and columns",
    fitting_hint("n_active", n_active, need,
      "{.fn ep_gp} needs memory for its inducing inputs only."))
}

# A leaf in which every row takes part holds one matrix of its rows and columns with Gaussian
# noise, otherwise its kernel matrix and another for each class at work; what is kept of it is in
# the core and in R for a while
check_exact_leaves_memory <- function(problem, sizes) {
  s <- problem_sizes(problem)
  exact <- has_gaussian_sites(problem$likelihood)
  at_work <- min(length(sizes), problem$threads)
  kept <- s$latents * 8 * sum(as.double(sizes)^2) / 2
  matrices <- at_work * (if (exact) 1 else 1 + s$machines)
  need <- s$inputs + matrices * doubles(max(sizes), max(sizes)) +
    s$latents * 4 * 8 * sum(sizes) + doubles(sum(sizes), s$p) +
    (if (kept <= factor_bytes()) 3 * kept else 0)
  check_memory(need, "each leaf has a matrix of its rows and columns",
    "A smaller {.arg leaf_rows}, or {.arg n_active} points in each leaf, needs less.")
}
