# The evidence of the informative vector machine, its gradient, and learning by it.

test_that("the evidence is that of the sites, summed over classes", {
  toy <- toy_data("multiclass")
  x <- as.matrix(toy$x)
  kernel <- kernel_rbf(2, c(1, 10))
  fit <- given(x, toy$y, kernel = kernel, n_active = 12)
  each <- vapply(split(sites(fit), sites(fit)$class), function(s) {
    log_normal_density(s$mean, kernel_matrix(kernel, x[s$row, ]) + diag(1 / s$precision))
  }, 0)
  expect_equal(evidence(fit)$value, sum(each), tolerance = 1e-8)
  expect_identical(evidence(fit)$kind, "active set")
})

# The kernel that a call makes with hyper-parameters `theta` (log scale) in place of its own.
rebuilt <- function(maker, theta) do.call(maker, unname(as.list(exp(theta))))

gradient_cases <- list(
  "rbf" = function(v, l) kernel_rbf(v, l),
  "rbf, ARD" = function(v, l, m) kernel_rbf(v, c(l, m)),
  "matern 1/2" = function(v, l) kernel_matern(0.5, v, l),
  "matern 3/2, ARD" = function(v, l, m) kernel_matern(1.5, v, c(l, m)),
  "matern 5/2" = function(v, l) kernel_matern(2.5, v, l),
  "rational quadratic" = function(v, l, a) kernel_rational_quadratic(v, l, a),
  "linear" = function(v, w) kernel_linear(v) + kernel_white(w),
  "polynomial" = function(v, o, s, w) kernel_polynomial(2, v, o, s) + kernel_white(w),
  "periodic" = function(v, l, p) kernel_periodic(v, l, p),
  "sum" = function(v, l, c, w) kernel_rbf(v, l) + kernel_constant(c) + kernel_white(w),
  "product" = function(v, l, c, p, q) kernel_rbf(v, l) * kernel_periodic(c, p, q),
  "on columns" = function(v, l, w, m) {
    kernel_on(kernel_rbf(v, l), 1) + kernel_on(kernel_matern(1.5, w, m), "b")
  }
)

for (name in names(gradient_cases)) {
  test_that(paste("the evidence's gradient is that of differences:", name), {
    maker <- gradient_cases[[name]]
    for (draw in 1:3) {
      theta <- with_own_seed(draw, rnorm(length(formals(maker)), 0, 0.4))
      fit <- given(law_x, law_class, kernel = rebuilt(maker, theta), n_active = 15)
      s <- sites(fit)
      value <- function(theta) {
        k <- kernel_matrix(rebuilt(maker, theta), law_x[s$row, ])
        log_normal_density(s$mean, k + diag(1 / s$precision))
      }
      found <- evidence(fit, gradient = TRUE)
      expect_equal(found$value, value(theta), tolerance = 1e-8)
      differences <- central_gradient(value, theta)
      expect_length(found$gradient, length(theta))
      expect_lt(
        max(abs(found$gradient - differences)) / max(1, abs(differences)), 1e-6
      )
    }
  })
}

test_that("Gaussian noise takes part in the gradient, fixed values do not", {
  for (standardise in c(FALSE, TRUE)) {
    fit <- ivm(law_x, law_y, kernel_rbf(2, fixed(0.8)), lik_gaussian(0.2),
      n_active = 15,
      optimise = FALSE, standardise = standardise, seed = 1
    )
    s <- sites(fit)
    x <- if (standardise) scale(law_x)[s$row, ] else law_x[s$row, ]
    value <- function(theta) {
      k <- kernel_matrix(kernel_rbf(exp(theta[1]), 0.8), x)
      log_normal_density(s$mean, k + diag(exp(theta[2]), 15))
    }
    gradient <- evidence(fit, gradient = TRUE)$gradient
    expect_named(gradient, c("variance", "likelihood.variance"))
    expect_close(gradient, central_gradient(value, log(c(2, 0.2))), 1e-6)
  }
})

# ---- learning ----

test_that("optimise = FALSE keeps kernel and likelihood exactly", {
  kernel <- kernel_rbf(1 / 3, c(0.7, 1.1)) * kernel_constant(pi) + kernel_white(0.01)
  fit <- ivm(law_x, law_y, kernel, lik_gaussian(0.123), optimise = FALSE, n_active = 10)
  expect_identical(kernel_of(fit), kernel)
  expect_identical(likelihood_of(fit), lik_gaussian(0.123))
})

