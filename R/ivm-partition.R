# Fitting machines to the leaves of a partition, in the process or on a cluster. The rows are in
# memory here; those of a source are in R/ivm-partition-source.R.
#
# Leaves are numbered from the first tree's first one. The machines of a leaf are numbered as
# run_machines() numbers them, after those of the leaves before, which fixes their random numbers.

# The machines of a partition: list(problem, result, rows, partition), where `problem` has the
# hyper-parameters that were learned, and `rows` are the numbers of points that are no rows in
# memory. `check_memory_of(sizes)` stops where leaves of these sizes need too much memory.
fit_partition <- function(problem, settings, resume, seed, cluster, threads, check_memory_of) {
  control <- settings$control
  asked <- if (!is.null(resume) || !is.null(control$checkpoint)) {
    asked_for(problem, settings, fingerprint_of_rows(problem))
  }
  log <- leaf_log(control$checkpoint, resume, asked, seed)
  earlier <- problem$earlier
  learned <- c("seed", "kernel", "likelihood", "at_bound", "steps_ended")
  if (!is.null(log$begun)) {
    problem[learned] <- log$begun[learned]
  } else {
    if (!is.null(earlier)) {
      problem <- as_earlier(problem, earlier)
    } else if (settings$optimise) {
      problem <- learn_ivm(problem, settings$criterion, settings$refine, control)
    }
    log$begin(problem[learned])
  }
  of_terms <- identical(settings$trees, "terms")
  options <-
    if (has_exact_leaves(problem, settings)) {
      exact_leaf_options(problem, even_leaves(rows_to_divide(problem), settings$leaf_rows,
        count_trees(settings$trees, problem), control$overlap))
    } else {
      ivm_options(problem, settings$n_active, settings$criterion, settings$refine, control)
    }
  options$cavities <- of_terms
  plan_of <- function(problem) {
    trees <- if (of_terms) 1L else settings$trees
    plan_partition(problem, settings$leaf_rows, trees, control$overlap)
  }
  judged <- judged_rows(problem)
  found <-
    if (of_terms) {
      fit_terms(problem, plan_of, function(problem, leaves, before) {
        fit_leaves(problem, options, leaves, cluster, threads, log, NULL, before)$result
      }, check_memory_of)
    } else if (is.null(problem$rows)) {
      partition <- partition_rows(problem, plan_of(problem))
      check_memory_of(partition$rows)
      leaves <- unname(split(partition$visits$row, partition$visits$machine))
      fitted <- fit_leaves(problem, options, leaves, cluster, threads, log, judged)
      partition$hashes <- fitted$hashes
      list(partition = partition, result = fitted$result)
    } else {
      fit_source_leaves(problem, options, plan_of(problem), cluster, threads, log)
    }
  sample <-
    if (is.null(judged) || !is.null(problem$rows)) problem else some_rows(problem, judged)
  found$partition$judged <- sample
  if (of_terms) {
    found$partition$cavities <- cavities_of_terms(found$partition, judged)
  } else {
    found$partition$visits <- visits_of(found$partition$trees, sample$x,
      core_settings(problem$threads))
  }
  c(list(problem = problem), found)
}

# What the core returns for the machines of all leaves, as it does for machines of several classes,
# and what tells the rows of a leaf from others: list(result, hashes).
# `leaves` are the row numbers of each leaf, `log` is that of leaf_log(), `judged` which rows keep
# what their leaves say without them (NULL: all), `before` how many leaves were fitted before.
fit_leaves <- function(problem, options, leaves, cluster, threads, log, judged, before = 0L) {
  order <- machine_order(problem)
  ordered <- with_ordered_machines(problem, order)
  if (!is.null(judged)) ordered$is_judged <- seq_len(nrow(problem$y)) %in% judged
  fitter <- leaf_fitter(ordered, options, cluster, threads, log)
  on.exit(fitter$close())
  bar <- progress_bar(problem$verbose, "Informative vector machines")
  hashes <- vapply(leaves, function(rows) {
    hash_of_leaf(problem, rows, data_rows(problem, rows))
  }, "")
  if (!is.null(problem$earlier)) {
    log$known <- earlier_results(problem$earlier, hashes, problem, order)
  }
  results <- fit_open_leaves(fitter, ordered, leaves, before, log,
    function(result, rows) keep_judged(result, rows, judged),
    function(share, size) if (!is.null(bar)) bar(share, size))
  list(result = in_class_order(join_machines(results), order), hashes = hashes)
}

# The problem with its machines in the order in which they are numbered
with_ordered_machines <- function(problem, order) {
  problem$prior_means <- ivm_prior_means(problem)[order]
  problem$y <- responses_of(problem, order)
  problem
}

# The machines of every leaf in the order of the class levels
in_class_order <- function(result, order) {
  leaves <- length(result$latents) / length(order)
  before <- (seq_len(leaves) - 1L) * length(order)
  in_given_order(result, rep(before, each = length(order)) + order(order))
}

