# One entry per model: every law in test-contract.R runs over all of them, so a second model costs
# one more entry here.
#
#   fit        the model function
#   class      the class of its fits
#   cheap      arguments that keep a fit small, and fixed hyper-parameters
#   learning   arguments that make it learn hyper-parameters for a moment
#   small      arguments for a fit whose size must not depend on the number of rows
#   larger     arguments for a fit large enough that threads have something to share
#   refits     does update() fit anew? (it absorbs rows otherwise)
#   gradient   has its evidence a gradient?
model_specs <- function() {
  list(
    ivm = list(
      fit = ivm, class = "gpsieve_ivm",
      cheap = list(n_active = 15, refine = 2, optimise = FALSE, verbose = FALSE),
      learning = list(
        n_active = 10, optimise = TRUE, control = control_ivm(rounds = 2, steps = 3),
        verbose = FALSE
      ),
      small = list(n_active = 20, optimise = FALSE, verbose = FALSE),
      larger = list(n_active = 60, refine = 2, optimise = FALSE, verbose = FALSE),
      refits = TRUE, gradient = TRUE
    ),
    online = list(
      fit = online_gp, class = "gpsieve_online_gp",
      cheap = list(budget = 15, optimise = FALSE, verbose = FALSE),
      learning = list(
        budget = 10, optimise = TRUE,
        control = control_online(learn_rows = 30, rounds = 1, steps = 2), verbose = FALSE
      ),
      small = list(budget = 20, optimise = FALSE, verbose = FALSE),
      larger = list(budget = 60, optimise = FALSE, verbose = FALSE),
      refits = FALSE, gradient = FALSE
    )
  )
}

# A fit with the cheap settings of its model; arguments given here come first and win.
fit_cheaply <- function(spec, ..., settings = spec$cheap, seed = 1) {
  given <- list(...)
  do.call(spec$fit, c(given, settings[setdiff(names(settings), names(given))], list(seed = seed)))
}

# The same data through each of the four doors of a model.
interfaces <- c("formula", "data.frame", "matrix", "recipe")

fit_through <- function(interface, spec, toy, ...) {
  switch(interface,
    formula = fit_cheaply(spec, y ~ a + b, toy$data, ...),
    data.frame = fit_cheaply(spec, toy$x, toy$y, ...),
    matrix = fit_cheaply(spec, as.matrix(toy$x), toy$y, ...),
    recipe = {
      skip_if_not_installed("recipes")
      fit_cheaply(spec, recipes::recipe(y ~ a + b, toy$data), toy$data, ...)
    }
  )
}

# Fits that many tests look at and none changes, made when first asked for.
fit_shelf <- new.env()

shared_fit <- function(model, task, interface = "formula") {
  key <- paste(model, task, interface)
  if (is.null(fit_shelf[[key]])) {
    fit_shelf[[key]] <- fit_through(interface, model_specs()[[model]], toy_data(task))
  }
  fit_shelf[[key]]
}

# A law of the contract: one test for every model, kind of response and interface.
# check(fit, toy, spec, task) states it.
law <- function(text, check, on = tasks, through = interfaces) {
  for (model in names(model_specs())) for (task in on) for (interface in through) {
    test_that(paste0(text, " [", model, ", ", task, ", ", interface, "]"), {
      fit <- shared_fit(model, task, interface)
      check(fit, toy_data(task), model_specs()[[model]], task)
    })
  }
}

# Everything predict() can say about a fit, on the rows of newdata.
all_predictions <- function(fit, newdata, ...) {
  link <- predict(fit, newdata, type = "link", se.fit = TRUE, ...)
  own <- if (is_regression(fit)) {
    list(quantile = predict(fit, newdata, type = "quantile", probs = c(0.1, 0.5, 0.9), ...))
  } else {
    list(prob = predict(fit, newdata, type = "prob", ...))
  }
  c(list(response = predict(fit, newdata, ...), mean = link$fit, se = link$se.fit), own)
}

is_regression <- function(fit) likelihood_of(fit)$type %in% c("gaussian", "student", "poisson")

# Rows of predictions, whatever their shape.
rows_of <- function(predictions, rows) {
  lapply(predictions, function(p) if (is.matrix(p)) p[rows, , drop = FALSE] else p[rows])
}

n_rows <- function(p) if (is.matrix(p)) nrow(p) else length(p)

# A fit without what may differ between two equal fits: the clock.
without_clock <- function(fit) {
  fit$trace$seconds <- NULL
  fit
}
