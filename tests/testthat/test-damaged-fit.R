# A fit may come from a file of unknown origin. Whatever part of it is damaged, the result is an
# error of the package's class or a valid answer, never a crash and never an error of another class.

damaged_fits <- function() {
  toys <- lapply(setNames(tasks, tasks), toy_data)
  lapply(toys, function(toy) {
    ivm(y ~ a + b, toy$data, n_active = 6, refine = 1, optimise = FALSE, seed = 1, verbose = FALSE)
  })
}

new_rows <- data.frame(a = c(0, 1, NA), b = c(3, NA, 5))

# "ok" if every kind of answer is valid or an error of the package's class.
verdict <- function(fit, own_type, new = new_rows) {
  questions <- list(
    function() n_rows(predict(fit, new, type = "link", se.fit = TRUE)$fit) == nrow(new),
    function() n_rows(predict(fit, new, type = own_type)) == nrow(new)
  )
  answers <- vapply(questions, function(question) {
    tryCatch(
      if (isTRUE(question())) "ok" else "wrong size",
      gpsieve_error = function(e) "ok",
      error = function(e) paste0(class(e)[1], ": ", conditionMessage(e))
    )
  }, "")
  bad <- answers[answers != "ok"]
  if (length(bad)) bad[1] else "ok"
}

expect_refused <- function(fit, type = "link") {
  caught <- tryCatch(predict(fit, new_rows, type = type), error = identity)
  expect_s3_class(caught, "gpsieve_error")
}

within_fit <- function(fit, ...) {
  parts <- list(...)
  fit[names(parts)] <- parts
  fit
}

test_that("a fit without one of its parts is refused by name", {
  fit <- damaged_fits()$binary
  for (field in setdiff(names(fit), c(fields_if_needed, "kept", "origin"))) {
    part <- fit
    part[[field]] <- NULL
    expect_error(predict(part, new_rows), field, class = "gpsieve_error_object")
  }
  expect_refused(structure(list(), class = class(fit)))
  expect_refused(structure(1, class = class(fit)))
})

test_that("damage to numbers is found before they are used", {
  fit <- damaged_fits()$binary
  change <- function(path, value) {
    fit[[path]] <- value
    fit
  }
  posterior <- function(part, value) {
    fit$posteriors[[1]][[part]] <- value
    fit
  }
  old <- fit$posteriors[[1]]
  expect_refused(posterior("weights", old$weights[-1]))
  expect_refused(posterior("weights", numeric()))
  expect_refused(posterior("weights", replace(old$weights, 2, NaN)))
  expect_refused(posterior("basis", replace(old$basis, 2, 7L)))
  expect_refused(posterior("basis", replace(old$basis, 2, 0L)))
  expect_refused(posterior("basis", replace(old$basis, 2, NA)))
  expect_refused(posterior("basis", replace(old$basis, 2, -.Machine$integer.max)))
  expect_refused(posterior("prior_mean", c(0, 1)))
  expect_refused(posterior("prior_mean", NaN))
  expect_refused(posterior("prior_scale", numeric()))
  factor <- old$down$factor
  for (bad in list(-1, 0, NaN, Inf)) {
    down <- old$down
    down$factor[7] <- bad # the second of six columns begins there
    expect_refused(posterior("down", down))
  }
  square <- matrix(1, 6, 6)
  wrong <- list(factor[-1], factor[1:15], numeric(), square, square[-1, ], square[-1, -1], "1")
  for (bad in wrong) {
    expect_refused(posterior("down", list(factor = bad, scale = old$down$scale)))
  }
  expect_refused(posterior("down", list(1)))
  expect_refused(change("basis", fit$basis[-1, ]))
  expect_refused(change("basis", fit$basis[, 1, drop = FALSE]))
  expect_refused(change("basis", replace(fit$basis, 3, NaN)))
  expect_refused(change("basis", as.vector(fit$basis)))
  expect_refused(change("posteriors", list()))
  expect_refused(change("inputs", list(center = fit$inputs$center, scale = c(1, NaN))))
  expect_refused(change("inputs", list(center = fit$inputs$center, scale = c(1, 0))))
})

test_that("a fit that has lost all names is refused", {
  fit <- damaged_fits()$binary
  nameless <- structure(unclass(fit), names = NULL, class = class(fit))
  expect_error(fitted(nameless, new_rows), class = "gpsieve_error_object")
  unnamed_inputs <- fit
  names(unnamed_inputs$inputs$center) <- NULL
  expect_error(plot(unnamed_inputs, "effects"), class = "gpsieve_error_object")
})

test_that("damage to kernel, likelihood and response is found too", {
  fit <- damaged_fits()$multiclass
  with_kernel <- function(part, value) {
    fit$kernel[[part]] <- value
    fit
  }
  expect_refused(with_kernel("type", "rbq"))
  expect_refused(with_kernel("type", NA))
  expect_refused(with_kernel("values", list()))
  expect_refused(with_kernel("values", list(variance = -1, lengthscale = 1)))
  expect_refused(with_kernel("values", list(variance = 1, lengthscale = 1:3)))
  expect_refused(with_kernel("values", list(variance = "1", lengthscale = 1)))
  damaged <- fit
  damaged$likelihood$type <- "probitt"
  expect_refused(damaged, "prob")
  damaged <- fit
  damaged$likelihood$values <- list(noise = -1)
  expect_refused(damaged, "prob")
  damaged <- fit
  damaged$response$levels <- c("a", "b")
  expect_refused(damaged, "prob")
  damaged <- fit
  damaged$response$kind <- "whatever"
  expect_refused(damaged, "prob")
  damaged <- fit
  damaged$blueprint <- list()
  expect_refused(damaged, "prob")
})

