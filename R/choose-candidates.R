# What gpsieve() chooses among. A candidate is a value: list(label, model, kernel, likelihood,
# settings), the arguments with which its model is called. An entry is list(candidate, stage,
# learned, judged, seconds): a candidate with the hyper-parameters learned from all rows and with
# what it says about rows held out.

new_candidate <- function(label, model, kernel, likelihood = NULL, settings = list()) {
  list(
    label = label, model = model, kernel = kernel, likelihood = likelihood,
    settings = Filter(Negate(is.null), settings)
  )
}

new_entry <- function(candidate, stage) list(candidate = candidate, stage = stage, seconds = 0)

linear_function <- function() kernel_linear(NULL) + kernel_constant(0.3)

# A quantile has no noise of its own: its likelihood only says on which side of the function a
# response lies. The evidence is greatest where a rough part follows single responses; with 300 rows
# of four functions 62 to 71 % of new rows were then below the 0.9 quantile, and 86 to 93 % are
# below a very smooth function.
smooth_function <- function() kernel_rbf(ard = TRUE) + linear_function()

rough_kernel <- function() kernel_rich(nu = c(0.5, 0.5))

is_rough <- function(kernel) identical(kernel$rich$nu, rough_kernel()$rich$nu)

# The models among which there is a choice: those that the user named, or the usual one
models_of <- function(task) {
  if (!is.null(task$models)) task$models
  else if (!is.null(task$molded$rows)) "ep_gp"
  else if (fits_densely(task) && takes_mean_field(task$likelihood)) "meanfield_gp"
  else "ivm"
}

# A candidate of one machine for all rows
sized_candidate <- function(task, label, model, kernel, likelihood = task$likelihood) {
  n <- nrow(task$molded$x)
  size <- function(usual) min(n, if (is.null(task$size)) usual else task$size)
  blocks <- if (takes_mean_field(likelihood)) affordable_blocks(task, is_simple(kernel))
  keep <- task$control$keep
  settings <- switch(model,
    meanfield_gp = list(control = control_meanfield(blocks = blocks, keep = keep)),
    ivm = list(
      n_active = size(affordable_active(as_read_by(kernel, task))),
      control = control_ivm(blocks = blocks, keep = keep)
    ),
    ep_gp = list(
      inducing = size(200), batch_size = if (count_rows(task$molded) > 4000) 1000,
      control = control_ep(warm_rows = 0, keep = keep)
    ),
    greedy_gp = list(n_basis = size(300), certify = FALSE, control = control_greedy(keep = keep)))
  if (model == "ivm" && !takes_mean_field(likelihood)) {
    settings <- of_sites_not_concave(settings, task)
  }
  if (length(models_of(task)) > 1L) label <- paste0(label, ", ", model, "()")
  new_candidate(label, model, kernel, likelihood, settings)
}

# The settings of an informative vector machine whose likelihood is not log-concave. It learns from
# a sample of rows, once. Where every row is active, there is none to select.
of_sites_not_concave <- function(settings, task) {
  settings$control <- control_ivm(rounds = 1, keep = task$control$keep)
  if (settings$n_active == nrow(task$molded$x)) settings$criterion <- "random"
  settings
}

# The candidate that learns from short blocks of rows, in little time
with_short_blocks <- function(candidate) {
  blocks <- candidate$settings$control$blocks
  candidate$settings$control$blocks$rows <- min(blocks$rows, short_block_rows)
  candidate
}

scaled_alike <- function(candidate) {
  candidate$label <- paste0(candidate$label, ", one scale")
  candidate$settings$standardise <- "common"
  candidate
}

# The entries with what their candidates learn; one that breaks down is left out, if others remain
learn_entries <- function(entries, task) {
  if (length(entries) == 1L) return(list(learn_entry(entries[[1L]], task)))
  learned <- learn_what_can(entries, task)
  if (length(learned)) learned else learn_entries(entries[1L], task)
}

# The entries whose candidates do not break down, with what they learn
learn_what_can <- function(entries, task) {
  Reduce(function(done, entry) {
    twin <- Find(function(other) learns_alike(other$candidate, entry$candidate), done)
    if (!is.null(twin)) entry[c("learned", "kernel")] <- twin[c("learned", "kernel")]
    else entry <- tryCatch(learn_entry(entry, task), gpsieve_error = function(e) NULL)
    c(done, if (!is.null(entry)) list(entry))
  }, entries, list())
}

# Do two candidates that learn on blocks learn the same hyper-parameters? One informative vector
# machine and exact parts of the rows have the same dense machines of blocks.
learns_alike <- function(a, b) {
  what <- function(candidate) {
    list(has_means_of_ivm(candidate), candidate$kernel, candidate$likelihood,
      candidate$settings$standardise, candidate$settings$control$blocks)
  }
  !is.null(a$settings$control$blocks) && identical(what(a), what(b))
}

