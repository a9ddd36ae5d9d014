# Laws that hold whatever the model and the kind of response, on fits of their own.

# Where a law does not hold, and why; `on` = NULL stands for every kind of response.
conformance_exceptions <- list(
  list(
    law = "neither the order of the rows nor the seed matters", model = "rvm", on = NULL,
    reason = "the evidence has several maxima, and the order of the functions decides among them"
  ),
  list(
    law = "exchanged levels exchange the probabilities", model = "rvm", on = "multiclass",
    reason = "every class has its own random order of the functions, see above"
  ),
  list(
    law = "data narrow the posterior", model = "rvm", on = NULL,
    reason = "rows are basis functions as well: more rows are another prior"
  ),
  list(
    law = "noise without bound leaves the prior", model = "rvm", on = NULL,
    reason = "the noise is learned, or every weight is pruned and the model is empty"
  )
)

excepted <- function(law, model, task) {
  any(vapply(conformance_exceptions, function(exception) {
    exception$law == law && exception$model == model &&
      (is.null(exception$on) || task %in% exception$on)
  }, NA))
}

# One test for each model and kind of response: check(spec, toy, task), where toy has columns of the
# same scale, so that it can be fitted without standardising it.
conformance <- function(law, check, on = tasks) {
  specs <- model_specs()
  for (model in names(specs)) for (task in on) {
    if (excepted(law, model, task)) next
    test_that(paste0(law, " [", model, ", ", task, "]"), {
      toy <- toy_data(task, n = 40)
      toy$x$b <- (toy$x$b - 3) / 10
      toy$new$b <- (toy$new$b - 3) / 10
      check(c(specs[[model]], name = model), toy, task)
    })
  }
}

# A fit with every row in the basis, fixed hyper-parameters, columns as they are, and as many
# iterations as convergence takes.
fit_every_row <- function(spec, x, y, ...) {
  fit_cheaply(spec, x, y, ..., settings = every_row(spec, x))
}

every_row <- function(spec, x) {
  own <- switch(spec$name,
    ivm = list(n_active = nrow(x), refine = 100),
    ep_gp = list(
      inducing = as.matrix(x), method = "ep", jitter = 1e-12,
      control = control_ep(max_iter = 2000, tol = 1e-11)
    ),
    meanfield_gp = list(control = control_meanfield(max_iter = 500, tol = 1e-11)),
    online_gp = list(sweeps = 300),
    greedy_gp = list(n_basis = nrow(x), candidates = Inf),
    rvm = list(control = control_rvm(max_iter = 5000, tol = 1e-7))
  )
  c(own, list(
    kernel = kernel_rbf(1, 1), optimise = FALSE, standardise = FALSE, verbose = FALSE
  ))
}
