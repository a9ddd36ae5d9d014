# A partition of the rows of a source. The first pass over the source has kept a random sample,
# whose cuts make parts of a few leaves each (plan_partition()). Another pass writes the rows of
# each part to a file; then the parts are read one after the other, cut into leaves and fitted. In
# memory are the rows of a few leaves, and the machines that have been fitted.
#
# A file has a record for each row that visits the part: its number, its values of the model matrix,
# its response and its offset as rows-copy.R stores them. Where the files of all parts would take
# more than the limit of rows-copy.R, each pass writes those of as many parts as the limit allows.

# The machines of all leaves and where they are: list(result, rows, partition), of which `rows` are
# the numbers of the points of the result
fit_source_leaves <- function(problem, options, plan, cluster, threads, log) {
  order <- machine_order(problem)
  ordered <- with_ordered_machines(problem, order)
  fitter <- leaf_fitter(ordered, options, cluster, threads, log)
  on.exit(fitter$close())
  parts <- parts_of_plan(plan)
  files <- part_files(problem, plan, parts)
  on.exit(files$close(), add = TRUE)
  bar <- progress_bar(problem$verbose, "Informative vector machines")
  judged <- judged_rows(problem)
  done <- finished_parts(log)
  trees <- log$parts
  results <- log$leaves[seq_len(done$leaves)]
  # So many parts at once have leaves for all threads or workers.
  together <- max(1L, ceiling(fitter$together / leaves_of_part))
  while (done$parts < nrow(parts)) {
    batch <- done$parts + seq_len(min(together, nrow(parts) - done$parts))
    read <- read_parts(ordered, plan, parts[batch, ], lapply(batch, files$read), order)
    read$problem$is_judged <- if (!is.null(judged)) read$numbers %in% judged
    for (number in seq_along(batch)) {
      if (batch[number] > length(trees)) log$add("part", read$trees[[number]])
    }
    trees[batch] <- read$trees
    found <- fit_open_leaves(fitter, read$problem, read$leaves, length(results), log,
      function(result, rows) keep_points(result, rows, read, judged, order),
      function(share, size) {
        if (!is.null(bar)) bar((done$parts + share * length(batch)) / nrow(parts), size)
      }
    )
    results <- c(results, found)
    done$parts <- max(batch)
    # Where the first tree cuts nothing the others would cut nothing either.
    if (done$parts == 1L && length(results) == 1L) break
  }
  with_shared_points(results, order, problem, plan, trees, parts)
}

# The parts of all trees in order: a data frame of `tree` and `part`
parts_of_plan <- function(plan) {
  counts <- leaf_counts(plan$trees)
  data.frame(tree = rep(seq_along(counts), counts), part = sequence(counts))
}

# How many parts of a log have all of their leaves, and how many leaves these are
finished_parts <- function(log) {
  ends <- cumsum(leaf_counts(log$parts))
  parts <- sum(ends <= length(log$leaves))
  list(parts = parts, leaves = if (parts) ends[parts] else 0L)
}

# Parts as one problem in memory: list(problem, numbers, trees, leaves), the tree of each part and
# the rows of each leaf as positions in the problem
read_parts <- function(problem, plan, parts, read, order) {
  before <- 0
  trees <- list()
  leaves <- list()
  for (i in seq_along(read)) {
    x <- read[[i]]$x
    coarse <- plan$trees[[parts$tree[i]]]
    own <- leaves_of_rows(coarse, x, problem) == parts$part[i]
    tree <- part_tree(problem, plan, x[own, , drop = FALSE], parts$tree[i], parts$part[i])
    visits <- visits_of(list(tree), x, core_settings(problem$threads))
    rows <- split(before + visits$row, factor(visits$machine, seq_len(length(tree$column) + 1L)))
    leaves <- c(leaves, unname(rows))
    trees[[i]] <- tree
    before <- before + nrow(x)
  }
  problem$x <- do.call(rbind, lapply(read, `[[`, "x"))
  problem$y <- do.call(rbind, lapply(read, `[[`, "y"))
  problem$y <- responses_of(problem, order)
  problem$cases$offset <- as.double(unlist(lapply(read, `[[`, "offset")))
  numbers <- as.integer(unlist(lapply(read, `[[`, "number")))
  list(problem = problem, numbers = numbers, trees = trees, leaves = leaves)
}

# The result of a leaf, which holds its points, by the numbers of the rows in the source
keep_points <- function(result, rows, read, judged, order) {
  used <- unique(unlist(lapply(result$latents, function(latent) latent$posterior$basis)))
  result$points <- read$problem$x[used, , drop = FALSE]
  result <- keep_judged(name_rows(result, read$numbers), read$numbers[rows], judged)
  result$numbers <- read$numbers[used]
  result$size <- length(rows)
  problem <- read$problem
  problem$y <- responses_of(problem, order(order))
  result$hash <- hash_of_leaf(problem, rows, read$numbers[rows])
  result
}