# The entry with the hyper-parameters that its candidate learns from all rows.
# `molded$learned` is where learn_blocks() finds them, so that fits of parts of the rows, and the
# fit to all of them, need not learn again.
learn_entry <- function(entry, task) {
  candidate <- entry$candidate
  if (!takes_mean_field(candidate$likelihood)) return(entry)
  own <- candidate$settings$control$blocks
  blocks <- if (is.null(own)) affordable_blocks(task) else own
  start <- proc.time()[["elapsed"]]
  problem <- problem_to_learn(candidate, task)
  if (!is.null(entry$begin)) problem$learned <- begun_at(problem, entry$begin)
  means <-
    if (has_means_of_ivm(candidate)) ivm_prior_means(problem)
    else latent_prior_means(problem)
  learned <- learn_blocks(problem, means, blocks)
  entry$kernel <- reported_kernel(learned)
  if (is.null(own)) {
    # The model has no way to learn on blocks: it begins where they ended.
    entry$candidate$kernel <- rounded_for_code(entry$kernel)
    if (is.null(task$molded[["noise"]])) {
      entry$candidate$likelihood <- rounded_for_code(learned$likelihood)
    }
  } else {
    entry$learned <- learned_by(problem, theta_of(learned$kernel, learned$likelihood),
      learned$steps_ended)
  }
  entry$seconds <- proc.time()[["elapsed"]] - start
  entry
}

# The problem of a candidate from which it learns: all rows, or the sample of a source
problem_to_learn <- function(candidate, task) {
  sample <- molded_for(candidate, task)
  sample[c("rows", "scan")] <- NULL
  standardise <- candidate$settings$standardise
  given <- list(kernel = candidate$kernel, likelihood = candidate$likelihood,
    standardise = if (is.null(standardise)) task$standardise else standardise,
    prior_mean = task$prior_mean, seed = task$seed, threads = task$threads, verbose = FALSE)
  prepare_problem(sample, given, merge_equal = TRUE)
}

has_means_of_ivm <- function(candidate) candidate$model %in% c("ivm", "local_gp")

# A fit of an entry's candidate to all rows or, given other molded data, to some
fit_entry <- function(entry, task, molded = molded_for(entry$candidate, task)) {
  candidate <- as_fitted(entry, task)$candidate
  molded$learned <- entry$learned
  given <- given_or_default(get(candidate$model, topenv()), c(
    list(kernel = candidate$kernel, likelihood = candidate$likelihood),
    candidate_settings(candidate, task),
    list(seed = task$seed, threads = task$threads, verbose = FALSE)
  ))
  of_rows <- get(paste0(candidate$model, "_of_rows"), topenv())
  without_advice(of_rows(molded, given))
}

# The models that a user may name as candidates
models_to_choose <- c("meanfield_gp", "ivm", "ep_gp", "greedy_gp")

# The candidate's settings and what the user said about all models
candidate_settings <- function(candidate, task) {
  out <- candidate$settings
  if (is.null(out$standardise) && !isTRUE(task$standardise)) out$standardise <- task$standardise
  if (!is.null(task$prior_mean)) out$prior_mean <- task$prior_mean
  out
}

# A candidate of a likelihood that is not log-concave, beside the entry whose function it has
not_concave_candidate <- function(task, label, kernel, likelihood, usual) {
  candidate <- sized_candidate(task, label, "ivm", kernel, likelihood)
  candidate$settings$standardise <- usual$candidate$settings$standardise
  candidate
}

# What `candidates` says: kernels, or names of models, or both; list(kernels, models)
check_candidates_argument <- function(candidates) {
  if (is.null(candidates)) return(list())
  if (inherits(candidates, "gpsieve_kernel")) candidates <- list(candidates)
  named <- vapply(candidates, is.character, NA)
  models <- unlist(candidates[named])
  known <- models_to_choose
  good <- (is.list(candidates) || is.character(candidates)) && length(candidates) > 0L &&
    all(models %in% known)
  if (!good) {
    found <- if (length(models)) toString(dQuote(models, FALSE)) else describe(candidates)
    abort_gpsieve("{.arg candidates} must be a list of kernels, names of models, or both.",
      "Found {found}.", "Models to choose among are {.val {known}}.")
  }
  list(
    kernels = lapply(candidates[!named], as_kernel, "candidates"),
    models = if (length(models)) unique(models)
  )
}

# Stops unless the models that the user named read rows in blocks
check_models_of_source <- function(asked) {
  others <- setdiff(asked, "ep_gp")
  if (!length(others)) return(invisible())
  abort_gpsieve("Models of {.arg candidates} must read rows in blocks, as {.fn ep_gp} does.",
    "Found {.val {others}}, and a source of rows.", class = "unsupported")
}

in_leaves <- function(entry) !is.null(entry$candidate$settings$leaf_rows)

# Is there a choice between Gaussian noise that is the same everywhere and others? Not where a
# likelihood or the noise of each row was given, or variances are to be widened, those of Gaussian
# noise.
chooses_noise <- function(task) {
  molded <- task$molded
  is.null(task$likelihood) && task$kind == "number" && is.null(molded$rows) &&
    is.null(molded[["noise"]]) && task$control$blocks$widen == 1
}

# Is the noise of a candidate so small that what it depends on hardly matters?
begins_with_little_noise <- function(candidate) {
  identical(candidate$likelihood, lik_gaussian(little_noise))
}

# Where the hyper-parameters of a problem begin that are those of another function, `begin`, and
# others: they learn from there in a share of the steps
begun_at <- function(problem, begin) {
  theta <- theta_of(problem$kernel, problem$likelihood)
  shared <- intersect(names(theta), names(begin$theta))
  theta[shared] <- begin$theta[shared]
  replace(begin, c("theta", "again"), list(theta, TRUE))
}

has_warp <- function(entry) learns_scale(entry$candidate$likelihood)
