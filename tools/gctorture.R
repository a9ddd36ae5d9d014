# Calls every C++ function of the package with a garbage collection at each allocation, so that a
# value which lacks protection is destroyed while it is in use. Small fits, predictions and queries
# record how each function is called; then each recorded call is repeated under gctorture() and must
# return what it returned before. Fails unless every function was called.

library(gpsieve)
namespace <- asNamespace("gpsieve")
core <- grep("^core_", ls(namespace), value = TRUE)
core <- core[vapply(core, function(name) {
  any(grepl(".Call", deparse(get(name, namespace)), fixed = TRUE))
}, NA)]

calls <- new.env()
record <- function(name) {
  own <- get(name, namespace)
  force(own)
  function(...) {
    arguments <- list(...)
    value <- own(...)
    # The first calls of a function are enough; progress bars are not repeated.
    if (length(calls[[name]]) < 3L) {
      arguments <- lapply(arguments, function(a) {
        if (is.list(a) && "progress" %in% names(a)) a["progress"] <- list(NULL)
        a
      })
      calls[[name]] <- c(calls[[name]], list(list(fn = own, arguments = arguments, value = value)))
    }
    value
  }
}
for (name in core) {
  recorded <- record(name)
  unlockBinding(name, namespace)
  assign(name, recorded, namespace)
}

# --- small uses of everything --------------------------------------------------------------------

set.seed(1)
n <- 12L
x <- matrix(runif(2L * n, -2, 2), n, 2L, dimnames = list(NULL, c("a", "b")))
number <- sin(x[, 1L]) + x[, 2L] + rnorm(n) / 5
class <- factor(ifelse(number > 0, "yes", "no"))
kernel <- kernel_rbf(1, 1) + kernel_function(function(x, z) 0.1 * x %*% t(z))
quiet <- list(verbose = FALSE, optimise = FALSE, kernel = kernel)
use <- function(model, y, ...) {
  fit <- suppressWarnings(do.call(model, c(list(x, y, ...), quiet)))
  predict(fit, x[1:3, ], type = "link", se.fit = TRUE)
  suppressWarnings(predict(fit, x[1:3, ]))
  try(evidence(fit, gradient = TRUE), silent = TRUE)
  fit
}
sink(nullfile())
binary <- use(ivm, class, n_active = 4L, refine = 1L)
use(ep_gp, class, inducing = 4L)
use(meanfield_gp, class)
use(online_gp, class, budget = 4L)
regression <- use(greedy_gp, number, n_basis = 4L)
use(rvm, number)
use(meanfield_gp, rpois(n, 2), likelihood = lik_poisson())
for (model in list(ivm, ep_gp, meanfield_gp, online_gp, greedy_gp, rvm)) {
  suppressWarnings(model(x, class, kernel = kernel_rbf(1, 1), verbose = FALSE))
}
suppressWarnings(greedy_gp(x, number, kernel = kernel_rbf(1, 1), verbose = FALSE))
three <- factor(findInterval(number, c(-0.7, 0.7)))
use(ivm, three, n_active = 4L)
joint <- use(ep_gp, three, inducing = 4L)
predict(joint, x[1:3, ], type = "prob")
use(ep_gp, class, inducing = 4L, control = control_ep(shards = 2L))

predict(binary, x, type = "prob")
predict(regression, x, type = "quantile")
predict(regression, x[1:3, ], type = "link", cov = TRUE)
posterior_draws(regression, x[1:2, ], seed = 1)
query_score(binary, x)
variance_bounds(regression, x[1:3, ], x)
kernel_matrix(kernel, x)
gatherer <- namespace$scale_gatherer()
gatherer$add(matrix(as.numeric(1:5000)))
gatherer$scales()
gpsieve_info(50)
namespace$core_set_isa(namespace$core_isa())
namespace$core_isas()
sink()

# --- the recorded calls again, under torture -----------------------------------------------------

# The clock is in the traces of fits, and an external pointer has an address of its own.
without_clock <- function(value) {
  if (typeof(value) == "externalptr") return(NULL)
  if (is.list(value)) {
    value[names(value) == "seconds"] <- NULL
    value[] <- lapply(value, without_clock)
  }
  value
}

failures <- 0L
for (name in core) {
  if (name == "core_gemm_rate") next # a measured speed is never the same
  for (call in calls[[name]]) {
    gctorture(TRUE)
    value <- do.call(call$fn, call$arguments)
    gctorture(FALSE)
    same <- identical(without_clock(value), without_clock(call$value))
    if (!same) {
      cat(name, "returned another value under gctorture\n")
      failures <- failures + 1L
    }
  }
}
missed <- setdiff(core, ls(calls))
if (length(missed)) cat("never called:", missed, "\n")
cat(sprintf("%d functions, %d calls, %d differ\n", length(ls(calls)),
  sum(lengths(as.list(calls))), failures))
if (failures || length(missed)) quit(status = 1)
