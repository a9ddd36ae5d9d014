# Checkpoints: which calls may go on from one, and what remains where one cannot be written.

checkpoint_data <- function(n = 60) {
  data <- toy_data("regression", n = n)$data
  data$c <- rev(data$a)
  data
}

# Fits that learn, whose hyper-parameters after a few steps tell nothing about the call.
resumable <- list(
  ep_gp = function(path, data = checkpoint_data(), formula = y ~ a + b, ...,
                   prior = prior_weak()) {
    whatever_it_learns(ep_gp(formula, data, inducing = 6, method = "ep", verbose = FALSE, ...,
      control = control_ep(max_iter = 4, warm_rows = 20, checkpoint = path, every = 0,
        prior = prior
      )
    ))
  },
  online_gp = function(path, data = checkpoint_data(), formula = y ~ a + b, ...,
                       prior = prior_weak()) {
    whatever_it_learns(online_gp(formula, rows_of_frame(data, 20), budget = 6, verbose = FALSE, ...,
      control = control_online(window = 20, learn_rows = 30, checkpoint = path, every = 0,
        prior = prior
      )
    ))
  }
)

shifted_kernel <- function(by) {
  kernel_function(function(x, z) exp(-abs(outer(x[, 1], z[, 1], "-")) / by))
}

test_that("resume takes the checkpoint of the same call only, also where values are learned", {
  path <- withr::local_tempfile(fileext = ".rds")
  data <- checkpoint_data()
  others <- list(
    "the kernel" = list(kernel = kernel_matern(1.5)),
    "the kernel" = list(kernel = kernel_rbf(lengthscale = fixed(2))),
    "the kernel" = list(kernel = kernel_rbf(ard = TRUE)),
    "the likelihood" = list(likelihood = lik_student()),
    "the likelihood" = list(likelihood = lik_gaussian(variance = fixed(0.1))),
    "the scales of columns or response" = list(standardise = FALSE),
    "the scales of columns or response" = list(standardise = "common"),
    "the prior mean" = list(prior_mean = 0.5),
    "the settings" = list(optimise = FALSE),
    "the settings" = list(prior = prior_weak(spread = 2)),
    "the formula" = list(formula = y ~ b + a),
    "the formula" = list(formula = y ~ a + c),
    "the rows" = list(data = replace(data, "y", replace(data$y, 60, data$y[60] + 1e-9))),
    "the rows" = list(data = data[-1, ]),
    "the seed" = list(seed = 2)
  )
  for (model in names(resumable)) {
    fit <- function(...) resumable[[model]](path, ...)
    whole <- fit(seed = 1)
    for (i in seq_along(others)) {
      other <- utils::modifyList(list(seed = 1), others[[i]])
      expect_error(do.call(fit, c(other, resume = path)), names(others)[i],
        class = "gpsieve_error_argument", info = paste(model, i)
      )
    }
    expect_identical(fit(resume = path)$posteriors, whole$posteriors)
    expect_identical(fit(resume = path, seed = 1)$posteriors, whole$posteriors)
  }
  expect_error(resumable$ep_gp(path, resume = path), "the model", class = "gpsieve_error_argument")
  expect_snapshot(error = TRUE, {
    resumable$online_gp(path, resume = path, seed = 1, kernel = kernel_matern(1.5), prior_mean = 1)
  }, transform = function(lines) sub(path, "state.rds", lines, fixed = TRUE))
})

test_that("functions as kernels are told apart by what they return, not by their environment", {
  path <- withr::local_tempfile(fileext = ".rds")
  for (fit in resumable) {
    whole <- fit(path, kernel = shifted_kernel(1), seed = 1)
    again <- fit(path, kernel = shifted_kernel(1), seed = 1, resume = path)
    expect_identical(again$posteriors, whole$posteriors)
    expect_error(fit(path, kernel = shifted_kernel(2), seed = 1, resume = path), "the kernel",
      class = "gpsieve_error_argument"
    )
  }
})

test_that("a checkpoint that does not say what its call asked for is refused", {
  path <- withr::local_tempfile(fileext = ".rds")
  fit <- resumable$ep_gp
  whole <- fit(path, seed = 1)
  found <- gpsieve:::read_checkpoint(path)
  gpsieve:::write_checkpoint(found$object, found$extra[c("state", "start")], path)
  expect_error(fit(path, resume = path, seed = 1), "the version of the package",
    class = "gpsieve_error_argument"
  )
})

