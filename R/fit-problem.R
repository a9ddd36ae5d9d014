# From molded data and the arguments of a model to its problem: what every model needs, checked and
# on the scale it computes in.

# The parts of a problem.
problem_fields <- list(
  x = NULL, # the inputs on the scale of computation, or
  raw = NULL, # as they came, where the core scales them in a copy of its own
  y = NULL, # the response, with the columns of the likelihood for each latent function
  n = NULL, # the number of rows before equal ones are merged, of a source that of all its rows
  cases = NULL, # list(weight, offset), each of length n, or 0 where there are none
  inputs = NULL, # center, scale and range of the columns, and which of them hold levels
  response = NULL, # what y is and how it is coded, see new_response()
  kernel = NULL, likelihood = NULL, # without open values
  prior_mean = NULL, # as it was given, or natural_prior_mean()
  prior_means = NULL, # of each latent function, where they are those of all rows or an earlier fit
  start_rows = NULL, # the rows that say where learning starts, NULL for all: see at_start()
  seed = NULL, threads = NULL, verbose = NULL,
  worker_threads = NULL, # how many threads a worker of a cluster has
  molded = NULL, # of the molded data what a fit keeps, and what was merged
  rows = NULL, scan = NULL, # of a source: the source, and what its first pass found
  learned = NULL, # hyper-parameters that gpsieve() has learned from all rows
  trial = NULL, # TRUE for fits that only judge a candidate
  earlier = NULL, # the fit of which some leaves are fitted anew
  centres = NULL, # the centres of basis functions of rvm()
  at_bound = NULL, steps_ended = NULL, # how learning ended
  first_machine = NULL, # the position of the machine among those of all classes
  is_judged = NULL # TRUE for the rows of a leaf that are judged without themselves
)

# The problem of a model. `given` are the arguments of the model. Kernel and likelihood have no open
# values left. Randomness is drawn here, once. A model for very many rows leaves the inputs as they
# came (`scale_inputs = FALSE`). With `merge_equal` equal rows become one row, unless white noise
# makes them differ. `round_response` rounds a standardised response: see rounded_response().
prepare_problem <- function(molded, given, scale_inputs = TRUE, takes_rows = FALSE,
                            merge_equal = FALSE, round_response = FALSE, start_rows = NULL,
                            takes_step = FALSE, takes_gap_noise = TRUE) {
  if (!is.null(molded$rows) && !takes_rows) abort_in_memory()
  shared <- check_shared(molded, given, takes_gap_noise)
  merge_equal <- merge_equal && !has_white_noise(shared$kernel)
  coded <- code_rows(shared$molded, merge_equal)
  molded <- coded$molded
  likelihood <- likelihood_for(shared$likelihood, coded, takes_step)
  coded$response$kind <-
    check_response_matches(likelihood, coded$response$kind, coded$y)
  check_cuts(likelihood, coded$response)
  check_offset_has_meaning(coded$cases$offset, coded$response, likelihood)
  inputs <-
    if (is.null(molded$earlier)) {
      input_scales(coded$scales, molded$columns, shared$standardise, molded$levels)
    } else {
      inputs_of_earlier(molded$earlier, colnames(molded$x), coded$response)
    }
  coded <- on_scale(coded, likelihood, shared$standardise, round_response)
  prior_mean <- shared$prior_mean
  if (!isFALSE(shared$standardise) && is.null(prior_mean)) {
    whole <- if (coded$response$kind == "trials") coded$y else coded$numbers
    prior_mean <- natural_prior_mean(likelihood, whole, coded$cases)
  }
  noise <- molded[["noise"]]
  if (!is.null(noise) && !isTRUE(noise$learned)) {
    likelihood <- lik_gaussian(fixed((noise$sd / coded$response$scale)^2))
  }
  problem <- new_record(problem_fields,
    x = if (scale_inputs) apply_scales(molded$x, inputs),
    # The core scales these; sparse ones are scaled here.
    raw = if (!scale_inputs) if (is_sparse(molded$x)) apply_scales(molded$x, inputs) else molded$x,
    y = coded$y, n = count_rows(shared$molded), cases = coded$cases, inputs = inputs,
    response = coded$response, kernel = shared$kernel, likelihood = likelihood,
    prior_mean = prior_mean, start_rows = start_rows, seed = resolve_seed(given$seed),
    threads = shared$threads, verbose = shared$verbose,
    molded = molded[
      c("blueprint", "formula", "kept", "na_action", "repeatable", "merged", "noise")
    ],
    rows = molded$rows, scan = molded$scan, learned = molded$learned, trial = molded$trial,
    earlier = molded$earlier)
  with_start_values(problem, coded$numbers)
}

