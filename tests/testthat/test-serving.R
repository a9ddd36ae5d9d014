# Rows predicted one at a time, as a service does.

test_that("a row alone has the bits of the row among many, whatever the size of the basis", {
  set.seed(5)
  n <- 620 # a triangle of so many columns is solved in several parts
  data <- data.frame(a = runif(n), b = runif(n))
  data$y <- sin(5 * data$a) + data$b + rnorm(n, sd = 0.1)
  data$k <- factor(data$y > 1)
  fits <- list(
    meanfield_gp(y ~ a + b, data, optimise = FALSE),
    ivm(k ~ a + b, data, n_active = 150, optimise = FALSE, seed = 1),
    ep_gp(y ~ a + b, data, inducing = 30, optimise = FALSE, seed = 1),
    greedy_gp(y ~ a + b, data, n_basis = 20, optimise = FALSE, seed = 1)
  )
  rows <- c(1:3, 50, 99)
  for (fit in fits) {
    together <- predict(fit, data[1:100, ], type = "link", se.fit = TRUE)
    few <- predict(fit, data[rows, ], type = "link", se.fit = TRUE)
    for (part in c("fit", "se.fit")) {
      alone <- vapply(rows, function(i) {
        predict(fit, data[i, ], type = "link", se.fit = TRUE)[[part]]
      }, 0)
      expect_identical(unname(alone), unname(together[[part]][rows]))
      expect_identical(unname(few[[part]]), unname(together[[part]][rows]))
    }
  }
})

test_that("a variance factor that is damaged is refused for one row and for many", {
  fit <- ivm(dist ~ speed, cars, optimise = FALSE, seed = 1)
  changes <- list(function(v) v[-1L], function(v) replace(v, 1L, -1),
    function(v) replace(v, 1L, NaN), as.character, function(v) numeric())
  for (change in changes) {
    broken <- fit
    broken$posteriors[[1L]]$down$factor <- change(fit$posteriors[[1L]]$down$factor)
    for (rows in list(1L, rep(1:50, 2))) {
      expect_error(predict(broken, cars[rows, ], se.fit = TRUE), class = "gpsieve_error_object")
    }
  }
  # Whole numbers stored as integers are the same factor.
  whole <- fit
  whole$posteriors[[1L]]$down$factor <- pmax(1, round(fit$posteriors[[1L]]$down$factor))
  integers <- whole
  storage.mode(integers$posteriors[[1L]]$down$factor) <- "integer"
  expect_identical(predict(integers, cars[1, ], se.fit = TRUE),
    predict(whole, cars[1, ], se.fit = TRUE))
})
