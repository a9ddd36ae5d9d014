# The argument `size` of every sparse model, as a number and found from held-out rows.

sized <- list(
  ivm = list(ivm, "n_active"), ep_gp = list(ep_gp, "inducing"),
  online_gp = list(online_gp, "budget"),
  greedy_gp = list(greedy_gp, "n_basis"), rvm = list(rvm, "basis")
)

test_that("size is the model's own argument by another name", {
  toy <- toy_data("regression", 40)
  for (name in names(sized)) {
    model <- sized[[name]][[1]]
    own <- stats::setNames(list(12), sized[[name]][[2]])
    shared <- list(toy$x, toy$y, kernel_rbf(1, 1), lik_gaussian(0.1), optimise = FALSE, seed = 1)
    by_size <- do.call(model, c(shared, size = 12))
    by_name <- do.call(model, c(shared, own))
    expect_identical(predict(by_size, toy$new), predict(by_name, toy$new), info = name)
    expect_error(do.call(model, c(shared, own, size = 10)), class = "gpsieve_error_argument")
    expect_error(do.call(model, c(shared, size = 0)), class = "gpsieve_error_argument")
    if (name == "online_gp") { # a budget is a limit, also for rows that come later
      expect_no_message(by_size <- do.call(model, c(shared, size = 1000)))
      expect_identical(by_size$settings$budget, 1000)
      next
    }
    expect_message(do.call(model, c(shared, size = 1000)), class = "gpsieve_message_size")
    own[[1]] <- 41
    expect_message(by_name <- do.call(model, c(shared, own)), "more than the 40 rows: all rows",
      class = "gpsieve_message_size"
    )
    own[[1]] <- 40
    expect_no_message(by_size <- do.call(model, c(shared, own)))
    expect_identical(predict(by_name, toy$new), predict(by_size, toy$new), info = name)
  }
})

test_that("a size that is found stops where held-out rows gain nothing more", {
  x <- matrix(seq(-2, 2, length.out = 200))
  y <- with_own_seed(1, x[, 1] + rnorm(200, sd = 0.3))
  fit <- ivm(x, y, kernel_rbf(1, 1), lik_gaussian(0.1), size = "auto", optimise = FALSE, seed = 1)
  curve <- subset(fit_trace(fit), phase == "size")
  expect_identical(curve$size[1:2], c(25L, 50L))
  expect_lte(length(active_set(fit)), max(curve$size))
  expect_lt(nrow(curve), 4)
  same <- ivm(x, y, kernel_rbf(1, 1), lik_gaussian(0.1), n_active = "auto", optimise = FALSE,
    seed = 1)
  expect_identical(predict(same, x), predict(fit, x))
})

test_that("the fit of a size that ivm() finds is the one of this number", {
  for (refine in c(0, 2)) {
    for (response in list("Species", "Sepal.Width")) {
      fit <- function(...) {
        ivm(stats::reformulate(".", response), iris, refine = refine, optimise = FALSE, seed = 3,
          ...)
      }
      found <- fit(size = "auto")
      curve <- subset(fit_trace(found), phase == "size")
      size <- found$settings$n_active
      expect_true(size %in% curve$size)
      expect_identical(predict(found, iris, "link"), predict(fit(n_active = size), iris, "link"))
      expect_identical(fit(size = "auto", threads = 2)$posteriors, found$posteriors)
    }
  }
})

test_that("the curve of ivm() is the density of rows put aside under a fit to the others", {
  toy <- toy_data("binary", 120)
  fit <- function(...) {
    ivm(..., kernel = kernel_rbf(2, 1), likelihood = lik_probit(), optimise = FALSE, seed = 5,
      standardise = FALSE, prior_mean = 0.1, control = control_ivm(n_random = 0, n_full = Inf)
    )
  }
  aside <- rows_put_aside(120, toy$y, 5)
  expect_length(aside, 24)
  for (refine in c(0, 3)) {
    curve <- subset(fit_trace(fit(toy$x, toy$y, size = "auto", refine = refine)), phase == "size")
    for (round in 1:2) {
      part <- fit(toy$x[-aside, ], toy$y[-aside], n_active = curve$size[round], refine = refine)
      p <- predict(part, toy$x[aside, ], type = "prob")
      density <- log(p[cbind(seq_along(aside), as.integer(toy$y[aside]))])
      expect_equal(curve$objective[round], mean(density), tolerance = 1e-10)
    }
  }
})

test_that("rows put aside are spread over sorted rows and all classes", {
  classes <- factor(rep(c("a", "b", "c"), c(9000, 900, 100)))
  aside <- rows_put_aside(10000, classes, 1)
  expect_lte(length(aside), 1000)
  expect_equal(as.vector(table(classes[aside])), c(900, 90, 10), tolerance = 0.02)
  expect_identical(rows_put_aside(4, NULL, 1), integer())
  few <- ivm(dist ~ speed, cars[1:4, ], size = "auto", optimise = FALSE, seed = 1)
  expect_length(active_set(few), 4)
})