# The results of all leaves as one, whose points are those of all leaves, each of them once
with_shared_points <- function(results, order, problem, plan, trees, parts) {
  numbers <- unlist(lapply(results, `[[`, "numbers"))
  first <- !duplicated(numbers)
  points <- do.call(rbind, lapply(results, `[[`, "points"))[first, , drop = FALSE]
  numbers <- numbers[first]
  result <- in_class_order(join_machines(results), order)
  posteriors <- with_basis_among(lapply(result$latents, `[[`, "posterior"), numbers)
  result$latents <- Map(function(latent, posterior) {
    latent$posterior <- posterior
    latent
  }, result$latents, posteriors)
  result$points <- points
  by_tree <- split(trees, parts$tree[seq_along(trees)])
  grown <- Map(graft_tree, plan$trees[seq_along(by_tree)], by_tree, ncol(points))
  sizes <- vapply(results, `[[`, 0L, "size")
  hashes <- vapply(results, `[[`, "", "hash")
  list(
    result = result, rows = numbers,
    partition = list(trees = grown, rows = sizes, hashes = hashes)
  )
}

# Files of parts --------------------------------------------------------------------------------

# The rows of parts by their numbers, to be read in increasing order: read(number) returns
# list(number, x, y, offset) and removes the file, close() removes all files
part_files <- function(problem, plan, parts) {
  folder <- tempfile("leaves-")
  dir.create(folder)
  path <- function(number) file.path(folder, number)
  copied <- if (has_copy(problem$rows)) size_of_copy(problem$rows$copy) else 0
  limit <- copy_limit() - copied
  last <- 0
  like <- NULL
  list(
    read = function(number) {
      if (number > last) {
        routed <- route_rows(problem, plan, parts, number, path, limit)
        last <<- routed$last
        like <<- routed$like
      }
      has_offset <- length(problem$cases$offset) > 0L
      width <- 1L + ncol(problem$x) + length(response_columns(like)) + has_offset
      numbers <- matrix(readBin(path(number), "double", file.size(path(number)) / 8), width)
      unlink(path(number))
      block <- block_of_numbers(numbers[-1L, , drop = FALSE], ncol(problem$x), like, has_offset)
      list(
        number = numbers[1L, ], y = encode_response(block$y, problem), offset = block$offset,
        x = apply_scales(block$x, problem$inputs)
      )
    },
    close = function() unlink(folder, recursive = TRUE)
  )
}

# Numbers of a window that is routed at once, unless it has fewer rows than usual.
routed_numbers <- 1e6

# Writes the rows of the parts from `first` on in one pass over the source: list(last, like), the
# last part for which the limit was enough, and how numbers are read as responses
route_rows <- function(problem, plan, parts, first, path, limit) {
  last <- nrow(parts)
  like <- NULL
  sizes <- numeric(last)
  reader <- number_reader(problem, max(usual_window, routed_numbers %/% ncol(problem$x)))
  on.exit(reader$close())
  while (!is.null(window <- reader$next_window())) {
    like <- window$y[0L]
    numbers <- rbind(window$first - 1 + seq_len(nrow(window$x)), numbers_of_block(window))
    x <- apply_scales(window$x, problem$inputs)
    visits <- visits_of(plan$trees, x, core_settings(problem$threads))
    for (rows in split(seq_along(visits$row), visits$machine)) {
      part <- visits$machine[rows[1L]]
      if (part < first || part > last) next
      if (!append_numbers(numbers[, visits$row[rows], drop = FALSE], path(part))) {
        abort_gpsieve("The rows of a leaf could not be written to the session's temporary folder.",
          "Is the disk full?", "Environment variable {.envvar TMPDIR} names another folder.",
          class = "data")
      }
      sizes[part] <- sizes[part] + 8 * nrow(numbers) * length(rows)
    }
    while (last >= first && sum(sizes) > limit) {
      unlink(path(last))
      sizes[last] <- 0
      last <- last - 1
    }
    if (last < first) abort_disk(limit, problem)
  }
  check_same_length(reader$total(), problem$n, problem$rows)
  list(last = last, like = like)
}

append_numbers <- function(numbers, path) {
  connection <- file(path, "ab")
  on.exit(close(connection))
  write_numbers(numbers, connection)
}

abort_disk <- function(limit, problem) {
  abort_gpsieve("The rows of a few leaves need more room on the disk than they may take.",
    "{format_bytes(max(0, limit))} are left of {.code options(gpsieve.max_disk)}.",
    "A greater number allows more, in bytes; so does a source with {.code copy = FALSE}.",
    class = "memory")
}
