# How time and memory of every model grow with rows n, functions or inducing inputs or candidates m,
# inputs p and classes: one size is varied at a time. The formulas are those that README.md states,
# in multiply-adds and bytes for k machines (one for two classes or numbers); a is the number of
# functions that a relevance vector machine kept.

# Numbers of classes in the problems below; 0: a numeric response, 2: one machine.
scaling_models <- list(
  ivm = list(
    start = list(n = 16000, m = 400, p = 16, classes = 2),
    sizes = list(n = c(8000, 16000, 32000), m = c(200, 400, 800), p = c(8, 128),
      classes = c(3, 12)
    ),
    cost = quote(k * (200 * n * p + 200^2 / 2 * n + n * m^2 + n * m * p)),
    memory = quote(8 * n * m),
    fit = function(x, y, m, ...) ivm(x, y, n_active = m, refine = 0, ...)
  ),
  "ep, 10 passes" = list(
    start = list(n = 8000, m = 200, p = 16, classes = 2),
    sizes = list(n = c(8000, 16000, 32000), m = c(150, 300, 600), p = c(8, 128),
      classes = c(3, 12)
    ),
    cost = quote(n * m * p + n * m^2 / 2 + 10 * k * (n * m^2 + m^3) + 2 * k * n * m^2),
    memory = quote(8 * n * m),
    fit = function(x, y, m, ...) {
      ep_gp(x, y, inducing = m, inducing_init = "random", method = "ep",
        control = control_ep(max_iter = 10, tol = 0), ...
      )
    }
  ),
  "sep, one epoch of 200 rows" = list(
    start = list(n = 16000, m = 200, p = 16, classes = 2),
    sizes = list(n = c(8000, 16000, 32000), m = c(100, 200, 400), p = c(8, 128),
      classes = c(3, 12)
    ),
    cost = quote(n / 200 * (200 * m * p + 100 * m^2 + k * (200 * 2 * m^2 + m^3)) + k * n * m^2),
    memory = quote(8 * k * m^2),
    fit = function(x, y, m, ...) {
      ep_gp(x, y, inducing = m, inducing_init = "random", batch_size = 200, epochs = 1, ...)
    }
  ),
  "meanfield, TAP" = list(
    start = list(n = 1000, m = 1000, p = 16, classes = 2),
    sizes = list(n = c(1000, 2000, 4000), p = c(8, 128), classes = c(3, 12)),
    cost = quote(n^2 * p + k * n^3),
    memory = quote(8 * 2.25 * n^2),
    fit = function(x, y, m, ...) meanfield_gp(x, y, method = "tap", ...)
  ),
  "online, budget m" = list(
    start = list(n = 8000, m = 100, p = 16, classes = 2),
    sizes = list(n = c(8000, 16000, 32000), m = c(50, 100, 200), p = c(8, 128),
      classes = c(3, 12)
    ),
    cost = quote(k * n * (15 * m^2 + m * p)),
    memory = quote(8 * 3 * k * m^2),
    fit = function(x, y, m, ...) online_gp(x, y, budget = m, ...)
  ),
  "greedy, numbers" = list(
    start = list(n = 8000, m = 100, p = 16, classes = 0),
    sizes = list(n = c(8000, 16000, 32000), m = c(100, 200, 400), p = c(8, 128)),
    cost = quote(59 * n * m^2 + 59 * n * m * p),
    memory = quote(8 * n * m),
    fit = function(x, y, m, ...) {
      greedy_gp(x, y, n_basis = m, certify = FALSE, likelihood = lik_gaussian(0.2), ...)
    }
  ),
  "greedy, classes" = list(
    start = list(n = 4000, m = 60, p = 16, classes = 2),
    sizes = list(n = c(4000, 8000, 16000), m = c(60, 120, 240), p = c(8, 128),
      classes = c(3, 12)
    ),
    cost = quote(k * (59 * n * m^2 + 59 * n * m * p)),
    memory = quote(8 * n * m),
    fit = function(x, y, m, ...) greedy_gp(x, y, n_basis = m, certify = FALSE, ...)
  ),
  "rvm, m centres" = list(
    start = list(n = 4000, m = 400, p = 16, classes = 0),
    sizes = list(n = c(4000, 8000, 16000), m = c(200, 400, 800), p = c(8, 128)),
    cost = quote(n * m * p + m * (n * a + a^3)),
    memory = quote(8 * n * m),
    fit = function(x, y, m, ...) rvm(x, y, basis = x[seq_len(m), ], ...)
  ),
  "rvm, m centres, classes" = list(
    start = list(n = 1000, m = 100, p = 16, classes = 2),
    sizes = list(n = c(1000, 2000, 4000), m = c(50, 100, 200), p = c(8, 128),
      classes = c(3, 12)
    ),
    cost = quote(n * m * p + k * m * (n * a^2 + a^3)),
    memory = quote(8 * n * m),
    fit = function(x, y, m, ...) rvm(x, y, basis = x[seq_len(m), ], ...)
  )
)