test_that("what is fixed stays, what is not moves", {
  kernel <- kernel_rbf(fixed(1 / 3), 3) + kernel_constant(fixed(0.1))
  fit <- ivm(law_x, law_y, kernel, lik_gaussian(fixed(0.123)), n_active = 20, seed = 1)
  expect_identical(likelihood_of(fit)$values$variance, 0.123)
  found <- coef(fit)
  expect_gt(abs(found[["rbf.lengthscale"]] - 3), 0.1)
  kept <- kernel_rbf(fixed(1 / 3), found[["rbf.lengthscale"]]) + kernel_constant(fixed(0.1))
  expect_equal(kernel_of(fit), kept, tolerance = 1e-14)
  expect_identical(
    kernel_matrix(kernel_of(fit), matrix(0)), kernel_matrix(kernel, matrix(0))
  )
  nothing <- ivm(law_x, law_class, kernel_rbf(fixed(2), fixed(0.7)), n_active = 10, seed = 1)
  kept <- ivm(law_x, law_class, kernel_rbf(fixed(2), fixed(0.7)), n_active = 10, seed = 1,
    optimise = FALSE
  )
  expect_identical(all_predictions(nothing, law_new), all_predictions(kept, law_new))
  expect_identical(attr(logLik(nothing), "df"), 0L)
})

test_that("learning raises the evidence of numbers", {
  for (refine in c(0, 3)) {
    start <- ivm(law_x, law_y, kernel_rbf(0.1, 5), optimise = FALSE, refine = refine, seed = 1)
    learned <- ivm(law_x, law_y, kernel_rbf(0.1, 5), refine = refine, seed = 1)
    expect_gt(evidence(learned)$value, evidence(start)$value)
  }
})

test_that("learning lowers the loss on new rows of classes", {
  x <- uniform_inputs(200)
  y <- noisy_labels(x, flip = 0.05)
  new <- uniform_inputs(400, seed = 21)
  truth <- noisy_labels(new, flip = 0.05, seed = 22)
  loss <- function(...) {
    p <- predict(ivm(x, y, kernel_rbf(0.1, 5), n_active = 50, seed = 1, ...), new, type = "prob")
    -mean(log(p[cbind(1:400, as.integer(truth))]))
  }
  expect_lt(loss(), loss(optimise = FALSE) - 0.1)
})

test_that("all rows active, Gaussian noise: learning ends where the gradient vanishes", {
  for (refine in c(0, 3)) {
    fit <- with_functions(list(ivm_learning_steps = 100), {
      ivm(law_x, law_y, kernel_rbf(1, 1), lik_gaussian(0.1), seed = 1, refine = refine,
        control = control_ivm(rounds = 5, prior = NULL)
      )
    })
    expect_lt(max(abs(evidence(fit, gradient = TRUE)$gradient)), 1e-2)
  }
})

test_that("a refined machine has the hyper-parameters of the dense model of all rows", {
  y <- factor(law_y > 0)
  fit <- with_functions(list(ivm_learning_steps = 100), {
    whatever_it_learns(ivm(law_x, y, n_active = 10, seed = 1, prior_mean = 0,
      control = control_ivm(prior = NULL)
    ))
  })
  dense <- whatever_it_learns(meanfield_gp(law_x, y, seed = 1, prior_mean = 0,
    control = control_meanfield(prior = NULL, steps = 100)
  ))
  expect_equal(coef(fit), coef(dense), tolerance = 0.02)
})

test_that("ARD tells the inputs that matter from those that do not", {
  x <- uniform_inputs(300, 4)
  for (y in list(sin(2 * x[, 1]) + x[, 2], factor(sin(2 * x[, 1]) + x[, 2] > 0))) {
    fit <- whatever_it_learns(ivm(x, y, kernel_rbf(1, rep(1, 4)), n_active = 60, seed = 1))
    lengthscale <- coef(fit)[paste0("lengthscale.", letters[1:4])]
    expect_gt(min(lengthscale[c("lengthscale.c", "lengthscale.d")]), 3 * max(lengthscale[1:2]))
  }
})

