# Expectation propagation on inducing inputs: the engine of all `sep-` cases, and MNIST, even or odd
# digit, as in Hernandez-Lobato et al. (2015). data-raw/ep-paper.R uses this file, too.

#' The paper has no hyper-priors, and learning starts from the kernel that is given
paper_control <- function(...) control_ep(warm_rows = 0, prior = NULL, ...)

#' `ep_gp()` with the start values of the paper: one lengthscale per input, all equal to data$start,
#' variance 1 and noise 1e-3; the inducing inputs are learned
#'
#' @param ... Further arguments of `ep_gp()`; `verbose` is FALSE unless it is one of them.
#' @param steps Number of passes or minibatches of the fit, if the cost of one is reported.
ep_engine <- function(..., steps = NA_real_, gflop = NA_real_) {
  settings <- list(...)
  new_engine(
    packages = "gpsieve",
    fit = function(data, job) {
      kernel <- kernel_rbf(1, rep(data$start, ncol(data$x))) + kernel_white(1e-3)
      fixed <- list(
        data$x, data$y, kernel = kernel, learn_inducing = TRUE, control = paper_control(),
        seed = job$seed, threads = job$threads
      )
      do.call(ep_gp, c(fixed, utils::modifyList(list(verbose = FALSE), settings)))
    },
    predict = function(fit, data) {
      probability <- predict(fit, data$test_x, type = "prob")
      list(class = predict(fit, data$test_x), probability = probability)
    },
    size = function(fit) nrow(inducing(fit)),
    work = list(steps = steps, gflop = gflop)
  )
}

#' The square root of the median distance of some standardised rows, the paper's start lengthscale
start_lengthscale <- function(x, rows = seq_len(min(nrow(x), 500))) {
  center <- colMeans(x)
  spread <- sqrt(pmax(colMeans(x^2) - center^2, 0))
  spread[spread == 0] <- 1
  sqrt(stats::median(stats::dist(scale(x[rows, ], center, spread))))
}

#' Giga floating point operations of learning with one minibatch: s rows, p inputs, m inducing
#' inputs
#'
#' A multiplication and an addition count as two operations. The operations are:
#' * of order p: K_uf and K_uu, and twice as many for their gradients by lengthscales and inducing
#'   inputs;
#' * of order m^3: three Cholesky factors (of K_uu, of the posterior precision and of that of the
#'   cavity), two inverses from factors, four triangular solves, and two products for the common
#'   factor at new hyper-parameters and the gradient by K_uu;
#' * of order m^2 s: whitening the rows, their projections before and after the update, three
#'   weighted products of rows with rows, one product of rows with a covariance, and the
#'   transformation of the gradient back to K_uf.
minibatch_gflop <- function(p, m, s) {
  inputs <- 3 * (2 * p * m * s + 2 * p * m^2)
  cubic <- (3 / 3 + 2 * 2 / 3 + 4 + 2) * m^3
  rows <- (1 + 2 + 4 + 2 + 1) * m^2 * s
  1e-9 * (inputs + cubic + rows)
}

# --- MNIST, even or odd ------------------------------------------------------------------------

parity_settings <- list(inducing = 200, inducing_init = "random", batch_size = 200)

#' MNIST with the classes even and odd, read once; a twentieth of the rows if `quick`
parity_rows <- local({
  rows <- NULL
  function(quick) {
    if (is.null(rows)) {
      images <- mnist_28x28()
      if (is.null(images)) return(NULL)
      parity <- function(label) factor(ifelse(as.integer(label) %% 2 == 1, "even", "odd"))
      rows <<- list(
        x = images$train, y = parity(images$train_label), test_x = images$test,
        test_y = parity(images$test_label)
      )
    }
    if (!quick) return(rows)
    train <- seq_len(3000)
    test <- seq_len(500)
    list(
      x = rows$x[train, ], y = rows$y[train], test_x = rows$test_x[test, ],
      test_y = rows$test_y[test]
    )
  }
})

parity_data <- function(problem, seed) {
  rows <- parity_rows(problem$quick)
  if (is.null(rows)) return(NULL)
  set.seed(seed)
  c(rows, list(start = start_lengthscale(rows$x, sample(nrow(rows$x), 200))))
}

#' One of the methods with minibatches, and the package's defaults otherwise
parity_engine <- function(method, epochs, ..., n = 60000) {
  settings <- utils::modifyList(parity_settings, list(method = method, epochs = epochs, ...))
  steps <- epochs * ceiling(n / parity_settings$batch_size)
  gflop <- minibatch_gflop(784, parity_settings$inducing, parity_settings$batch_size)
  do.call(ep_engine, c(settings, list(steps = steps, gflop = gflop * steps)))
}

parity_case <- list(
  about = "MNIST 28 x 28, even or odd: stochastic EP",
  shows = paste(
    "MNIST, 784 standardised pixels, even or odd, n = 60000, m = minibatch = 200, random rows as",
    "first inducing inputs: stochastic EP after 1 and 8 epochs with the defaults (ADADELTA, warm",
    "start)."
  ),
  packages = "gpsieve",
  seeds = 1L,
  problems = function(quick) list(list(name = "even or odd", quick = quick)),
  data = parity_data,
  engines = function(problem) {
    epochs <- if (problem$quick) c(2, 1) else c(8, 1)
    n <- if (problem$quick) 3000 else 60000
    engines <- lapply(epochs, function(count) parity_engine("sep", count, n = n))
    names(engines) <- paste0("sep, ", epochs, ifelse(epochs == 1, " epoch", " epochs"))
    # The same fit with cluster centres as first inducing inputs, and with the package's default.
    for (init in c("kmeans", "ivm")) {
      engines[[sprintf("sep, %d epochs, %s", epochs[1L], init)]] <-
        parity_engine("sep", epochs[1L], inducing_init = init, n = n)
    }
    engines
  }
)