test_that("a fit that cannot write its state says so once, goes on, and the last state remains", {
  path <- withr::local_tempfile(fileext = ".rds")
  for (model in names(resumable)) {
    fit <- resumable[[model]]
    whole <- fit(path, seed = 1)
    kept <- lapply(paste0(path, c("", ".previous")), readRDS)
    # Ways in which a disk fails: a file that ends early without a word, an error, a file that holds
    # other bytes, and one that cannot be flushed.
    failures <- list(
      list(write_object = function(object, file) writeBin(serialize(object, NULL)[1:500], file)),
      list(write_object = function(object, file) stop("No space left on device")),
      list(write_object = function(object, file) saveRDS(replace(object, "n", 5), file)),
      list(flushed = function(path) FALSE)
    )
    for (failure in failures) {
      said <- 0
      withCallingHandlers(
        with_functions(failure, again <- fit(path, seed = 1)),
        gpsieve_warning_checkpoint = function(w) {
          said <<- said + 1
          rlang::cnd_muffle(w)
        }
      )
      expect_equal(said, 1)
      expect_identical(again$posteriors, whole$posteriors)
      expect_identical(lapply(paste0(path, c("", ".previous")), readRDS), kept)
      expect_setequal(
        list.files(dirname(path), sub(".rds", "", basename(path), fixed = TRUE)),
        basename(paste0(path, c("", ".previous")))
      )
    }
  }
  expect_snapshot(
    with_functions(failures[[4]], invisible(resumable$ep_gp(path, seed = 1))),
    transform = function(lines) gsub("'[^']*[.]rds'|[^ ]*[.]rds", "state.rds", lines)
  )
})

test_that("a disk that becomes full leaves the last state, from which the fit goes on", {
  skip_on_cran()
  skip_on_os("windows")
  path <- withr::local_tempfile(fileext = ".rds")
  data <- toy_data("binary", n = 600)$data
  fit <- function(iterations, ...) {
    suppressWarnings(ep_gp(y ~ a + b, data, inducing = 30, method = "sep", optimise = FALSE,
      seed = 1, verbose = FALSE, ...,
      control = control_ep(max_iter = iterations, tol = 0, checkpoint = path, every = 0)
    ), classes = "gpsieve_warning_convergence")
  }
  whole <- fit(5)
  kept <- lapply(paste0(path, c("", ".previous")), readRDS)
  said <- print_on_full_disk(bquote({
    library(gpsieve)
    data <- .(data)
    path <- .(path)
    fit <- .(fit)
    again <- withCallingHandlers(fit(5), gpsieve_warning_checkpoint = function(w) {
      cat("cannot write\n")
      rlang::cnd_muffle(w)
    })
    cat("finished", again$n, file.exists(path), "\n")
  }))
  expect_identical(said[said == "cannot write"], "cannot write")
  expect_match(said, "finished 600 TRUE", all = FALSE)
  expect_identical(lapply(paste0(path, c("", ".previous")), readRDS), kept)
  expect_identical(fit(5, resume = path)$posteriors, whole$posteriors)
})

test_that("a checkpoint in a folder that is not there, or that is a folder, is an error at once", {
  folder <- withr::local_tempdir()
  for (fit in resumable) {
    expect_error(fit(file.path(folder, "none", "x.rds"), seed = 1), "must exist",
      class = "gpsieve_error_argument"
    )
    expect_error(fit(folder, seed = 1), "is a folder", class = "gpsieve_error_argument")
  }
})

test_that("a checkpoint stays where it was named when the working folder changes", {
  folder <- withr::local_tempdir()
  withr::local_dir(folder)
  other <- withr::local_tempdir()
  data <- checkpoint_data()
  passes <- 0
  rows <- rows_of_frame(data, 20, on_block = function(block) {
    passes <<- passes + (block == 1)
    if (passes == 2) setwd(other)
  })
  online_gp(y ~ a, rows, budget = 5, optimise = FALSE, seed = 1, verbose = FALSE,
    control = control_online(checkpoint = "x.rds", every = 0)
  )
  expect_true(file.exists(file.path(folder, "x.rds")))
})