# The arguments that all models share, checked, and the rows as the kernel reads them
check_shared <- function(molded, given, takes_gap_noise) {
  kernel <- with_column_groups(as_kernel(given$kernel, "kernel"), molded)
  if (takes_gap_noise) kernel <- with_gap_noise(kernel, molded)
  check_sparse_kernel(kernel, molded$x)
  refuse_changing_noise(given$likelihood)
  suited <- with_levels(molded, kernel)
  likelihood <- given$likelihood
  if (!is.null(likelihood)) likelihood <- as_likelihood(likelihood, "likelihood")
  standardise <- check_standardise(given$standardise)
  verbose <- check_flag(given$verbose, "verbose")
  threads <- resolve_threads(given$threads)
  # R evaluates a density of the user's, and R has one thread.
  if (evaluates_r(likelihood)) threads <- 1L
  prior_mean <- given$prior_mean
  if (!is.null(prior_mean)) prior_mean <- check_number(prior_mean, "prior_mean")
  list(molded = suited$molded, kernel = suited$kernel, likelihood = likelihood,
    standardise = standardise, verbose = verbose, threads = threads, prior_mean = prior_mean)
}

# The rows with their response as numbers of the core: list(molded, scales, y, numbers, response,
# cases).
# `scales` are those of the inputs, and `numbers` are one number for each row, for start values.
code_rows <- function(molded, merge_equal) {
  scales <- check_finite_inputs(molded)
  encoded <- new_response(molded$y, nrow(molded$x), molded$outcome, molded$scan$counts)
  if (merge_equal) molded <- merge_equal_rows(molded)
  if (merge_equal && !is.null(molded$merged)) {
    scales <- check_finite_inputs(molded)
    encoded <- new_response(molded$y, nrow(molded$x), molded$outcome)
  }
  list(
    molded = molded, scales = scales, y = encoded$y,
    numbers = if (is.null(encoded$numbers)) encoded$y[, 1L] else encoded$numbers,
    response = encoded$description,
    cases = list(weight = as.double(molded$weights), offset = as.double(molded$offset))
  )
}

# The likelihood, by default that of the response
likelihood_for <- function(likelihood, coded, takes_step) {
  if (is.null(likelihood)) likelihood <- default_likelihood(coded$response)
  check_step(likelihood, takes_step)
  likelihood
}

# The coded rows with their response on the scale of computation
on_scale <- function(coded, likelihood, standardise, round_response) {
  molded <- coded$molded
  real <- coded$response$kind == "real"
  if (real) {
    # The response less its offset has the model without one.
    if (length(coded$cases$offset)) {
      coded$y <- coded$y - coded$cases$offset
      coded$numbers <- coded$y[, 1L]
    }
    coded$cases$offset <- numeric()
  }
  if (real && !isFALSE(standardise)) {
    scales <-
      if (!is.null(molded$earlier)) molded$earlier$response
      else if (!is.null(molded$scan)) molded$scan$response
      else column_scales(matrix(coded$numbers), weights_of_scales(molded))
    coded$response[c("center", "scale")] <- list(scales$center, scales$scale)
    coded$numbers <- (coded$numbers - scales$center) / scales$scale
  }
  if (takes_intervals(likelihood) && ncol(coded$y) == 2L) {
    coded$response$known <- known_share(coded$y, coded$cases$weight)
  }
  coded$y <- encode_numbers(coded$y, coded$response, likelihood)
  if (real && !isFALSE(standardise) && round_response) coded$y <- rounded_response(coded$y)
  coded
}

# The problem with a kernel and a likelihood whose open values are those of the data
with_start_values <- function(problem, numbers) {
  start <- at_start(c(problem, list(numbers = cbind(numbers))))
  typical <- representative_values(start$numbers[, 1L], start$cases$weight)
  likelihood <- likelihood_resolve(problem$likelihood, typical, length(problem$response$present))
  # What is left open in a kernel depends on a few hundred rows.
  few <- representative_rows(nrow(start$y), start$cases$weight, median_rows,
    row_keys(start, start$numbers[, 1L]))
  few_rows <- scaled_rows(start, few)
  inputs <- problem$inputs
  problem$likelihood <- likelihood
  problem$kernel <- kernel_resolve(problem$kernel, few_rows, inputs$scale, inputs$center)
  check_ranges(problem$kernel, inputs$range, names(inputs$center))
  check_covariances(problem$kernel, few_rows)
  problem
}