test_that("hyper-parameters of simulated data are found again", {
  x <- matrix(seq(-10, 10, length.out = 300))
  ratios <- vapply(1:3, function(seed) {
    f <- with_own_seed(seed, drop(t(chol(rbf(x, x, 2, 0.8) + diag(1e-8, 300))) %*% rnorm(300)))
    y <- f + with_own_seed(seed + 100, rnorm(300, sd = 0.3))
    fit <- ivm(x, y, standardise = FALSE, n_active = 100, seed = 1)
    coef(fit)[c("lengthscale", "likelihood.variance")] / c(0.8, 0.09)
  }, numeric(2))
  expect_true(all(ratios > 1 / 1.5 & ratios < 1.5))
})

test_that("an evidence that is not a number leaves the hyper-parameters as they were", {
  x <- uniform_inputs(25, 1)
  expect_warning(class = "gpsieve_warning_no_signal", fit <- ivm(x, sin(2 * x[, 1]),
    n_active = 10, prior_mean = 1e300, kernel = kernel_rbf(2, 0.5), seed = 1, verbose = FALSE
  ))
  expect_identical(unname(coef(fit)[c("variance", "lengthscale")]), c(2, 0.5))
})

test_that("Student noise is learned beside a function that has hardly any", {
  x <- matrix(with_own_seed(1, stats::runif(80)), 40)
  y <- sin(5 * x[, 1]) + x[, 2]^2
  # Sites of negative precision that suit one kernel have no posterior with another one.
  expect_no_warning(
    fit <- ivm(x, y, kernel_rich(), lik_student(3), n_active = 40, criterion = "random", seed = 1,
      verbose = FALSE, control = control_ivm(rounds = 1))
  )
  expect_gt(evidence(fit)$value, 40)
})

# ---- learning of the machine of the paper ----

# Two classes whose probabilities come from a function that is as smooth as `wave` says
classes_of_wave <- function(n, wave, seed) {
  with_own_seed(seed, {
    d <- data.frame(a = runif(n), b = runif(n))
    f <- 3 * sin(wave * d$a) + 2 * d$b - 1
    d$y <- factor(ifelse(runif(n) < pnorm(f), "yes", "no"))
    d
  })
}
log_loss_of <- function(fit, new) {
  p <- predict(fit, new, type = "prob")
  -mean(log(p[cbind(seq_len(nrow(new)), as.integer(new$y))]))
}

test_that("the machine without refinement learns two classes, and as well as the refined one", {
  new <- classes_of_wave(400, 8, 99)
  for (start in c(0.3, 5)) {
    train <- classes_of_wave(240, 8, 1)
    kernel <- kernel_rbf(1, start)
    begun <- ivm(y ~ ., train, kernel, refine = 0, optimise = FALSE, seed = 1)
    learned <- ivm(y ~ ., train, kernel, refine = 0, seed = 1)
    refined <- ivm(y ~ ., train, kernel, seed = 1)
    expect_gt(max(abs(log(coef(learned) / coef(begun)))), 0.1)
    expect_lt(log_loss_of(learned, new), log_loss_of(begun, new))
    expect_lt(log_loss_of(learned, new), 1.1 * log_loss_of(refined, new))
  }
})

test_that("learning that ends where it began says so", {
  train <- lapply(1:2, classes_of_wave, n = 60, wave = 4)
  kinds <- list(
    classes = function(d) d, numbers = function(d) transform(d, y = sin(4 * a) + b^2),
    "three classes" = function(d) transform(d, y = cut(a + b / 2, 3, labels = c("p", "q", "r")))
  )
  for (kind in kinds) {
    for (data in lapply(train, kind)) {
      for (start in c(0.05, 1, 20)) {
        seen <- character()
        fit_of <- function(optimise) {
          withCallingHandlers(
            ivm(y ~ ., data, kernel_rbf(1, start), refine = 0, optimise = optimise, seed = 1),
            gpsieve_warning = function(w) {
              seen <<- c(seen, class(w))
              invokeRestart("muffleWarning")
            }
          )
        }
        at_start <- identical(c(coef(fit_of(TRUE))), c(coef(fit_of(FALSE))))
        expect_identical("gpsieve_warning_not_learned" %in% seen, at_start)
      }
    }
  }
  # A way along which the held-out rows gain nothing ends at the start.
  search <- list(origin = c(0, 1), range = 3)
  found <- gpsieve:::ascend_by_rounds(search$origin, function(theta) -sum(abs(theta - c(0, 1))),
    function(theta, round) theta + 1, search, rounds = 5, least_gain = 0)
  expect_identical(found$theta, search$origin)
  expect_warning(gpsieve:::warn_if_at_start(found$theta, search),
    class = "gpsieve_warning_not_learned")
})

