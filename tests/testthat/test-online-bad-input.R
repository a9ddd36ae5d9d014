# What online_gp(), its update() and query_score() refuse: every argument, by name, before any work.

x <- matrix(c(1, 3, 2, 5, 4, 6, 2, 1, 4, 3, 6, 5), 6, dimnames = list(NULL, c("a", "b")))
d <- data.frame(x, y = c(1, 2, 4, 3, 5, 6), f = factor(c("u", "v", "u", "v", "u", "v")))

# A kernel that tells when work begins: once armed it may not be called.
armed <- FALSE
watched <- function(x, z) {
  if (armed) stop("the kernel was called")
  rbf(x, z)
}

small <- function(x, y, ...) {
  online_gp(x, y, kernel = watched, ..., budget = 4, optimise = FALSE, seed = 1, verbose = FALSE)
}

online_fits <- list(
  classes = small(x, d$f), numbers = small(x, d$y),
  swept = online_gp(x, d$f, watched, sweeps = 2, optimise = FALSE, seed = 1, verbose = FALSE),
  formula = small(f ~ a + b, d)
)
armed <- TRUE

# No refusal may leave a trace in a fit, wherever in it. The kernel's function is left out: the
# environment it was written in is that of all tests, which R changes when it compiles a function.
hashes <- function() {
  lapply(online_fits, function(fit) {
    fit$kernel$fn <- NULL
    rlang::hash(fit)
  })
}
unchanged <- function(code) {
  before <- hashes()
  force(code)
  expect_identical(hashes(), before)
}

# Each value of `bad` (a list by argument) makes fn(given, argument = value) an error that names it.
expect_each_refused <- function(fn, given, bad, class = "argument", words = function(name) name) {
  for (name in names(bad)) for (value in bad[[name]]) {
    arguments <- given
    arguments[name] <- list(value)
    expect_error(do.call(fn, arguments), words(name), class = paste0("gpsieve_error_", class),
      label = paste(name, "=", paste(deparse(value), collapse = ""))
    )
  }
}

not_a_flag <- list(NA, NULL, 1, "yes", c(TRUE, FALSE), list(TRUE))
not_threads <- list(0, -1, 1.5, NA, "2", c(1, 2), Inf, 1e10, TRUE)
not_a_count <- list(0, -1, 1.5, NA, NULL, "2", c(1, 2), TRUE, list(1), numeric(), Sys.Date())

test_that("the alarm works: a call with nothing wrong in it reaches the kernel", {
  expect_error(small(x, d$f), "was called", class = "gpsieve_error_kernel")
  expect_error(update(online_fits$classes, x[1:2, ], d$f[1:2]), class = "gpsieve_error_kernel")
  expect_error(query_score(online_fits$classes, x), class = "gpsieve_error_kernel")
})

test_that("settings must make sense", {
  expect_each_refused(online_gp, list(x, d$f, kernel = watched, verbose = FALSE), list(
    kernel = list("rbf", kernel_rbf, NULL, 1, list(), kernel_rbf(lengthscale = 1:3)),
    likelihood = list("probit", lik_probit, 1, list(type = "probit")),
    budget = c(not_a_count, -Inf),
    novelty = list(-1e-9, 1.1, NA, NULL, Inf, "0", c(0, 1), TRUE),
    deletion = list("oldest", NA, NULL, 1, c("cheap", "forward_kl"), character()),
    sweeps = c(not_a_count, Inf, 1e10),
    sweep_type = list("EP", NA, NULL, 1, c("adf", "ep"), character()),
    shuffle = not_a_flag, optimise = not_a_flag, standardise = not_a_flag,
    prior_mean = list(NA, Inf, "0", c(1, 2), TRUE, list(0)),
    control = list(list(), NULL, control_ivm(), control_online, list(steps = 2)),
    seed = list(-1, 1.5, NA, "1", c(1, 2), 2^31, Inf),
    threads = not_threads, verbose = not_a_flag, sweep = list(3), criterion = list("entropy")
  ))
  expect_each_refused(online_gp, list(x, d$f, watched, budget = 4, sweeps = 2),
    list(sweep_type = "ep"),
    class = "unsupported", words = function(name) "budget"
  )
})

test_that("the control is checked where it is given, and again where it is used", {
  expect_each_refused(control_online, list(), list(
    learn_rows = list(1, 1.5, NA, NULL, "2", Inf),
    window = list(0, 1.5, NA, "2", Inf), forget = list(0, -1, NA, "slowly")
  ))
  changed <- control_online()
  changed$learn_rows <- -1
  caught <- expect_error(small(x, d$f, control = changed), "learn_rows",
    class = "gpsieve_error_argument"
  )
  expect_identical(rlang::call_name(conditionCall(caught)), "online_gp")
})

test_that("data are refused as by every model", {
  withr::local_options(na.action = "na.fail")
  refuse <- function(x, y, ...) {
    expect_error(small(x, y, ...), class = "gpsieve_error_data")
  }
  for (bad in list(NA, NaN, Inf, -Inf)) {
    refuse(replace(x, 3, bad), d$f)
    refuse(x, replace(d$y, 3, bad))
  }
  refuse(x, replace(d$f, 2, NA))
  refuse(x, d$f[1:5])
  refuse(x, factor(rep("u", 6)))
  refuse(x[0, ], d$f[0])
  refuse(x[, 0], d$f)
  refuse(x, d$y, likelihood = lik_probit())
  refuse(x, d$f, likelihood = lik_gaussian())
  refuse(x, d$y / 2, likelihood = lik_poisson())
})

