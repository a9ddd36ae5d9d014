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
    expect_message(do.call(model, c(shared, size = 1000)), class = "gpsieve_message_size")
    if (name == "online_gp") next # a budget is a limit, also for rows that come later
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

test_that("update() takes the size by either name", {
  fit <- ivm(dist ~ speed, cars, n_active = 8, optimise = FALSE, seed = 1)
  expect_length(active_set(update(fit, data = cars, size = 5)), 5)
  expect_length(active_set(update(fit, data = cars, n_active = 5)), 5)
  sized <- greedy_gp(dist ~ speed, cars, size = 5, optimise = FALSE, seed = 1)
  expect_identical(update(sized, data = cars, size = 3)$settings$n_basis, 3)
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
