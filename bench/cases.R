# The register of benchmark cases, and what they share. A case is a list:
#
#   about      one line
#   shows      what is measured on which data, and what the results can say: the text of CASES.md
#   flags      arguments with which the stored results were made, beside --json; often none
#   packages   peers it needs
#   seeds      run one after the other; medians are reported
#   problems   function(quick): a list of problems, each a list with a `name` and whatever `data`
#              and `engines` want to know
#   data       function(problem, seed): list(x, y, test_x, test_y); NULL where the files are missing
#   engines    function(problem): named list of engines, see ivm_engine()
#   combine    optional, function(results): more rows from all the rows of a seed
#
# A case of linear algebra has `about` and
#
#   rates      function(options): data frame of blas, case, size, engine, seconds, rate
#
# A case in which many short fits are compared on the same test rows, in one process, has `about`
# and
#
#   compare    function(options): data frame with a row for each set and engine, see summarise_set()
#
# A case in which calls take turns in one process has `about` and
#
#   timings    function(options): data frame with a row for each kind of answer and engine
#
# A case of plain calls that a later run goes on with has `about` and
#
#   calls      function(options, before, keep): data frame with a row for each table and seed,
#              beginning with those of `before`; keep() is called with the rows so far

#' An engine is how to fit, how to predict and how to tell the size of what came out
#'
#' fit(data, job), where job has `seed` and `threads`; predict(fit, data) gives list(class,
#' probability), the latter NULL or a matrix with the classes as column names, or list(mean) where
#' the response is numeric. `work`: list(steps, gflop) where the cost of one step is worth telling,
#' both for the whole fit. `stages`: function(fit) giving a data frame where the parts of a fit are
#' results of their own, a row for each with its `stage` and the columns in which it differs from
#' the row of the whole. `estimate`: function(data, job) giving the MB that the package says it
#' needs. `blas`: a function giving the library that takes the place of R's BLAS. `measured`:
#' function(fit) giving list(cpu, wall, peak) of a fit that another process has made.
new_engine <- function(fit, predict, size, packages = character(), work = NULL, stages = NULL,
                       estimate = NULL, blas = NULL, measured = NULL) {
  list(
    fit = fit, predict = predict, size = size, packages = packages, work = work, stages = stages,
    estimate = estimate, blas = blas, measured = measured
  )
}

#' The package's informative vector machine with kernel and sizes given
#'
#' @param kernel A function that makes it, called in the child only.
ivm_engine <- function(kernel, n_active, refine, standardise, ...) {
  force(n_active)
  force(refine)
  control <- list(...)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      ivm(data$x, data$y,
        kernel = kernel(), n_active = n_active, refine = refine, optimise = FALSE,
        standardise = standardise, seed = job$seed, threads = job$threads, verbose = FALSE,
        control = do.call(control_ivm, control)
      )
    },
    predict = function(fit, data) {
      probability <- predict(fit, data$test_x, type = "prob")
      out <- list(class = predict(fit, data$test_x), probability = probability)
      # Probabilities near one tie in floating point; their normal quantiles do not.
      if (ncol(probability) == 2L) {
        latent <- predict(fit, data$test_x, type = "link", se.fit = TRUE)
        out$score <- latent$fit / sqrt(1 + latent$se.fit^2)
      }
      out
    },
    size = function(fit) {
      active <- active_set(fit) # a list where there are several classes
      max(lengths(if (is.list(active)) active else list(active)))
    }
  )
}

#' LIBSVM through e1071; the size is the number of support vectors
svm_engine <- function(..., probability, cache = 40) {
  settings <- list(...)
  new_engine(
    packages = "e1071",
    fit = function(data, job) {
      set.seed(job$seed) # Platt's probabilities cross-validate
      do.call(svm, c(list(data$x, data$y, probability = probability, cachesize = cache), settings))
    },
    predict = function(fit, data) {
      class <- predict(fit, data$test_x, probability = probability)
      list(class = class, probability = if (probability) attr(class, "probabilities"))
    },
    size = function(fit) fit$tot.nSV
  )
}

for (file in list.files(file.path(here, "cases"))) source(file.path(here, "cases", file))

cases <- list(
  "ivm-mnist9" = mnist_nine_case, "ivm-table1" = mnist_table_case, "ivm-letter" = letter_case,
  scaling = scaling_case, memory = estimate_case, threads = threads_case, corners = corners_case,
  shapes = shapes_case, serving = serving_case,
  "sep-mnist" = parity_case, "sep-uci" = uci_case, "sep-peers" = uci_peers_case,
  "sep-size" = size_case, "sep-flights" = flights_case, "sep-memory" = memory_case,
  "sep-sites" = sites_case,
  "mf-spam" = spam_case, "mf-spam-large" = spam_large_case, "online-stream" = stream_case,
  "rvm-mackeyglass" = mackey_glass_case, "rvm-fig3" = rvm_ratio_case,
  "rvm-mnist1" = mnist_one_case, "rvm-ripley" = ripley_case,
  defaults = defaults_case, "choice-ablation" = ablation_case, "many-rows" = rows_case,
  "other-rows" = other_rows_case, "defaults-wider" = wider_case,
  "defaults-fresh" = fresh_case, calibration = calibration_case,
  "greedy-abalone" = abalone_case, "greedy-kernels" = kernels_case, "greedy-million" = million_case,
  "exact-parts" = exact_case, "tuned-tables" = tuned_tables_case,
  "kept-tables" = kept_tables_case
)
for (name in names(linalg_cases)) {
  cases[[name]] <- local({
    name <- name
    list(about = linalg_cases[[name]], shows = linalg_shows,
      rates = function(options) linalg_rates(name, options)
    )
  })
}
