# Inducing inputs of ep_gp(): given, kept, learned, chosen.

test_that("a matrix of inducing inputs is taken as given, in the scale of x", {
  x <- sweep(ep_x, 2, c(100, 0.01), "*")
  z <- sweep(ep_z, 2, c(100, 0.01), "*")
  for (standardise in c(TRUE, FALSE)) for (given_as in list(z, as.data.frame(z), unname(z))) {
    fit <- ep_fixed(x, ep_class, inducing = given_as, standardise = standardise,
      kernel = kernel_rbf(1, if (standardise) c(1, 1) else c(100, 0.01))
    )
    expect_equal(unname(inducing(fit)), unname(z), tolerance = 1e-12)
    expect_identical(colnames(inducing(fit)), c("a", "b"))
  }
  by_hand <- ep_fixed(scale(x), ep_class,
    inducing = scale(z, colMeans(x), apply(x, 2, sd)), kernel = kernel_rbf(1, c(1, 1))
  )
  own <- ep_fixed(x, ep_class, inducing = z, standardise = TRUE, kernel = kernel_rbf(1, c(1, 1)))
  new <- sweep(ep_new, 2, c(100, 0.01), "*")
  expect_equal(ep_link(own, new), ep_link(by_hand, scale(new, colMeans(x), apply(x, 2, sd))),
    tolerance = 1e-8
  )
  # So is the gradient by them.
  gradients <- lapply(list(own, by_hand), function(fit) evidence(fit, gradient = TRUE)$inducing)
  expect_equal(gradients[[1]], sweep(gradients[[2]], 2, apply(x, 2, sd), "/"),
    tolerance = 1e-7, ignore_attr = TRUE
  )
})

test_that("without learning, kernel, likelihood and inducing inputs stay as given", {
  kernel <- kernel_rbf(2, c(1, 0.7)) + kernel_white(0.01)
  for (method in c("ep", "sep", "adf")) for (batch_size in list(NULL, 20)) {
    fit <- ep_fixed(ep_x, ep_class, kernel = kernel, method = method, batch_size = batch_size,
      control = control_ep(max_iter = 300, tol = 1e-6)
    )
    expect_equal(unname(coef(fit)), c(2, 1, 0.7, 0.01, 1), tolerance = 1e-14)
    expect_equal(unname(inducing(fit)), unname(ep_z), tolerance = 1e-14)
  }
})

test_that("what is fixed stays fixed while the rest is learned", {
  learn <- function(...) {
    whatever_it_learns(ep_gp(ep_x, ep_class,
      inducing = ep_z, seed = 1, standardise = FALSE, verbose = FALSE,
      control = control_ep(max_iter = 20), ...
    ))
  }
  fit <- learn(kernel = kernel_rbf(fixed(2), 1), learn_inducing = FALSE)
  expect_identical(coef(fit)[["variance"]], 2)
  expect_gt(abs(coef(fit)[["lengthscale"]] - 1), 1e-3)
  expect_equal(unname(inducing(fit)), unname(ep_z), tolerance = 1e-14)
  fit <- learn(kernel = kernel_rbf(fixed(2), fixed(1)), likelihood = lik_probit(fixed(1)),
    learn_inducing = TRUE
  )
  expect_identical(unname(coef(fit)[1:2]), c(2, 1))
  expect_gt(max(abs(inducing(fit) - ep_z)), 1e-3)
  nothing <- learn(kernel = kernel_rbf(fixed(2), fixed(1)), likelihood = lik_probit(fixed(1)),
    learn_inducing = FALSE
  )
  expect_equal(unname(inducing(nothing)), unname(ep_z), tolerance = 1e-14)
})

test_that("update() goes back to the inducing inputs that were given", {
  for (standardise in c(TRUE, FALSE)) {
    fit <- ep_fixed(ep_x, ep_class, power = 0.7, jitter = 1e-4, standardise = standardise)
    again <- update(fit, x = ep_x, y = ep_class)
    expect_equal(inducing(again), inducing(fit), tolerance = 1e-14)
    expect_identical(ep_link(again), ep_link(fit))
    expect_identical(nrow(inducing(update(fit, x = ep_x, y = ep_class, inducing = 3))), 3L)
  }
})

test_that("inducing inputs start at active points, cluster centres or random rows", {
  for (init in c("ivm", "kmeans", "random")) {
    fit <- ep_fixed(ep_x, ep_class, inducing = 9, inducing_init = init)
    points <- inducing(fit)
    expect_identical(dim(points), c(9L, 2L))
    are_rows <- apply(points, 1, function(p) any(colSums(abs(t(ep_x) - p)) < 1e-12))
    expect_true(all(are_rows) || init == "kmeans")
    expect_true(all(abs(points) <= 2))
    expect_possible(fit)
  }
})

test_that("cluster centres of rows on a grid are the same in other units", {
  grid <- as.matrix(expand.grid(1:6, 1:6))
  for (k in c(5, 9, 20)) for (seed in 1:3) for (unit in c(60, 1 / 7, 1000 / 3)) {
    expect_equal(kmeans_centres(scale(grid * unit), k, seed), kmeans_centres(scale(grid), k, seed),
      tolerance = 1e-12)
  }
})