# The prior mean of a latent function whose scale is not that of the response, unless another one
# is given: the latent value of the mean response; NULL for other responses
natural_prior_mean <- function(likelihood, y, cases) {
  prior_mean <- family_of(likelihood)$prior_mean
  if (is.null(prior_mean)) return(NULL)
  weights <- if (length(cases$weight)) cases$weight else rep(1, NROW(y))
  prior_mean(y, weights, if (length(cases$offset)) cases$offset else 0)
}

# The problem with only those rows that say where learning starts: what is left open in kernel and
# likelihood, the hyper-prior, first hyper-parameters and first inducing inputs
at_start <- function(problem) {
  rows <- problem$start_rows
  if (is.null(rows)) return(problem)
  for (part in intersect(c("x", "raw", "y", "numbers"), names(problem))) {
    problem[[part]] <- problem[[part]][rows, , drop = FALSE]
  }
  problem$cases <- part_of_cases(problem$cases, rows)
  problem["start_rows"] <- list(NULL)
  problem
}

# With several classes the same offset of all latent functions would not change the probabilities
check_offset_has_meaning <- function(offset, response, likelihood) {
  family <- family_of(likelihood)
  if (length(offset) && !is.null(family$without_offset)) {
    call <- call_text(likelihood, family$text(likelihood, NULL))
    abort_gpsieve("{.code {call}} takes no offset.", hint = family$without_offset,
      class = "unsupported")
  }
  if (!length(offset) || response$kind != "multiclass") return(invisible())
  abort_gpsieve("An offset needs numbers, counts or two classes as the response.",
    "Found {length(response$present)} classes.", class = "unsupported")
}

# The scales of the input columns; stops where a value is missing or infinite
check_finite_inputs <- function(molded) {
  scan <- molded$scan
  found <-
    if (!is.null(scan)) scan$columns
    else scales_of_columns(molded$x, weights_of_scales(molded))
  if (found$not_finite > 0) {
    abort_not_finite(molded$x, molded$columns, if (is.null(molded$formula)) "x" else "data",
      molded$kept)
  }
  found
}

# The scales by which the core divides the raw inputs
scales_for_core <- function(problem) {
  if (is_sparse(problem$raw)) list(center = 0, scale = 1) else problem$inputs
}

# Some rows of the inputs on the scale of computation, with their column names
scaled_rows <- function(problem, rows) {
  if (is.null(problem$raw)) return(problem$x[rows, , drop = FALSE])
  if (is_sparse(problem$raw)) return(problem$raw[rows, , drop = FALSE])
  apply_scales(problem$raw[rows, , drop = FALSE], problem$inputs)
}

# How many latent functions a problem has
n_latents <- function(problem) ncol(problem$y) %/% likelihood_columns(problem$likelihood)

# The responses of one of the latent functions or of some of them
responses_of <- function(problem, latents) {
  if (n_latents(problem) == 1L) return(problem$y)
  problem$y[, latents, drop = FALSE]
}

# The prior mean of each latent function on the scale of computation
latent_prior_means <- function(problem, default = 0) {
  k <- n_latents(problem)
  if (is.null(problem$prior_mean)) return(rep_len(default, k))
  response <- problem$response
  if (response$kind == "real") return((problem$prior_mean - response$center) / response$scale)
  rep_len(problem$prior_mean, k)
}

# How many rows of its class each latent function has, with their weights
positive_weights <- function(problem) {
  if (!is.null(problem$rows)) {
    response <- problem$response
    counts <- problem$scan$counts[present_levels(response)]
    return(if (response$kind == "binary") counts[2L] else counts)
  }
  w <- problem$cases$weight
  positive <- problem$y > 0
  if (length(w)) colSums(w * positive) else colSums(positive)
}

# The scales of the earlier fit's inputs, for data that have its columns and its classes
inputs_of_earlier <- function(earlier, columns, response) {
  same <- identical(columns, names(earlier$inputs$center)) &&
    identical(response$present, earlier$response$present)
  if (!same) {
    abort_gpsieve("{.code leaves = \"changed\"} needs the columns and classes of the fit.",
      "The data have other columns of the model matrix, or other classes.",
      "{.code leaves = \"all\"} fits anew.", class = "data")
  }
  earlier$inputs
}