# ---- rows that come later ----

test_that("update() refuses every bad argument and leaves the fit alone", {
  unchanged({
    later <- list(x = x[1:2, ], y = d$f[1:2])
    for (fit in online_fits[c("classes", "swept")]) {
      given <- c(list(fit), later)
      not_data <- list(1, "a", NULL, mean, list(a = 1, b = 2), c(a = 1, b = 2), TRUE)
      expect_each_refused(update, given, list(x = not_data, threads = not_threads,
        verbose = not_a_flag
      ))
      expect_each_refused(update, given, list(
        x = list(
          x[, 1, drop = FALSE], cbind(x[1:2, ], c = 1), named(x[1:2, ], c("a", "z")), x[1:3, ],
          replace(x[1:2, ], 1:2, NA), replace(x[1:2, ], 2, Inf), matrix("1", 2, 2), x[1:2, 0],
          data.frame(a = c("1", "2"), b = 1:2), data.frame(a = Sys.Date() + 1:2, b = 1:2)
        )
      ), class = "data", words = function(name) "`x`|`y`|missing")
      expect_each_refused(update, given, list(
        y = list(
          c("u", "w"), factor(c("u", "new")), c(NA, NA_character_), "u",
          rep("u", 3), 1:2, TRUE, NULL, mean,
          list("u", "v"), Sys.Date() + 1:2, character()
        )
      ), class = "data", words = function(name) "`y`|response|missing")
      expect_error(update(fit, x[1:2, ]), "`y`", class = "gpsieve_error_argument")
      expect_error(update(fit), "new rows", class = "gpsieve_error_argument")
      expect_error(update(fit, data = d), "x.*y", class = "gpsieve_error_unsupported")
      expect_error(update(fit, x[1:2, ], d$f[1:2], budget = 9), class = "gpsieve_error_argument")
    }
    expect_each_refused(update, list(online_fits$numbers, x = x[1:2, ], y = d$y[1:2]), list(
      y = list(c(NA, NaN), c(Inf, 1), c("1", "2"), factor(1:2), 1, 1:3, TRUE, NULL)
    ), class = "data", words = function(name) "`y`|response|missing")
    given <- list(online_fits$formula, data = d[1:2, ])
    expect_each_refused(update, given, list(
      data = list(1, "a", NULL, mean, list(a = 1)), threads = not_threads, verbose = not_a_flag
    ))
    expect_each_refused(update, given, list(
      data = list(
        d[1:2, c("a", "b")], d[1:2, c("a", "f")], transform(d[1:2, ], f = "w"),
        transform(d[1:2, ], f = NA), transform(d[1:2, ], a = NA), transform(d[1:2, ], a = Inf),
        transform(d[1:2, ], a = "1"), transform(d[1:2, ], f = 1)
      )
    ), class = "data", words = function(name) "`data`|`y`|response|missing")
  })
})

test_that("update() refuses what is no fit, or a damaged one", {
  broken <- online_fits$classes
  broken$kernel <- NULL
  expect_error(update(broken, x[1:2, ], d$f[1:2]), class = "gpsieve_error_object")
  broken <- online_fits$classes
  broken$state$machines <- NULL
  expect_error(update(broken, x[1:2, ], d$f[1:2]), class = "gpsieve_error_object")
})

test_that("after all the refusals a fit goes on as if there had been none", {
  fit <- online_gp(x, d$f, budget = 4, seed = 1, optimise = FALSE, verbose = FALSE)
  new <- update(fit, x[1:2, ], d$f[1:2])
  try(update(fit, cbind(x[1:2, ], c = 1), d$f[1:2]), silent = TRUE)
  try(update(fit, x[1:2, ], c("u", "new")), silent = TRUE)
  expect_identical(without_clock(update(fit, x[1:2, ], d$f[1:2])), without_clock(new))
})

# ---- scores ----

test_that("query_score() refuses every bad argument", {
  given <- list(fit = online_fits$classes, newdata = x)
  expect_each_refused(query_score, given, list(
    newdata = list(1, "a", NULL, mean, list(a = 1, b = 2), TRUE),
    criterion = list("surprise", NA, NULL, 1, c("bald", "variance"), character()),
    threads = not_threads, sort = list(TRUE)
  ))
  expect_each_refused(query_score, given, list(
    newdata = list(
      x[, 1, drop = FALSE], named(x, c("a", "z")), replace(x, 2, Inf), matrix("1", 2, 2),
      data.frame(a = "1", b = 2), x[, 0], unname(cbind(x, 1))
    )
  ), class = "data")
  expect_error(query_score(online_fits$classes), "newdata", class = "gpsieve_error_argument")
  broken <- online_fits$classes
  broken$posteriors <- list()
  for (other in list(1, NULL, lm(y ~ a, d), broken)) {
    expect_error(query_score(other, x), class = "gpsieve_error_object")
  }
})
