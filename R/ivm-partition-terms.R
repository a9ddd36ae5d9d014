# Machines on parts of the rows with a tree for each term of the kernel: how they are fitted.

# The machines of all trees, each fitted to what the other trees leave: list(partition, result).
# What a tree says of a row without that row is the cavity of its function there: `said` has its
# mean and variance for each tree. `plan_of(problem)` plans the tree of a problem,
# `fit_tree(problem, leaves, before)` fits the machines of its leaves, of which `before` come
# before, and `check_memory_of(sizes)` stops where leaves of these sizes need too much memory.
fit_terms <- function(problem, plan_of, fit_tree, check_memory_of) {
  terms <- terms_of_trees(problem$kernel)
  problems <- lapply(terms, function(numbers) {
    problem$kernel <- sum_of_terms(problem$kernel, numbers)
    problem
  })
  partitions <- lapply(problems, function(own) partition_rows(own, plan_of(own)))
  check_memory_of(unlist(lapply(partitions, `[[`, "rows")))
  # The prior mean belongs to the first term.
  means <- c(ivm_prior_means(problem), numeric(length(terms) - 1L))
  said <- lapply(problems, term_before_fit)
  results <- list()
  fitted <- 0L
  for (tree in rep(seq_along(terms), rounds_of_terms)) {
    problems[[tree]]$prior_means <- means[tree]
    own <- given_other_terms(problems[[tree]], sum_of_moments(said[-tree]))
    visits <- partitions[[tree]]$visits
    results[[tree]] <- fit_tree(own, unname(split(visits$row, visits$machine)), fitted)
    fitted <- fitted + length(partitions[[tree]]$rows)
    cavity <- cavities_of_rows(results[[tree]]$latents, visits, own)[[1L]]
    said[[tree]] <- list(
      mean = cavity$cavity_mean - own$cases$offset, variance = cavity$cavity_variance
    )
  }
  without <- sum_of_moments(said)
  without$mean <- without$mean + offsets_of_rows(problem)
  list(
    result = join_machines(results),
    partition = list(
      trees = lapply(partitions, function(own) own$trees[[1L]]),
      rows = unlist(lapply(partitions, `[[`, "rows")), terms = terms, without = without,
      # The evidence is that of the last tree.
      counts = partitions[[length(terms)]]$counts
    )
  )
}