test_that("more inducing inputs than rows and equal inducing inputs give valid fits", {
  expect_identical(nrow(inducing(ep_fixed(ep_x[1:12, ], ep_class[1:12], inducing = 40))), 12L)
  many <- uniform_inputs(80, 2, 8)
  expect_possible(ep_fixed(ep_x[1:30, ], ep_class[1:30], inducing = many))
  once <- ep_fixed(ep_x, ep_class, jitter = 1e-8)
  twice <- ep_fixed(ep_x, ep_class, inducing = ep_z[c(1:7, 1:7), ], jitter = 1e-8)
  expect_same_link(once, twice, tolerance = 1e-4)
  repeated <- ep_x[rep(1:20, 3), ]
  for (init in c("ivm", "kmeans", "random")) {
    expect_possible(ep_fixed(repeated, ep_class[rep(1:20, 3)], inducing = 30, inducing_init = init))
  }
})

test_that("few rows of numbers are learned in two stages: inducing inputs first, then the kernel", {
  learn <- function(max_iter, ..., inducing = 9) {
    suppressWarnings(
      ep_gp(ep_x, ep_y, inducing = inducing, seed = 1, verbose = FALSE,
        control = control_ep(max_iter = max_iter), ...
      ),
      classes = "gpsieve_warning_convergence"
    )
  }
  value <- function(fit, name) coef(fit)[[name]]
  # A quarter of three passes is none: inducing inputs are where they start.
  start <- learn(3)
  later <- learn(40)
  expect_identical(inducing(start), inducing(learn(3, learn_inducing = FALSE)))
  expect_gt(max(abs(inducing(later) - inducing(start))), 1e-3)
  # The second stage learns the kernel, not the noise.
  expect_identical(value(later, "likelihood.variance"), value(start, "likelihood.variance"))
  expect_false(value(later, "lengthscale") == value(start, "lengthscale"))
  expect_false(
    value(learn(40, learn_inducing = FALSE), "likelihood.variance") ==
      value(start, "likelihood.variance")
  )
  # The first stage leaves hyper-parameters alone, and moves to a greater evidence.
  fixed_kernel <- kernel_rbf(fixed(1), fixed(1))
  noise <- lik_gaussian(fixed(0.1))
  moved <- learn(40, kernel = fixed_kernel, likelihood = noise)
  held <- learn(40, kernel = fixed_kernel, likelihood = noise, learn_inducing = FALSE)
  expect_identical(coef(moved), coef(held))
  expect_gt(as.numeric(logLik(moved)), as.numeric(logLik(held)))
  # Inducing inputs that the user gives stay, and classes have no stages.
  expect_equal(unname(inducing(learn(40, inducing = ep_z))), unname(ep_z), tolerance = 1e-14)
  of_classes <- function(optimise) {
    fit <- suppressWarnings(
      ep_gp(ep_x, ep_class, inducing = 9, optimise = optimise, seed = 1, verbose = FALSE),
      classes = "gpsieve_warning"
    )
    inducing(fit)
  }
  expect_identical(of_classes(TRUE), of_classes(FALSE))
})

test_that("two stages have the same bits for a source, for shards and with any number of threads", {
  table <- data.frame(ep_x, y = ep_y)
  fit <- function(data, threads = 1, ...) {
    suppressWarnings(
      ep_gp(y ~ ., data, inducing = 9, seed = 1, threads = threads, verbose = FALSE,
        control = control_ep(max_iter = 40, ...)
      ),
      classes = "gpsieve_warning_convergence"
    )
  }
  expect_identical(ep_link(fit(table, 2), table), ep_link(fit(table), table))
  source <- rows_from_matrix(as.matrix(table))
  expect_identical(ep_link(fit(source), table), ep_link(fit(table), table))
  sharded <- fit(table, shards = 3)
  expect_equal(ep_link(sharded, table), ep_link(fit(table), table), tolerance = 1e-6)
})

test_that("the number and the kind of the rows decide how ep_gp() learns", {
  settled <- function(n, kind, ..., sharded = FALSE) {
    given <- utils::modifyList(
      list(method = NULL, learn_inducing = NULL, batch_size = NULL, optimise = TRUE,
        control = control_ep()
      ),
      list(...), keep.null = TRUE
    )
    problem <- list(n = n, raw = ep_x, response = list(kind = kind))
    found <- with_ep_defaults(given, problem, sharded)
    list(found$method, found$batch_size, found$learn_inducing)
  }
  expect_identical(settled(5000, "real"), list("ep", NULL, NULL))
  expect_identical(settled(5001, "real"), list("sep", 200, TRUE))
  expect_identical(settled(5001, "real", sharded = TRUE), list("sep", NULL, TRUE))
  for (kind in c("count", "binary", "multiclass")) {
    expect_identical(settled(2000, kind), list("ep", NULL, FALSE))
    expect_identical(settled(2001, kind), list("sep", 200, TRUE))
  }
  # What is given is kept, and then there are no stages.
  expect_identical(settled(3000, "real", method = "sep"), list("sep", 200, TRUE))
  expect_identical(settled(3000, "real", learn_inducing = FALSE), list("sep", 200, FALSE))
  expect_identical(settled(1000, "real", batch_size = 50), list("sep", 50, FALSE))
  expect_identical(settled(1000, "real", optimise = FALSE), list("ep", NULL, FALSE))
  cold <- control_ep(warm_rows = 0)
  expect_identical(settled(1000, "real", control = cold), list("ep", NULL, FALSE))
})