# The results of leaves, those of the log and those that are fitted now and added to it.
# `leaves` are positions of rows of `problem`, `before` is how many leaves come before these,
# `keep(result, rows)` what is kept of a result. `report(share, size)` hears how much is done.
fit_open_leaves <- function(fitter, problem, leaves, before, log, keep, report) {
  numbers <- before + seq_along(leaves)
  found <- vector("list", length(leaves))
  logged <- numbers <= length(log$leaves)
  found[logged] <- log$leaves[numbers[logged]]
  # Leaves of an earlier fit whose rows are the same.
  if (!is.null(log$known)) found[!logged] <- log$known[numbers[!logged]]
  known <- !vapply(found, is.null, NA)
  total <- sum(lengths(leaves))
  done <- sum(lengths(leaves[known]))
  for (group in groups_of_neighbours(which(!known), fitter$together)) {
    size <- sum(lengths(leaves[group]))
    within <- function(share, active) report((done + share * size) / total, active)
    results <- Map(keep, fitter$fit(problem, leaves[group], before + group[1L] - 1, within),
      leaves[group])
    for (result in results) log$add("leaf", result)
    found[group] <- results
    done <- done + size
  }
  found
}

# Numbers in increasing order as groups of at most `most` that follow each other without a gap
groups_of_neighbours <- function(numbers, most) {
  run <- cumsum(c(TRUE, diff(numbers) > 1L))[seq_along(numbers)]
  unlist(lapply(unname(split(numbers, run)), function(run) {
    unname(split(run, (seq_along(run) - 1L) %/% most))
  }), recursive = FALSE)
}

# What fits machines to leaves: fit(problem, leaves, before, report) returns a result for each of
# some consecutive leaves, `together` is how many of them it takes best, close().
# Without a cluster they are the tasks of the threads, in one call of the core, so that only their
# results are held twice; enough for the threads to be busy, or no more than are at work where each
# is logged. On a cluster each worker fits one leaf at a time.
leaf_fitter <- function(problem, options, cluster, threads, log) {
  waiting <- if (log$writes) 1L else waiting_leaves
  if (is.null(cluster)) {
    return(list(
      fit = function(problem, leaves, before, report) {
        fit_some_leaves(problem, options, leaves, before, report)
      },
      together = waiting * problem$threads, close = function() NULL
    ))
  }
  needed <- c("kernel", "likelihood", "prior_means", "seed")
  held <- problem[needed]
  held$threads <- if (is.null(threads)) 1L else problem$threads
  workers <- holding_workers(cluster, list(problem = held, options = options), fit_leaf,
    "The other leaves are fitted in this process.")
  list(
    fit = function(problem, leaves, before, report) {
      tasks <- Map(function(rows, number) {
        c(some_rows(problem, rows)[c("x", "y", "cases", "is_judged")], list(before = number))
      }, leaves, before + seq_along(leaves) - 1)
      done <- tryCatch(workers$many(tasks), gpsieve_error = blame_user)
      Map(name_rows, done, leaves)
    },
    together = waiting * length(cluster), close = workers$close
  )
}

# Leaves that wait for each thread or worker.
waiting_leaves <- 4L

# The fits of consecutive leaves, of which `before` come before
fit_some_leaves <- function(problem, options, leaves, before, report = NULL) {
  rows <- sort(unique(unlist(leaves)))
  sample <- some_rows(problem, rows)
  kernel <- kernel_spec(problem$kernel)
  likelihood <- likelihood_spec(problem$likelihood)
  data <- core_rows(sample, problem$prior_means)
  parts <- lapply(leaves, match, rows)
  settings <- core_settings(problem$threads, report, before * n_latents(problem))
  found <-
    if (isTRUE(options$exact)) {
      call_core(core_fit_meanfield_parts, kernel, likelihood, data, options, parts,
        judged_flags(sample), settings)
    } else {
      call_core(core_fit_ivm_parts, kernel, likelihood, data, options, parts, problem$seed,
        settings)
    }
  lapply(found, name_rows, rows)
}

# The result of a fit to some rows, with the numbers that these have among all rows
name_rows <- function(result, rows) {
  result$latents <- lapply(result$latents, function(latent) {
    latent$posterior$basis <- rows[latent$posterior$basis]
    latent$site_rows <- rows[latent$site_rows]
    latent
  })
  result
}

# What a worker does with a leaf: list(x, y, cases, before)
fit_leaf <- function(held, leaf) {
  problem <- c(held$problem, leaf[c("x", "y", "cases", "is_judged")])
  all <- list(seq_len(nrow(leaf$y)))
  fit_some_leaves(problem, held$options, all, leaf$before)[[1L]]
}

# Rows without themselves -------------------------------------------------------------------------

# The rows that tell how good predictions are of rows without themselves: NULL for all of them, and
# of many a random sample, which stands for the rows of a source too
judged_rows <- function(problem) {
  rows <- rows_to_divide(problem)
  if (isTRUE(problem$trial) && has_gaussian_sites(problem$likelihood)) {
    return(evenly_spaced(rows, few_judged))
  }
  if (rows <= sample_size) NULL
  else if (is.null(problem$rows)) sampled_rows(rows)
  else problem$scan$sampled
}

# A trial with Gaussian noise is judged by other rows, and needs its own for nothing.
few_judged <- 100

# The result of a leaf with these rows, of which the `judged` ones keep their cavities
keep_judged <- function(result, rows, judged) {
  if (is.null(judged)) return(result)
  stay <- rows %in% judged
  cavities <- c("cavity_mean", "cavity_variance")
  result$latents <- lapply(result$latents, function(latent) {
    latent[cavities] <- lapply(latent[cavities], function(values) {
      if (length(values)) values[stay] else values
    })
    latent
  })
  result
}
