# ep_gp() with rows from sources, its checkpoints, and what an interrupted fit leaves.

ep_rows_data <- function(kind = "binary", n = 230) {
  toy <- toy_data(kind, n = n)
  data <- toy$data
  data$g <- factor(rep_len(c("u", "v", "w"), n))
  data
}

# Nothing that a source takes from its sample of rows depends on the data here.
fit_ep_rows <- function(data, method = "sep", ..., batch_size = 20, window = 60, epochs = 2,
                        optimise = FALSE) {
  control <- control_ep(window = window, warm_rows = 0, max_iter = 5, ...)
  suppressWarnings(ep_gp(y ~ a + b + g, data,
    kernel = kernel_rbf(1, 1), inducing = inducing_for_rows, method = method,
    batch_size = batch_size, epochs = epochs, optimise = optimise, seed = 1, verbose = FALSE,
    control = control
  ), classes = "gpsieve_warning_convergence")
}
inducing_for_rows <- with_own_seed(1, matrix(rnorm(40), 8, 5))

same_ep_fit <- function(a, b) {
  for (part in c("posteriors", "basis", "sites", "loo", "calibration", "n", "kernel", "state")) {
    expect_identical(a[[part]], b[[part]])
  }
  expect_identical(evidence(a, gradient = TRUE), evidence(b, gradient = TRUE))
  shown <- c("iteration", "objective", "size", "validation")
  expect_identical(a$trace[intersect(shown, names(a$trace))],
    b$trace[intersect(shown, names(b$trace))]
  )
}

test_that("minibatches from a source give the bits that the rows in memory give", {
  for (kind in c("binary", "regression", "multiclass")) {
    data <- ep_rows_data(kind)
    for (method in c("sep", "adf", "ep")) {
      reference <- fit_ep_rows(data, method)
      for (size in c(7, 1000)) {
        same_ep_fit(fit_ep_rows(rows_of_frame(data, size), method), reference)
      }
    }
    learned <- fit_ep_rows(data, optimise = TRUE)
    same_ep_fit(fit_ep_rows(rows_of_frame(data, 31), optimise = TRUE), learned)
    expect_false(identical(coef(learned), coef(reference)))
  }
})

test_that("passes over all rows of a source give the bits that the rows in memory give", {
  for (kind in c("binary", "multiclass")) {
    data <- ep_rows_data(kind)
    for (method in c("sep", "ep")) {
      for (optimise in c(FALSE, TRUE)) {
        fit <- function(data, window) {
          fit_ep_rows(data, method, batch_size = NULL, epochs = 4, window = window,
            optimise = optimise
          )
        }
        same_ep_fit(fit(rows_of_frame(data, 31), 60), fit(data, NULL))
      }
    }
  }
})

test_that("a fit to a source depends on the window and not on the blocks", {
  data <- ep_rows_data()
  wide <- fit_ep_rows(rows_of_frame(data, 50), window = 230)
  same_ep_fit(wide, fit_ep_rows(data, window = NULL))
  expect_false(identical(wide$posteriors, fit_ep_rows(rows_of_frame(data, 50))$posteriors))
})

test_that("first hyper-parameters and inducing inputs come from a sample of the source", {
  data <- ep_rows_data()
  fit <- function(size) {
    ep_gp(y ~ a + b, rows_of_frame(data, size), inducing = 6, epochs = 2, batch_size = 50, seed = 2,
      verbose = FALSE
    )
  }
  one <- fit(11)
  same_ep_fit(one, fit(90))
  expect_equal(nobs(one), 230)
  expect_gt(mean(predict(one, data) == data$y), 0.7)
})

test_that("what a source cannot do is an error before any work", {
  data <- ep_rows_data()
  rows <- rows_of_frame(data, 50)
  expect_snapshot(error = TRUE, {
    fit_ep_rows(rows, validation = 0.2)
    fit_ep_rows(rows, batch_size = 100)
    ep_gp(y ~ a, rows, method = "ep", seed = 1, control = control_ep(optimiser = "nlminb"))
    ep_gp(y ~ a, rows, batch_size = 231, seed = 1)
  })
})

