# Relevance vector machines: the Mackey-Glass series and MNIST experiments of Quinonero-Candela and
# Winther (2003), and Ripley's synthetic classes.

#' The Mackey-Glass series dz/dt = 0.2 z(t - 17) / (1 + z(t - 17)^10) - 0.1 z(t), at whole times
#'
#' Runge-Kutta steps of 0.1 from the constant 1.2; the first 1000 units of time are left out.
mackey_glass <- function(n, delay = 17, step = 0.1, burn_in = 1000) {
  lag <- round(delay / step)
  steps <- round((n + burn_in) / step)
  z <- rep(1.2, steps + lag)
  slope <- function(now, then) 0.2 * then / (1 + then^10) - 0.1 * now
  for (i in (lag + 1):(length(z) - 1)) {
    then <- z[i - lag]
    after <- z[i - lag + 1]
    middle <- (then + after) / 2
    k1 <- slope(z[i], then)
    k2 <- slope(z[i] + step / 2 * k1, middle)
    k3 <- slope(z[i] + step / 2 * k2, middle)
    k4 <- slope(z[i] + step * k3, after)
    z[i + 1] <- z[i] + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
  }
  z[seq(lag + burn_in / step + 1, by = 1 / step, length.out = n)]
}

#' The part of the series from which all rows are drawn, computed once
mackey_glass_series <- local({
  series <- NULL
  function() {
    if (is.null(series)) series <<- mackey_glass(2400 + 5804 + 96)
    series
  }
})

#' Six steps ahead from 16 values 6 apart: `train` random rows and 5804 others for the test
#'
#' Inputs and response are on the scale of the standardised series, or of the series as it is, whose
#' standard deviation is about a quarter.
mackey_glass_rows <- function(train, seed, test = 5804, scale = "standardised") {
  rows <- 2400 + 5804
  z <- mackey_glass_series()
  if (scale == "standardised") z <- (z - mean(z)) / stats::sd(z)
  target <- 96 + seq_len(rows)
  x <- vapply(1:16, function(lag) z[target - 6 * lag], numeric(rows))
  set.seed(seed)
  chosen <- sample(rows)
  fit <- chosen[seq_len(train)]
  held <- chosen[2400 + seq_len(test)]
  list(x = x[fit, ], y = z[target[fit]], test_x = x[held, ], test_y = z[target[held]])
}

#' Gaussian basis functions of "variance" 10
paper_width <- function() gpsieve::kernel_rbf(1, sqrt(10))

rvm_engine <- function(kernel, ..., control = NULL) {
  settings <- list(...)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      own <- if (is.null(control)) control_rvm() else do.call(control_rvm, control)
      suppressWarnings(
        do.call(rvm, c(list(data$x, data$y,
          kernel = kernel(), basis = data$basis, optimise = FALSE, standardise = FALSE,
          control = own, seed = job$seed, threads = job$threads, verbose = FALSE
        ), settings)),
        classes = "gpsieve_warning_convergence"
      )
    },
    predict = function(fit, data) {
      out <- list(class = predict(fit, data$test_x))
      if (is.factor(data$test_y)) out$probability <- predict(fit, data$test_x, type = "prob")
      out
    },
    size = function(fit) length(active_set(fit))
  )
}

#' `kernlab::rvm()` for regression, with the kernel exp(-sigma |x - z|^2)
kernlab_rvm_engine <- function() {
  new_engine(
    packages = "kernlab",
    fit = function(data, job) {
      kernlab::rvm(data$x, data$y, kernel = "rbfdot", kpar = list(sigma = 1 / 20))
    },
    predict = function(fit, data) list(class = kernlab::predict(fit, data$test_x)[, 1L]),
    size = function(fit) length(kernlab::RVindex(fit))
  )
}

mackey_glass_case <- list(
  about = "Mackey-Glass, six steps ahead: subspace EM and fast updates beside kernlab",
  shows = paste(
    "The Mackey-Glass series of Quinonero-Candela and Winther (2003), six steps ahead from 16",
    "values, 400, 1000 and 2000 random rows, 5804 others for the test, kernel exp(-d^2 / 20):",
    "subspace EM by one sweep and by two, and fast updates, beside `kernlab::rvm()` (which stops",
    "with an error at 2000 rows)."
  ),
  packages = c("gpsieve", "kernlab"),
  seeds = 1:3,
  problems = function(quick) {
    lapply(if (quick) c(100, 200) else c(400, 1000, 2000), function(n) {
      list(name = paste("n", n), train = n)
    })
  },
  data = function(problem, seed) mackey_glass_rows(problem$train, seed),
  engines = function(problem) {
    engines <- list(
      "ssem" = rvm_engine(paper_width, control = list(sweeps = 1)),
      "ssem, default" = rvm_engine(paper_width),
      "ssem, 2 sweeps" = rvm_engine(paper_width, control = list(sweeps = 2)),
      "ssem, 2 sweeps, noise_start = 0.01" = rvm_engine(paper_width,
        control = list(sweeps = 2, noise_start = 0.01)
      ),
      "fast" = rvm_engine(paper_width, algorithm = "fast"),
      "kernlab" = kernlab_rvm_engine()
    )
    # At 2000 rows kernlab::rvm() stops with an error, which data-raw/rvm-paper.R records.
    if (problem$train >= 2000) engines$kernlab <- NULL
    engines
  }
)

