# Ctrl-C stops any long computation soon and leaves a session that can go on (P70).

# Runs work() in a child process, sends SIGINT after `wait` seconds of it and answers with what the
# child says: how it ended, the seconds from the signal to the prompt, how well it fits again.
interrupt_child <- function(work, wait = 0.7) {
  child <- callr::r_bg(function(work) {
    library(gpsieve)
    n <- 20000
    p <- 20
    set.seed(1)
    x <- matrix(rnorm(n * p), n)
    y <- sin(x[, 1]) + x[, 2] * x[, 3] + rnorm(n) / 2
    environment(work) <- environment()
    ended <- tryCatch(work(function() cat("ready\n")), interrupt = function(e) "interrupted")
    at <- as.numeric(Sys.time())
    again <- ivm(x[1:50, ], factor(y[1:50] > 0), optimise = FALSE, seed = 1)
    list(
      ended = if (identical(ended, "interrupted")) ended else "finished", at = at,
      again = mean((predict(again, x[1:50, ]) == TRUE) == (y[1:50] > 0))
    )
  }, list(work), stdout = "|", stderr = "2>&1")
  on.exit(child$kill())
  said <- ""
  deadline <- Sys.time() + 60
  while (!grepl("ready", said) && child$is_alive() && Sys.time() < deadline) {
    child$poll_io(200)
    said <- paste0(said, child$read_output())
  }
  expect_match(said, "ready")
  Sys.sleep(wait)
  sent <- as.numeric(Sys.time())
  child$interrupt()
  child$wait(60000)
  answer <- child$get_result()
  answer$delay <- answer$at - sent
  answer
}

long_work <- list(
  "a search over all rows" = function(ready) {
    ready()
    ivm(x, y, n_active = 2000, refine = 0, optimise = FALSE, control = control_ivm(n_full = Inf))
  },
  "a search over all rows, two threads" = function(ready) {
    ready()
    ivm(x, y, n_active = 2000, refine = 0, optimise = FALSE, threads = 2,
      control = control_ivm(n_full = Inf)
    )
  },
  "a search by a selection index" = function(ready) {
    ready()
    ivm(x, y > 0, n_active = 3000, refine = 0, optimise = FALSE)
  },
  "refinement" = function(ready) {
    ready()
    ivm(x, y > 0, n_active = 600, criterion = "random", refine = 100, optimise = FALSE)
  },
  "several classes" = function(ready) {
    ready()
    ivm(x, cut(y, c(-Inf, -1, 0, 1, Inf)), n_active = 1500, refine = 3, optimise = FALSE)
  },
  "several classes, two threads" = function(ready) {
    ready()
    ivm(x, cut(y, c(-Inf, -1, 0, 1, Inf)), n_active = 1500, refine = 3, optimise = FALSE,
      threads = 2
    )
  },
  "learning hyper-parameters" = function(ready) {
    ready()
    ivm(x, y > 0, kernel_rbf(1, rep(5, 20)), n_active = 1000, refine = 3,
      control = control_ivm(learn_rows = 20000, learn_active = 1000, rounds = 50, steps = 100)
    )
  },
  "a greedy fit of regression" = function(ready) {
    ready()
    greedy_gp(x, y, n_basis = 2000, optimise = FALSE)
  },
  "a greedy fit of regression, all rows competing" = function(ready) {
    ready()
    greedy_gp(x, y, n_basis = 500, candidates = Inf, optimise = FALSE)
  },
  "a greedy fit by Newton's method" = function(ready) {
    ready()
    greedy_gp(x, y > 0, likelihood = lik_logit(), n_basis = 1500, optimise = FALSE, threads = 2)
  },
  "learning for a greedy fit" = function(ready) {
    ready()
    greedy_gp(x, y, kernel_rbf(1, rep(5, 20)),
      control = control_greedy(learn_rows = 20000, learn_basis = 1000, rounds = 50, steps = 100)
    )
  },
  "error bars point by point" = function(ready) {
    fit <- greedy_gp(x[1:6000, ], y[1:6000], n_basis = 20, optimise = FALSE)
    ready()
    variance_bounds(fit, x, x[1:6000, ], tol = 0)
  },
  "prediction" = function(ready) {
    fit <- ivm(x, y > 0, n_active = 400, criterion = "random", refine = 0, optimise = FALSE)
    many <- x[rep(seq_len(n), 25), ]
    ready()
    predict(fit, many, type = "prob")
  }
)

for (name in names(long_work)) {
  test_that(paste("an interrupt is heard within half a second during", name), {
    skip_on_cran()
    skip_on_os("windows")
    skip_if_not_installed("callr")
    answer <- interrupt_child(long_work[[name]])
    expect_identical(answer$ended, "interrupted")
    expect_lt(answer$delay, 0.5, label = "seconds from the signal to the prompt")
    expect_gt(answer$again, 0.7)
  })
}