test_that("weights and offsets take part in the curve, and equal rows are one", {
  fit <- ivm(dist ~ speed, rbind(cars, cars), size = "auto", optimise = FALSE, seed = 1)
  expect_true(all(is.finite(subset(fit_trace(fit), phase == "size")$objective)))
  counts <- ivm(breaks ~ tension + offset(0.3 * (tension == "L")), warpbreaks,
    weights = rep(1:2, 27), likelihood = lik_poisson(), size = "auto", optimise = FALSE, seed = 1
  )
  expect_true(all(is.finite(subset(fit_trace(counts), phase == "size")$objective)))
})

test_that("a size that would not fit into memory is refused, and not grown to", {
  toy <- toy_data("regression", 400)
  fit <- function() {
    ivm(toy$x, toy$y, kernel_rbf(1, 0.05), lik_gaussian(1e-4), size = "auto", optimise = FALSE,
      seed = 1)
  }
  withr::with_options(list(gpsieve.max_memory = 1e3), {
    expect_error(fit(), class = "gpsieve_error_memory")
  })
  whole <- max(subset(fit_trace(fit()), phase == "size")$size)
  withr::with_options(list(gpsieve.max_memory = 1e6), {
    expect_lt(max(subset(fit_trace(fit()), phase == "size")$size), whole)
  })
})

test_that("update() takes the size by either name", {
  fit <- ivm(dist ~ speed, cars, n_active = 8, optimise = FALSE, seed = 1)
  expect_length(active_set(update(fit, data = cars, size = 5)), 5)
  expect_length(active_set(update(fit, data = cars, n_active = 5)), 5)
  sized <- greedy_gp(dist ~ speed, cars, size = 5, optimise = FALSE, seed = 1)
  expect_identical(update(sized, data = cars, size = 3)$settings$n_basis, 3)
})

test_that("an update with more rows has the size that was asked for, or the default", {
  toy <- toy_data("regression", 150)
  few <- 1:20
  for (name in setdiff(names(sized), "online_gp")) for (size in list(NULL, 30)) {
    shared <- list(kernel = kernel_rbf(1, 0.3), optimise = FALSE, standardise = FALSE, seed = 1)
    if (!is.null(size)) shared[[sized[[name]][[2]]]] <- size
    fit <- function(rows) {
      suppressWarnings(suppressMessages(
        do.call(sized[[name]][[1]], c(list(toy$x[rows, ], toy$y[rows]), shared))
      ))
    }
    of_few <- fit(few)
    more <- suppressWarnings(update(of_few, x = toy$x, y = toy$y))
    if (name %in% c("ivm", "ep_gp")) expect_identical(nrow(more$basis), nrow(fit(1:150)$basis))
    expect_identical(more$settings[[sized[[name]][[2]]]], fit(1:150)$settings[[sized[[name]][[2]]]])
    if (is.null(size)) {
      expect_no_message(suppressWarnings(update(of_few, x = toy$x[1:10, ], y = toy$y[1:10])))
    }
  }
})

test_that("an update of local_gp() is one, however few rows there are", {
  toy <- toy_data("regression", 60)
  for (likelihood in list(lik_gaussian(0.1), lik_student())) {
    maker <- if (takes_mean_field(likelihood)) local_gp else
      function(...) ivm(..., n_active = 2000, leaf_rows = 2000)
    fit <- maker(toy$x, toy$y, kernel_rbf(1, 1), likelihood, optimise = FALSE, seed = 1)
    expect_no_message(again <- update(fit, x = toy$x, y = toy$y))
    expect_identical(predict(again, toy$new), predict(fit, toy$new))
    expect_identical(evidence(again), evidence(fit))
    few <- update(fit, x = toy$x[1:20, ], y = toy$y[1:20])
    expect_identical(update(few, x = toy$x, y = toy$y)$labels, fit$labels)
  }
})

test_that("a source of rows takes a number as size, but not \"auto\"", {
  data <- toy_data("regression")$data
  for (model in list(ep_gp, online_gp)) {
    fit <- function(...) model(y ~ ., ..., optimise = FALSE, seed = 1, verbose = FALSE)
    sized <- suppressWarnings(fit(rows_of_frame(data), size = 5))
    expect_identical(nrow(sized$basis), 5L)
    expect_error(fit(rows_of_frame(data), size = "auto"), "all rows in memory",
      class = "gpsieve_error_unsupported")
  }
  expect_error(ivm(y ~ ., rows_of_frame(data), size = 5), "in memory",
    class = "gpsieve_error_unsupported")
})
