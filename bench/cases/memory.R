# What every model says that it needs, beside what its process took.
#
# The estimate is the one by which a fit is refused: the model is called under a limit of one byte,
# and the error tells the bytes.

#' n rows of 8 inputs and m active, inducing or basis points or centres; `classes` as in scaling.R
estimated_fits <- list(
  "ivm" = list(
    sizes = list(c(n = 100000, m = 200), c(n = 50000, m = 500)),
    fit = function(x, y, m, ...) ivm(x, y, n_active = m, ...)
  ),
  "ivm, 4 classes" = list(
    sizes = list(c(n = 50000, m = 200)), classes = 4,
    fit = function(x, y, m, ...) ivm(x, y, n_active = m, ...)
  ),
  "ep_gp, sep, all rows" = list(
    sizes = list(c(n = 20000, m = 500), c(n = 20000, m = 1000)),
    fit = function(x, y, m, ...) {
      ep_gp(x, y, inducing = m, inducing_init = "random", epochs = 2, ...)
    }
  ),
  "ep_gp, sep, minibatches" = list(
    sizes = list(c(n = 400000, m = 200)),
    fit = function(x, y, m, ...) {
      ep_gp(x, y, inducing = m, inducing_init = "random", batch_size = 200, epochs = 1, ...)
    }
  ),
  "ep_gp, sep, 4 joint classes" = list(
    sizes = list(c(n = 10000, m = 1000)), classes = 4,
    fit = function(x, y, m, ...) {
      ep_gp(x, y, inducing = m, inducing_init = "random", epochs = 2, ...)
    }
  ),
  "ep_gp, ep, learning in minibatches" = list(
    sizes = list(c(n = 100000, m = 200)), optimise = TRUE,
    fit = function(x, y, m, ...) {
      ep_gp(x, y, inducing = m, inducing_init = "random", method = "ep", batch_size = 200,
        epochs = 1, ...
      )
    }
  ),
  "meanfield_gp" = list(
    sizes = list(c(n = 2000, m = 2000), c(n = 4000, m = 4000)),
    fit = function(x, y, m, ...) meanfield_gp(x, y, ...)
  ),
  "meanfield_gp, numbers" = list(
    sizes = list(c(n = 4000, m = 4000)), classes = 0,
    fit = function(x, y, m, ...) meanfield_gp(x, y, ...)
  ),
  "meanfield_gp, 4 classes" = list(
    sizes = list(c(n = 1500, m = 1500)), classes = 4,
    fit = function(x, y, m, ...) meanfield_gp(x, y, ...)
  ),
  "online_gp" = list(
    sizes = list(c(n = 1000, m = 600), c(n = 1500, m = 1000)),
    fit = function(x, y, m, ...) online_gp(x, y, budget = m, ...)
  ),
  "greedy_gp, numbers" = list(
    sizes = list(c(n = 100000, m = 100), c(n = 50000, m = 200)), classes = 0,
    fit = function(x, y, m, ...) greedy_gp(x, y, n_basis = m, certify = FALSE, ...)
  ),
  "greedy_gp, classes" = list(
    sizes = list(c(n = 50000, m = 100)),
    fit = function(x, y, m, ...) greedy_gp(x, y, n_basis = m, certify = FALSE, ...)
  ),
  "rvm, em" = list(
    sizes = list(c(n = 20000, m = 200), c(n = 20000, m = 400)), classes = 0,
    fit = function(x, y, m, ...) {
      rvm(x, y, basis = x[seq_len(m), ], algorithm = "em", control = control_rvm(max_iter = 5), ...)
    }
  ),
  "rvm, em, classes" = list(
    sizes = list(c(n = 20000, m = 200)),
    fit = function(x, y, m, ...) {
      rvm(x, y, basis = x[seq_len(m), ], algorithm = "em", control = control_rvm(max_iter = 5), ...)
    }
  ),
  "rvm, subspace EM" = list(
    sizes = list(c(n = 20000, m = 500), c(n = 20000, m = 1000)), classes = 0,
    fit = function(x, y, m, ...) rvm(x, y, basis = x[seq_len(m), ], ...)
  ),
  "rvm, subspace EM, classes" = list(
    sizes = list(c(n = 20000, m = 500)),
    fit = function(x, y, m, ...) rvm(x, y, basis = x[seq_len(m), ], ...)
  )
)

estimate_problems <- function(quick) {
  unlist(lapply(names(estimated_fits), function(model) {
    own <- estimated_fits[[model]]
    classes <- if (is.null(own$classes)) 2 else own$classes
    lapply(if (quick) own$sizes[1L] else own$sizes, function(sizes) {
      name <- sprintf("%s: n %.0f, m %.0f", model, sizes[["n"]], sizes[["m"]])
      list(name = name, model = model, n = sizes[["n"]], m = sizes[["m"]], p = 8, classes = classes)
    })
  }), recursive = FALSE)
}

estimate_engine <- function(problem) {
  own <- estimated_fits[[problem$model]]
  fit <- function(data, job) {
    suppressWarnings(own$fit(data$x, data$y, problem$m,
      kernel = kernel_rbf(if (problem$classes == 0) 1 else 10, 2 * sqrt(problem$p)),
      optimise = isTRUE(own$optimise), standardise = FALSE, seed = job$seed,
      threads = job$threads, verbose = FALSE
    ), classes = "gpsieve_warning")
  }
  new_engine(
    packages = "gpsieve", fit = fit, predict = synthetic_predictions(problem),
    size = function(fit) problem$m,
    estimate = function(data, job) {
      before <- options(gpsieve.max_memory = 1)
      on.exit(options(before))
      tryCatch(fit(data, job), gpsieve_error_memory = function(e) e$bytes / 2^20)
    }
  )
}

estimate_case <- list(
  about = "What every model says that it needs, beside the memory that its process took",
  shows = paste(
    "The memory that every model says it needs before it allocates any, beside the memory that",
    "its process took. Before a fit allocates any large array it is refused if its estimate is",
    "above the limit (`R/fit-memory-needs.R`). The measured memory is the peak of the process less",
    "what it had before the fit. It contains some 10 to 50 MB that no estimate counts: code that",
    "is loaded, R's own objects, buffers of fixed size."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = estimate_problems,
  data = function(problem, seed) scaling_data(problem, seed),
  engines = function(problem) list("gpsieve" = estimate_engine(problem))
)

#' Estimates beside measured peaks, without the memory that the process had before the fit
estimate_table <- function(rows) {
  taken <- rows$peak_mb - rows$base_mb
  data.frame(
    check.names = FALSE, fit = sub(":.*", "", rows$problem), n = format_count(rows$n),
    m = format_count(rows$size), "estimate MB" = decimals(rows$estimate_mb, 0),
    "measured MB" = decimals(taken, 0),
    "estimate / measured" = decimals(rows$estimate_mb / taken, 2)
  )
}