scaling_problems <- function(quick) {
  share <- if (quick) 4 else 1
  of_model <- function(model) {
    start <- scaling_models[[model]]$start
    sizes <- scaling_models[[model]]$sizes
    unlist(lapply(names(sizes), function(varied) {
      lapply(sizes[[varied]], function(value) {
        own <- replace(start, varied, value)
        if (varied == "classes") own$n <- start$n / 2
        own[c("n", "m")] <- lapply(own[c("n", "m")], `/`, share)
        c(list(name = sprintf("%s: %s %.0f", model, varied, value), model = model), own)
      })
    }), recursive = FALSE)
  }
  unlist(lapply(names(scaling_models), of_model), recursive = FALSE)
}

#' Numbers: a random smooth function of Gaussian inputs plus noise; classes: its quantiles, of which
#' a tenth is exchanged
scaling_data <- function(problem, seed) {
  set.seed(seed)
  p <- problem$p
  frequency <- matrix(stats::rnorm(p * 50), p) / sqrt(p)
  phase <- stats::runif(50, 0, 2 * pi)
  weight <- stats::rnorm(50) / 5
  draw <- function(n) {
    x <- matrix(stats::rnorm(n * p), n)
    signal <- drop(cos(sweep(x %*% frequency, 2L, phase, "+")) %*% weight)
    if (problem$classes == 0) return(list(x = x, y = signal + stats::rnorm(n, sd = 0.4)))
    class <- cut(rank(signal), problem$classes, labels = FALSE)
    other <- sample(problem$classes, n, TRUE)
    flipped <- stats::runif(n) < 0.1
    list(x = x, y = factor(ifelse(flipped, other, class), labels = letters[1:problem$classes]))
  }
  train <- draw(problem$n)
  test <- draw(1000)
  list(x = train$x, y = train$y, test_x = test$x, test_y = test$y)
}

synthetic_predictions <- function(problem) {
  function(fit, data) {
    if (problem$classes == 0) return(list(mean = predict(fit, data$test_x)))
    probability <- predict(fit, data$test_x, type = "prob")
    list(class = predict(fit, data$test_x), probability = probability)
  }
}

#' The model of a problem with a fixed kernel
scaling_engine <- function(problem) {
  model <- scaling_models[[problem$model]]
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      suppressWarnings(model$fit(data$x, data$y, problem$m,
        kernel = kernel_rbf(if (problem$classes == 0) 1 else 10, 2 * sqrt(problem$p)),
        optimise = FALSE, standardise = FALSE, seed = job$seed, threads = job$threads,
        verbose = FALSE
      ), classes = "gpsieve_warning")
    },
    predict = synthetic_predictions(problem),
    size = function(fit) {
      active <- tryCatch(active_set(fit), error = function(e) seq_len(problem$m))
      max(lengths(if (is.list(active)) active else list(active)))
    }
  )
}

scaling_case <- list(
  about = "Synthetic data: exponents of time and memory of every model in n, m, p and classes",
  shows = paste(
    "Synthetic data, fixed kernels: every model with its rows, its functions, inducing inputs or",
    "candidates, its inputs and its classes varied one at a time; exponents of CPU time and of",
    "memory beside those of the stated formulas."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = scaling_problems,
  data = scaling_data,
  engines = function(problem) list("gpsieve" = scaling_engine(problem))
)

#' Measured exponents beside those of the formulas, a row for each model and varied size
#'
#' Both are slopes by least squares on log-log scales. The memory of the process before the fit is
#' subtracted; where the formula's memory is below 30 MB the slope is left out.
scaling_slopes <- function(rows) {
  fields <- regmatches(rows$problem, regexec("^(.*): (\\w+) (\\d+)$", rows$problem))
  rows$model <- vapply(fields, `[`, "", 2L)
  rows$varied <- vapply(fields, `[`, "", 3L)
  rows$value <- as.numeric(vapply(fields, `[`, "", 4L))
  keys <- unique(rows[c("model", "varied")])
  do.call(rbind, Map(function(model, varied) {
    own <- rows[rows$model == model & rows$varied == varied, ]
    if (nrow(own) < 2L) return(NULL)
    spec <- scaling_models[[model]]
    at <- lapply(seq_len(nrow(own)), function(i) {
      sizes <- replace(spec$start, varied, own$value[i])
      c(list(n = own$n[i], m = sizes$m, p = own$p[i], a = own$size[i]),
        k = if (sizes$classes > 2) sizes$classes else 1
      )
    })
    formula <- function(expression) vapply(at, function(sizes) eval(expression, sizes), 0)
    slope <- function(cost) {
      if (any(is.na(cost) | cost <= 0)) return(NA_real_)
      stats::coef(stats::lm(log(cost) ~ log(own$value)))[[2L]]
    }
    bytes <- formula(spec$memory)
    data.frame(model, varied,
      values = paste(own$value, collapse = ", "), cpu = slope(own$cpu),
      cpu_formula = slope(formula(spec$cost)), seconds = paste(signif(own$cpu, 2), collapse = ", "),
      memory = if (max(bytes) < 3e7) NA else slope(own$peak_mb - own$base_mb),
      memory_formula = slope(bytes)
    )
  }, keys$model, keys$varied))
}
