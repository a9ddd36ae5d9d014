# Ctrl-C stops any long computation within half a second, and the R session can be used afterwards.

# The process in which computations are interrupted, one after the other. It has inputs x and a
# response y of n rows, and is started anew where one did not end.
child <- NULL
waiting_child <- function() {
  if (!is.null(child) && child$is_alive() && child$get_state() == "idle") return(child)
  if (!is.null(child)) child$kill()
  child <<- callr::r_session$new()
  child$run(function() {
    library(gpsieve)
    set.seed(1)
    n <<- 20000
    x <<- matrix(rnorm(n * 20), n)
    y <<- sin(x[, 1]) + x[, 2] * x[, 3] + rnorm(n) / 2
    NULL
  })
  child
}
withr::defer(if (!is.null(child)) child$kill(), teardown_env())

# Runs work(ready) in the child process and sends SIGINT `wait` seconds after it called ready().
# Returns what the child reports: how work() ended, the CPU seconds from the signal to the prompt,
# and the result of a new fit. CPU time is that of the child alone, so that other processes of the
# computer do not lengthen it.
interrupt_child <- function(work, wait = 0.5) {
  child <- waiting_child()
  path <- withr::local_tempfile()
  child$call(function(work, path) {
    environment(work) <- globalenv()
    ended <- tryCatch(work(function() file.create(path)), interrupt = function(e) "interrupted")
    at <- sum(proc.time()[c("user.self", "sys.self")])
    again <- ivm(x[1:50, ], factor(y[1:50] > 0), optimise = FALSE, seed = 1)
    list(
      ended = if (identical(ended, "interrupted")) ended else "finished", at = at,
      again = mean((predict(again, x[1:50, ]) == TRUE) == (y[1:50] > 0))
    )
  }, list(work, path))
  deadline <- Sys.time() + 60
  while (!file.exists(path) && child$is_alive() && Sys.time() < deadline) Sys.sleep(0.02)
  expect_true(file.exists(path), label = "the computation began")
  Sys.sleep(wait)
  sent <- sum(child$get_cpu_times()[c("user", "system")])
  child$interrupt()
  child$poll_process(60000)
  answer <- child$read()$result
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
      control = control_ivm(learn_rows = 3000)
    )
  },
  "stochastic EP over all rows" = function(ready) {
    ready()
    ep_gp(x, y > 0, inducing = 400)
  },
  "EP in minibatches" = function(ready) {
    ready()
    ep_gp(x, y > 0, inducing = 500, method = "ep", batch_size = 500)
  },
  "EP of several classes, two threads" = function(ready) {
    ready()
    ep_gp(x, cut(y, c(-Inf, -1, 0, 1, Inf)), inducing = 300, method = "ep", optimise = FALSE,
      threads = 2, control = control_ep(max_iter = 5000, tol = 0)
    )
  },
  "EP settling for nlminb" = function(ready) {
    ready()
    ep_gp(x, y > 0, kernel_rbf(1, rep(5, 20)), inducing = 300, inducing_init = "random",
      method = "ep", control = control_ep(optimiser = "nlminb")
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
    usual <- utils::getFromNamespace("gaussian_learning_size", "gpsieve")
    on.exit(utils::assignInNamespace("gaussian_learning_size", usual, "gpsieve"))
    size <- list(learn_rows = 20000, learn_basis = 1000)
    utils::assignInNamespace("gaussian_learning_size", size, "gpsieve")
    greedy_gp(x, y, kernel_rbf(1, rep(5, 20)))
  },
  "error bars point by point" = function(ready) {
    fit <- greedy_gp(x[1:6000, ], y[1:6000], n_basis = 20, optimise = FALSE)
    ready()
    variance_bounds(fit, x, x[1:6000, ], tol = 0)
  },
  "dense mean field" = function(ready) {
    ready()
    meanfield_gp(x[1:4000, ], y[1:4000] > 0, optimise = FALSE)
  },
  "dense mean field, two threads" = function(ready) {
    ready()
    meanfield_gp(x[1:4000, ], y[1:4000] > 0, optimise = FALSE, threads = 2)
  },
  "dense mean field of several classes, two threads" = function(ready) {
    ready()
    meanfield_gp(x[1:3000, ], cut(y[1:3000], c(-Inf, -1, 0, 1, Inf)), method = "ensemble",
      optimise = FALSE, threads = 2
    )
  },
  "learning by mean field" = function(ready) {
    ready()
    meanfield_gp(x, y > 0, kernel_rbf(1, rep(5, 20)),
      control = control_meanfield(learn_rows = 3000)
    )
  },
  "a stream under a budget" = function(ready) {
    ready()
    online_gp(x, y > 0, budget = 500, optimise = FALSE)
  },
  "a stream of several classes, two threads" = function(ready) {
    ready()
    online_gp(x, cut(y, c(-Inf, -1, 0, 1, Inf)), budget = 300, optimise = FALSE, threads = 2)
  },
  "a stream that keeps every row" = function(ready) {
    ready()
    online_gp(x[1:6000, ], y[1:6000] > 0, novelty = 0, optimise = FALSE)
  },
  "EP one row at a time" = function(ready) {
    ready()
    online_gp(x[1:3000, ], y[1:3000] > 0, sweeps = 50, optimise = FALSE)
  },
  "rows that come later" = function(ready) {
    fit <- online_gp(x[1:600, ], y[1:600] > 0, budget = 500, optimise = FALSE)
    ready()
    update(fit, x, y > 0)
  },
  "learning for a stream" = function(ready) {
    ready()
    online_gp(x, y > 0, kernel_rbf(1, rep(5, 20)), control = control_online(learn_rows = 3000))
  },
  "a relevance vector machine by subspace EM" = function(ready) {
    ready()
    rvm(x, y, basis = 1000, optimise = FALSE)
  },
  "a relevance vector machine by EM" = function(ready) {
    ready()
    rvm(x, y, basis = 1000, algorithm = "em", optimise = FALSE)
  },
  "a relevance vector machine, function by function" = function(ready) {
    ready()
    rvm(x, y, basis = 2000, algorithm = "fast", optimise = FALSE)
  },
  "relevance vector machines of several classes, two threads" = function(ready) {
    ready()
    rvm(x, cut(y, c(-Inf, -1, 0, 1, Inf)), basis = 500, optimise = FALSE, threads = 2)
  },
  "a relevance vector machine with every row a centre" = function(ready) {
    ready()
    rvm(x[1:5000, ], y[1:5000] > 0, optimise = FALSE)
  },
  "learning for a relevance vector machine" = function(ready) {
    ready()
    usual <- utils::getFromNamespace("rvm_learning_rows", "gpsieve")
    on.exit(utils::assignInNamespace("rvm_learning_rows", usual, "gpsieve"))
    utils::assignInNamespace("rvm_learning_rows", c(numbers = 3000), "gpsieve")
    rvm(x, y, basis = 1000)
  },
  "centres by clustering" = function(ready) {
    ready()
    rvm(x[rep(seq_len(n), 10), ], rep(y, 10), basis = 3000, optimise = FALSE)
  },
  "scores for active learning" = function(ready) {
    fit <- ivm(x, y > 0, n_active = 400, criterion = "random", refine = 0, optimise = FALSE)
    many <- x[rep(seq_len(n), 25), ]
    ready()
    query_score(fit, many, "bald")
  },
  "prediction" = function(ready) {
    fit <- ivm(x, y > 0, n_active = 400, criterion = "random", refine = 0, optimise = FALSE)
    many <- x[rep(seq_len(n), 25), ]
    ready()
    predict(fit, many, type = "prob")
  }
)

for (name in names(long_work)) {
  test_that(paste("a computation stops within half a second after an interrupt:", name), {
    skip_on_cran()
    skip_on_os("windows")
    skip_if_not_installed("callr")
    answer <- interrupt_child(long_work[[name]])
    expect_identical(answer$ended, "interrupted")
    expect_lt(answer$delay, 0.5, label = "CPU seconds from the signal to the prompt")
    expect_gt(answer$again, 0.7)
  })
}