test_that("parts that were good in the last prediction are looked at again when they are edited", {
  fit <- damaged_fits()$binary
  expect_length(predict(fit, new_rows, type = "link"), 3)
  edited <- fit
  edited$kernel$values$variance <- "1"
  expect_refused(edited)
  edited <- fit
  edited$likelihood$values <- list(noise = NaN)
  expect_refused(edited)
  edited <- fit
  names(edited$inputs$center) <- NULL
  expect_refused(edited)
  expect_length(predict(fit, new_rows, type = "link"), 3)
})

# A random change of one random part of a list.
mutate_part <- function(x) {
  paths <- list_paths(x)
  path <- paths[[sample.int(length(paths), 1)]]
  value <- x[[path]]
  changes <- list(
    function(v) NULL,
    function(v) list(),
    function(v) character(),
    function(v) "x",
    function(v) list(v),
    function(v) c(v, v),
    function(v) if (length(v) > 1) v[-1] else v[0],
    function(v) rev(v),
    function(v) as.character(v),
    function(v) mean,
    function(v) if (is.atomic(v) && length(v)) replace(v, sample.int(length(v), 1), NA) else NA,
    function(v) if (is.numeric(v) && length(v)) replace(v, length(v), -1e300) else -1,
    function(v) if (is.integer(v) && length(v)) replace(v, 1, .Machine$integer.max) else 1e9,
    function(v) if (is.numeric(v)) -v else NaN,
    function(v) matrix(numeric(), 0, 3),
    function(v) array(0, c(2, 2, 2)),
    function(v) if (is.null(v)) list() else structure(v, dim = NULL),
    function(v) if (is.numeric(v)) v + 0.5 else Inf,
    function(v) unclass(v)
  )
  change <- changes[[sample.int(length(changes), 1)]]
  mutated <- tryCatch(change(value), error = function(e) NULL)
  tryCatch(
    {
      x[[path]] <- mutated
      list(fit = x, where = paste(path, collapse = "$"), change = deparse(change)[2])
    },
    error = function(e) mutate_part(x)
  )
}

# Index paths of all parts of a nested list, the whole excluded.
list_paths <- function(x, before = NULL) {
  if (!is.list(x)) return(list())
  bare <- unclass(x)
  own <- lapply(seq_along(bare), function(i) c(before, i))
  c(own, do.call(c, lapply(seq_along(bare), function(i) list_paths(bare[[i]], c(before, i)))))
}

test_that("random damage never escapes as a raw error", {
  skip_on_cran()
  fits <- damaged_fits()
  own_types <- c(binary = "prob", multiclass = "response", regression = "quantile")
  escaped <- with_own_seed(1, lapply(1:90, function(i) {
    task <- tasks[1 + i %% 3]
    mutant <- mutate_part(fits[[task]])
    suppressWarnings(said <- verdict(mutant$fit, own_types[[task]]))
    if (said == "ok") NULL else paste0(mutant$where, " ", trimws(mutant$change), " -> ", said)
  }))
  expect_identical(unlist(escaped), NULL)
})

test_that("whatever reads a fit survives random damage alike", {
  skip_on_cran()
  fits <- damaged_fits()
  looks <- list(
    print, summary, active_set, inducing, sites, evidence, coef, logLik, fit_trace, nobs, formula,
    tidy, glance, function(fit) print(kernel_of(fit)), function(fit) print(likelihood_of(fit)),
    function(fit) augment(fit, new_rows), function(fit) plot(fit),
    function(fit) update(fit, data = toy_data("regression")$data)
  )
  withr::local_pdf(NULL)
  escaped <- with_own_seed(2, lapply(1:15, function(i) {
    mutant <- mutate_part(fits[[1 + i %% 3]])
    said <- unlist(lapply(looks, function(look) {
      tryCatch(
        {
          suppressWarnings(capture.output(look(mutant$fit)))
          NULL
        },
        gpsieve_error = function(e) NULL,
        error = function(e) conditionMessage(e)
      )
    }))
    if (length(said)) paste0(mutant$where, " ", trimws(mutant$change), " -> ", said[1])
  }))
  expect_identical(unlist(escaped), NULL)
})

test_that("a fit without one of its parts is refused by everything that reads it", {
  fit <- damaged_fits()$regression
  toy <- toy_data("regression")
  readers <- list(
    print, summary, inducing, coef, logLik, nobs, formula, tidy, glance, plot, kernel_of,
    function(fit) augment(fit, new_rows),
    function(fit) update(fit, data = toy$data), sigma, relevance,
    function(fit) fitted(fit, toy$x), function(fit) residuals(fit, newdata = toy$data),
    function(fit) simulate(fit, newdata = toy$new),
    function(fit) posterior_draws(fit, toy$new),
    function(fit) plot(fit, "effects")
  )
  for (part in c("posteriors", "inputs", "blueprint")) {
    damaged <- structure(unclass(fit)[setdiff(names(fit), part)], class = class(fit))
    edited <- fit
    edited[[part]] <- list(1)
    for (reader in readers) {
      expect_error(capture.output(reader(damaged)), class = "gpsieve_error_object")
      expect_error(capture.output(reader(edited)), class = "gpsieve_error_object")
    }
  }
})

test_that("damage is told in words", {
  fit <- damaged_fits()$regression
  expect_snapshot(error = TRUE, {
    predict(structure(unclass(fit)[-2], class = class(fit)), new_rows)
    predict(within_fit(fit, basis = 1:3), new_rows)
    predict(within_fit(fit, n = NULL, seed = NULL), new_rows)
    predict(within_fit(fit, kernel = 1), new_rows)
  })
})