test_that("a source that fails or changes in mid-fit is an error that names block and row", {
  data <- ep_rows_data()
  failing <- function(change, pass = 2) {
    passes <- 0
    inner <- NULL
    source <- rows_from_function(function(reset) {
      if (!reset) return(inner$read(FALSE))
      passes <<- passes + 1
      inner <<- if (passes < pass) rows_of_frame(data, 30) else change()
      inner$read(TRUE)
    })
    source$close <- function() closed <<- TRUE
    source
  }
  closed <- FALSE
  changed <- function(column, value, row = 100) {
    function() {
      data[[column]] <- replace(data[[column]], row, value)
      rows_of_frame(data, 30)
    }
  }
  expect_snapshot(error = TRUE, {
    fit_ep_rows(failing(changed("a", NA)))
    fit_ep_rows(failing(changed("a", "text")))
    fit_ep_rows(failing(function() rows_of_frame(data[0, ], 30)))
    fit_ep_rows(failing(function() rows_of_frame(data[1:100, ], 30)))
    fit_ep_rows(failing(function() rows_of_frame(rbind(data, data), 30)))
    fit_ep_rows(failing(function() {
      rows_of_frame(data, 30, on_block = function(block) if (block == 4) stop("the disk is gone"))
    }))
    fit_ep_rows(failing(changed("y", NA)))
  })
  expect_true(closed)
  expect_error(fit_ep_rows(failing(function() {
    rows_of_frame(transform(data, g = factor(replace(as.character(g), 200, "new"))), 30)
  })), "same levels", class = "gpsieve_error_data")
})

test_that("one class in the first rows is no error", {
  data <- ep_rows_data()
  data <- data[order(data$y), ]
  fit <- fit_ep_rows(rows_of_frame(data, 10))
  expect_setequal(as.character(predict(fit, data)), levels(data$y))
})

test_that("a fit that was stopped resumes with the bits of one that was left alone", {
  data <- ep_rows_data()
  path <- withr::local_tempfile(fileext = ".rds")
  for (method in c("sep", "ep")) {
    for (optimise in c(FALSE, TRUE)) {
      fit <- function(rows, ..., checkpoint = NULL) {
        suppressWarnings(ep_gp(y ~ a + b + g, rows,
          kernel = kernel_rbf(1, 1), inducing = 8, method = method, batch_size = 20, epochs = 2,
          optimise = optimise, seed = 1, verbose = FALSE, ...,
          control = control_ep(window = 60, every = 0, checkpoint = checkpoint, warm_rows = 50)
        ), classes = "gpsieve_warning_convergence")
      }
      passes <- 0
      dying <- rows_of_frame(data, 10, on_block = function(block) {
        if (block == 1) passes <<- passes + 1
        if (passes == 2 && block == 15) stop("killed")
      })
      reference <- fit(rows_of_frame(data, 10))
      expect_error(fit(dying, checkpoint = path), class = "gpsieve_error_data")
      so_far <- readRDS(path)
      expect_s3_class(so_far, "gpsieve_ep_gp")
      expect_false(so_far$converged)
      expect_length(predict(so_far, data), 230)
      expect_length(predict(last_fit(), data), 230)
      expect_output(print(last_fit()), "stopped before its end")
      same_ep_fit(fit(rows_of_frame(data, 10), resume = path), reference)
    }
  }
})

test_that("a fit to rows in memory resumes too, also one that keeps the best state", {
  data <- ep_rows_data()
  path <- withr::local_tempfile(fileext = ".rds")
  fit <- function(..., method = "sep", epochs = 3, seed = 1, x = data) {
    suppressWarnings(ep_gp(y ~ a + b, x,
      inducing = 8, method = method, batch_size = 40, epochs = 3, seed = seed, verbose = FALSE,
      ..., control = control_ep(checkpoint = path, every = 0, validation = 0.3, warm_rows = 0)
    ), classes = "gpsieve_warning_convergence")
  }
  whole <- fit()
  # The last checkpoint, and the one before it if the last is damaged.
  same_ep_fit(fit(resume = path), whole)
  writeBin(readBin(path, "raw", 200), path)
  same_ep_fit(fit(resume = path), whole)
  for (other in list(list(method = "adf"), list(seed = 2), list(x = data[-1, ]))) {
    expect_error(do.call(fit, c(other, resume = path)), "same call",
      class = "gpsieve_error_argument"
    )
  }
  expect_error(fit(resume = "none.rds"), "There is no file", class = "gpsieve_error_object")
})

test_that("what is drawn from a source at the start is drawn from many rows in windows alike", {
  data <- ep_rows_data("regression", 11000)
  fit <- function(data, window = 4000) {
    whatever_it_learns(ep_gp(y ~ a + b, data,
      inducing = 5, method = "sep", batch_size = 1000, epochs = 1, seed = 1, verbose = FALSE,
      control = control_ep(window = window, warm_rows = 40)
    ))
  }
  in_memory <- fit(data)
  same_ep_fit(fit(rows_of_frame(data, 3000)), in_memory)
  expect_false(identical(coef(fit(data, NULL)), coef(in_memory)))
})