test_that("the trace has the information of every inclusion", {
  train <- classes_of_wave(40, 4, 5)
  fit <- ivm(y ~ ., train, kernel_rbf(1, 0.5), n_active = 20, refine = 0, optimise = FALSE,
    seed = 1)
  # With S the root precisions of the sites, the entropies of all inclusions sum to that of the
  # active set, log det(I + S K S) / 2.
  s <- sites(fit)
  x <- scale(as.matrix(train[c("a", "b")]))[s$row, ]
  root <- sqrt(s$precision)
  total <- determinant(diag(20) + root * kernel_matrix(kernel_of(fit), x) * rep(root, each = 20))
  expect_equal(sum(fit_trace(fit)$information), as.vector(total$modulus) / 2, tolerance = 1e-8)
})

test_that("the trace on other rows is that of machines with fewer active rows", {
  train <- classes_of_wave(60, 4, 5)
  new <- classes_of_wave(30, 4, 6)
  numbers <- transform(train, y = 2 * a + sin(6 * b))
  new_numbers <- transform(new, y = 2 * a + sin(6 * b))
  ordered <- control_ivm(n_random = 0, n_full = Inf)
  calls <- list(
    list(y ~ ., train, new), list(y ~ ., numbers, new_numbers),
    list(Species ~ ., iris[seq(1, 150, 3), ], iris[seq(2, 150, 3), ]),
    list(y ~ ., rbind(train, train[1:20, ]), new), # rows that count twice
    list(y ~ a + offset(b), numbers, new_numbers)
  )
  for (call in calls) {
    fit_of <- function(size, refine = 0) {
      ivm(call[[1]], call[[2]], n_active = size, refine = refine, optimise = FALSE, seed = 1,
        control = ordered)
    }
    whole <- fit_of(12)
    trace <- fit_trace(whole, call[[3]])
    expect_identical(trace$iteration, 1:12)
    expect_true(all(trace$information > 0))
    # The sites are those of the selection, with refinement too.
    expect_equal(fit_trace(fit_of(12, 2), call[[3]]), trace, tolerance = 1e-12)
    truth <- model.response(model.frame(call[[1]], call[[3]]))
    for (size in c(1, 7, 12)) {
      fit <- fit_of(size)
      scores <- compare(a = fit, b = fit, newdata = call[[3]])
      expect_equal(trace$log_loss[size], -scores$score[1] / length(truth), tolerance = 1e-8)
      said <- predict(fit, call[[3]])
      error <- if (is.factor(truth)) mean(said != truth) else sqrt(mean((said - truth)^2))
      expect_equal(trace$error[size], error, tolerance = 1e-8)
      last <- utils::tail(fit_trace(fit), 1)
      expect_equal(unlist(trace[size, c("objective", "size", "information")]),
        unlist(last[c("objective", "size", "information")]), tolerance = 1e-8, ignore_attr = TRUE)
    }
  }
  # Rows with missing inputs or responses say nothing.
  holes <- new
  holes$a[3] <- NA
  holes$y[5] <- NA
  fit <- ivm(y ~ ., train, n_active = 10, optimise = FALSE, seed = 1)
  expect_equal(fit_trace(fit, holes), fit_trace(fit, new[-c(3, 5), ]))
  expect_equal(fit_trace(fit, new[c("a", "b")], new$y), fit_trace(fit, new))
})

test_that("what has no inclusions is refused", {
  train <- classes_of_wave(60, 4, 5)
  for (fit in list(
    online_gp(y ~ ., train, optimise = FALSE, seed = 1),
    ivm(y ~ ., train, leaf_rows = 30, optimise = FALSE, seed = 1)
  )) {
    expect_error(fit_trace(fit, train), class = "gpsieve_error_unsupported")
  }
  fit <- ivm(y ~ ., train, n_active = 10, optimise = FALSE, seed = 1)
  expect_error(fit_trace(fit, y = train$y), class = "gpsieve_error_argument")
  expect_error(fit_trace(fit, train[0, ]), class = "gpsieve_error_data")
  expect_error(fit_trace(fit, train[c("a", "b")]), class = "gpsieve_error")
})