rvm_ratio_case <- list(
  about = "Figure 3, left: subspace EM beside batch EM on growing Mackey-Glass sets",
  shows = paste(
    "Their Figure 3, left: subspace EM beside batch EM on 100 to 2400 rows of the same series."
  ),
  packages = "gpsieve",
  seeds = 1:10,
  problems = function(quick) {
    lapply(if (quick) c(100, 200) else c(100, 200, 400, 800, 1200, 1600, 2400), function(n) {
      list(name = paste("n", n), train = n)
    })
  },
  data = function(problem, seed) mackey_glass_rows(problem$train, seed),
  engines = function(problem) {
    list(
      "ssem" = rvm_engine(paper_width, control = list(sweeps = 1)), # as in the paper
      "batch em" = rvm_engine(paper_width, algorithm = "em"),
      "batch em, alpha 1" = rvm_engine(paper_width, algorithm = "em",
        control = list(alpha_start = 1)
      )
    )
  }
)

#' Digit 1 against as many others, 28 x 28 pixels between 0 and 1 on their first 16 principal
#' components; 800 of the rows are the centres
mnist_one_rows <- function(seed, quick) {
  folder <- gpsieve_data("mnist")
  if (is.null(folder)) return(NULL)
  pixels <- function(name) {
    images <- read_idx(file.path(folder, name))
    matrix(as.integer(images), dim(images)[3L], byrow = TRUE) / 255
  }
  digits <- function(name) as.integer(read_idx(file.path(folder, name)))
  train <- pixels("train-images-idx3-ubyte.gz")
  label <- digits("train-labels-idx1-ubyte.gz")
  set.seed(seed)
  ones <- which(label == 1)
  rest <- sample(which(label != 1), length(ones))
  rows <- sample(c(ones, rest))
  if (quick) rows <- rows[1:1500]
  train <- train[rows, ]
  center <- colMeans(train)
  centred <- sweep(train, 2L, center)
  rotation <- eigen(crossprod(centred), symmetric = TRUE)$vectors[, 1:16]
  project <- function(x) sweep(x, 2L, center) %*% rotation
  x <- project(train)
  test <- pixels("t10k-images-idx3-ubyte.gz")
  list(
    x = x, y = against_rest(label[rows], 1), basis = x[seq_len(if (quick) 100 else 800), ],
    test_x = project(test), test_y = against_rest(digits("t10k-labels-idx1-ubyte.gz"), 1)
  )
}

mnist_one_case <- list(
  about = "MNIST, digit 1 against the rest: 16 components, 13484 rows, 800 candidates",
  shows = paste(
    "Their MNIST experiment: digit 1 against as many others, 13484 rows, 16 principal components,",
    "800 rows as centres, 50 iterations of subspace and batch EM, TAP and Laplace, both rules for",
    "the precisions; fast updates beside them."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = function(quick) list(list(name = "1 against the rest", quick = quick)),
  data = function(problem, seed) mnist_one_rows(seed, problem$quick),
  engines = function(problem) {
    machine <- function(...) {
      rvm_engine(function() gpsieve::kernel_rbf(1, sqrt(10)), ...)
    }
    # 50 iterations, as in the paper, of EM with either rule for the precisions.
    fifty <- function(update = "mackay") list(max_iter = 50, update = update)
    list(
      "ssem tap" = machine(control = fifty()),
      "batch em tap" = machine(algorithm = "em", control = fifty()),
      "ssem laplace" = machine(inference = "laplace", control = fifty()),
      "batch em laplace" = machine(inference = "laplace", algorithm = "em", control = fifty()),
      "ssem laplace, em rule" = machine(inference = "laplace", control = fifty("em")),
      "batch laplace, em rule" = machine(inference = "laplace", algorithm = "em",
        control = fifty("em")
      ),
      "fast laplace" = machine(inference = "laplace", algorithm = "fast",
        control = list(tol = 1e-2)
      )
    )
  }
)

ripley_case <- list(
  about = "Ripley's synthetic two-class data: three algorithms, three approximations",
  shows = paste(
    "Ripley's two classes (`MASS::synth.tr`, 250 rows, 1000 to test), kernel width 0.5: three",
    "algorithms, three approximations. Medians of 3 seeds, which set the order of the visits."
  ),
  packages = c("gpsieve", "MASS"),
  seeds = 1:3,
  problems = function(quick) list(list(name = "synth")),
  data = function(problem, seed) {
    inputs <- function(data) as.matrix(data[c("xs", "ys")])
    list(
      x = inputs(MASS::synth.tr), y = factor(MASS::synth.tr$yc),
      test_x = inputs(MASS::synth.te), test_y = factor(MASS::synth.te$yc)
    )
  },
  engines = function(problem) {
    width <- function() gpsieve::kernel_rbf(1, 0.5)
    list(
      "ssem tap" = rvm_engine(width),
      "ssem laplace" = rvm_engine(width, inference = "laplace"),
      "ssem naive" = rvm_engine(width, inference = "naive"),
      "em tap" = rvm_engine(width, algorithm = "em"),
      "fast tap" = rvm_engine(width, algorithm = "fast", control = list(tol = 1e-4))
    )
  }
)
