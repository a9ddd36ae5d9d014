# Long computations show a progress bar if verbose = TRUE, and none otherwise.

# Runs work(x, y, verbose) in a child process where bars show at once and move every 20 ms; answers
# with what the bars did: a data frame of bar, done and event ("added", "updated", ...).
bars_of <- function(work, verbose = TRUE) {
  said <- callr::r(function(work, verbose) {
    options(cli.progress_show_after = 0, cli.progress_handlers_only = "logger")
    library(gpsieve)
    set.seed(1)
    x <- matrix(rnorm(2000 * 5), 2000)
    y <- sin(x[, 1]) + rnorm(2000) / 3
    file <- tempfile()
    sink(file)
    environment(work) <- environment()
    work(x, y, verbose)
    sink()
    readLines(file)
  }, list(work, verbose), env = c(callr::rcmd_safe_env(), CLI_TICK_TIME = "20"))
  parts <- regmatches(said, regexec("-([0-9]+) ([0-9]+)/1000 ([a-z]+)", said))
  parts <- do.call(rbind, parts[lengths(parts) > 0])
  if (is.null(parts)) return(NULL)
  data.frame(bar = parts[, 2], done = as.numeric(parts[, 3]), event = parts[, 4])
}

# Each takes half a second at least.
visible_work <- list(
  "ivm()" = function(x, y, verbose) {
    ivm(x, y, n_active = 1000, optimise = FALSE, seed = 1, verbose = verbose)
  },
  "learning of ivm()" = function(x, y, verbose) {
    ivm(x, y > 0, n_active = 20, seed = 1, verbose = verbose)
  },
  "ep_gp()" = function(x, y, verbose) {
    ep_gp(x, y > 0, inducing = 200, optimise = FALSE, seed = 1, verbose = verbose,
      control = control_ep(max_iter = 100, tol = 0)
    ) |> suppressWarnings()
  },
  "greedy_gp()" = function(x, y, verbose) {
    greedy_gp(x, y, n_basis = 300, candidates = 300, optimise = FALSE, seed = 1,
      verbose = verbose
    )
  },
  "meanfield_gp()" = function(x, y, verbose) {
    meanfield_gp(x, y > 0, optimise = FALSE, seed = 1, verbose = verbose)
  },
  "learning of meanfield_gp()" = function(x, y, verbose) {
    meanfield_gp(x[1:300, ], y[1:300] > 0, seed = 1, verbose = verbose)
  },
  "online_gp()" = function(x, y, verbose) {
    online_gp(x, y > 0, budget = 250, optimise = FALSE, seed = 1, verbose = verbose)
  },
  "learning of online_gp()" = function(x, y, verbose) {
    online_gp(x, y > 0, budget = 10, seed = 1, verbose = verbose)
  },
  "update() of online_gp()" = function(x, y, verbose) {
    fit <- online_gp(x[1:10, ], y[1:10], budget = 250, optimise = FALSE, verbose = FALSE)
    update(fit, x, y, verbose = verbose)
  },
  "rvm()" = function(x, y, verbose) {
    rvm(x, y > 0, basis = 2000, optimise = FALSE, seed = 1, verbose = verbose) |>
      suppressWarnings()
  },
  "learning of rvm()" = function(x, y, verbose) {
    rvm(x, y, basis = 20, seed = 1, verbose = verbose) |> suppressWarnings()
  },
  "predict()" = function(x, y, verbose) {
    fit <- ivm(x, y, n_active = 400, criterion = "random", refine = 0, optimise = FALSE,
      verbose = FALSE
    )
    predict(fit, x[rep(1:2000, 50), ], type = "link", se.fit = TRUE, verbose = verbose)
  }
)

for (name in names(visible_work)) {
  test_that(paste("progress is shown by", name), {
    skip_on_cran()
    skip_if_not_installed("callr")
    bars <- bars_of(visible_work[[name]])
    expect_gte(sum(bars$event == "updated"), 1)
    moving <- bars[bars$event %in% c("added", "updated"), ]
    expect_true(any(moving$done > 0 & moving$done < 1000))
    for (done in split(bars$done, bars$bar)) {
      expect_false(is.unsorted(done))
      expect_lte(max(done), 1000)
    }
    # Every bar that was opened is closed.
    expect_setequal(bars$bar[bars$event == "terminated"], bars$bar[bars$event == "created"])
  })
}

test_that("without verbose there is no bar", {
  skip_on_cran()
  skip_if_not_installed("callr")
  for (name in c("ivm()", "online_gp()")) {
    expect_null(bars_of(visible_work[[name]], verbose = FALSE))
  }
})
