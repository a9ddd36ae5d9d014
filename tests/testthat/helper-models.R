# One entry per model: every law in test-contract*.R runs over all of them, so one more model costs
# one more entry here.
#
#   fit        the model function
#   class      the class of its fits
#   basis      "rows" of the training data, or "points" of its own
#   random     does a cheap fit draw random numbers?
#   refits     does update() fit anew? (it absorbs rows otherwise)
#   gradient   has its evidence a gradient?
#   own_noise  does a fit learn the noise's variance whatever `optimise` says?
#   of_sites   columns of sites() besides row, precision and mean
#   largest_sd function(fit): a bound of the latent function's standard deviation, and
#   far_sd     function(fit): what it is far from the data, both on the scale of computation
#   cheap      arguments that keep a fit small, and fixed hyper-parameters
#   learning   arguments that make it learn hyper-parameters for a moment
#   drawing    the same, from rows drawn at random
#   wide       arguments for a basis of more than a handful of points
#   small      arguments for a fit whose size must not depend on the number of rows; NULL for
#              models whose basis are all rows
model_spec <- function(fit, class, basis = "rows", random = TRUE, refits = TRUE, gradient = TRUE,
                       own_noise = FALSE, of_sites = NULL, largest_sd = prior_sd, far_sd = prior_sd,
                       cheap, learning, drawing, wide, small) {
  quiet <- function(settings) if (!is.null(settings)) c(settings, verbose = FALSE)
  fixed <- function(settings) if (!is.null(settings)) quiet(c(settings, optimise = FALSE))
  learns <- function(settings) quiet(c(settings, optimise = TRUE))
  list(
    fit = fit, class = class, basis = basis, random = random, refits = refits, gradient = gradient,
    own_noise = own_noise, of_sites = of_sites, largest_sd = largest_sd, far_sd = far_sd,
    cheap = fixed(cheap), learning = learns(learning), drawing = learns(drawing),
    wide = fixed(wide), small = fixed(small)
  )
}

prior_sd <- function(fit) sqrt(coef(fit)[["variance"]])

model_specs <- function() {
  list(
    ivm = model_spec(ivm, "gpsieve_ivm",
      cheap = list(n_active = 15, refine = 2),
      learning = list(n_active = 10, control = control_ivm(rounds = 2)),
      drawing = list(n_active = 10, control = control_ivm(rounds = 2, learn_rows = 40)),
      wide = list(n_active = 60, refine = 2),
      small = list(n_active = 20, control = control_ivm(keep = FALSE))
    ),
    ep_gp = model_spec(ep_gp, "gpsieve_ep_gp",
      basis = "points",
      cheap = list(inducing = 15, control = control_ep(max_iter = 500)),
      learning = list(inducing = 8, control = control_ep(max_iter = 4)),
      drawing = list(
        inducing = 8, batch_size = 20, epochs = 2, control = control_ep(validation = 0.1)
      ),
      wide = list(inducing = 60, control = control_ep(max_iter = 500, tol = 1e-3)),
      small = list(inducing = 20, method = "sep", control = control_ep(keep = FALSE, tol = 1e-2))
    ),
    meanfield_gp = model_spec(meanfield_gp, "gpsieve_meanfield_gp",
      random = FALSE,
      cheap = list(),
      learning = list(control = control_meanfield(learn_rows = 50, steps = 3)),
      drawing = list(control = control_meanfield(learn_rows = 40, steps = 3)),
      wide = list(), small = NULL
    ),
    online_gp = model_spec(online_gp, "gpsieve_online_gp",
      refits = FALSE, gradient = FALSE,
      cheap = list(budget = 15),
      learning = list(budget = 10, control = control_online(learn_rows = 30)),
      drawing = list(budget = 10, control = control_online(learn_rows = 30)),
      wide = list(budget = 60),
      small = list(budget = 20, control = control_online(keep = FALSE))
    ),
    greedy_gp = model_spec(greedy_gp, "gpsieve_greedy_gp",
      cheap = list(n_basis = 15, candidates = 5),
      learning = list(n_basis = 10, candidates = 5),
      drawing = list(n_basis = 10, candidates = 5),
      wide = list(n_basis = 60, candidates = 5),
      small = list(n_basis = 20, control = control_greedy(keep = FALSE))
    ),
    rvm = model_spec(rvm, "gpsieve_rvm",
      own_noise = TRUE,
      # Every weight has a prior of its own, and all basis functions vanish far away.
      largest_sd = function(fit) Inf, far_sd = function(fit) 0,
      cheap = list(
        kernel = kernel_rbf(1, 0.7), intercept = FALSE, control = control_rvm(max_iter = 1000)
      ),
      learning = list(intercept = FALSE),
      drawing = list(intercept = FALSE),
      wide = list(kernel = kernel_rbf(1, 0.7), intercept = FALSE),
      small = list(basis = 10, control = control_rvm(keep = FALSE))
    )
  )
}

# Items in turn: each call gives the next ones, so that a loop covers every pair of its own items
# and these without covering every combination.
turns <- function(items) {
  at <- 0
  function(count = 1) {
    at <<- at + count
    items[1 + (at - seq_len(count)) %% length(items)]
  }
}

# Everything that fits: the models, and the choice among them with nothing to choose.
fit_functions <- function() {
  choice <- list(fit = gpsieve, class = "gpsieve_chosen", basis = "rows", refits = TRUE,
    cheap = list(kernel = kernel_rbf(), candidates = "meanfield_gp", verbose = FALSE,
      control = control_gpsieve(folds = 2))
  )
  c(model_specs(), list(gpsieve = choice))
}

every_fit_function <- function(check) for (spec in fit_functions()) check(spec)

# The contract holds for these as well: a model whose fits are made of several machines.
contract_specs <- function() {
  leaves <- model_spec(ivm, "gpsieve_ivm",
    of_sites = "leaf", cheap = list(n_active = 15, refine = 2, leaf_rows = 30, trees = 2),
    learning = NULL, drawing = NULL, wide = NULL, small = NULL
  )
  c(model_specs(), list("ivm in leaves" = leaves))
}

every_model <- function(check) for (spec in model_specs()) check(spec)

every_task <- function(check) every_model(function(spec) for (task in tasks) check(spec, task))

# A fit with the cheap settings of its model; arguments given here come first and win. Settings that
# learn do so for a moment.
fit_cheaply <- function(spec, ..., settings = spec$cheap, seed = 1) {
  given <- list(...)
  all <- c(given, settings[setdiff(names(settings), names(given))], list(seed = seed))
  if (isTRUE(all$optimise)) whatever_it_learns(do.call(spec$fit, all)) else do.call(spec$fit, all)
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
    fit_shelf[[key]] <- fit_through(interface, contract_specs()[[model]], toy_data(task))
  }
  fit_shelf[[key]]
}

# A law of the contract: one test for every model and kind of response. The interfaces take turns:
# a law begins with the one after that with which the law before it in the file began. check(fit,
# toy, spec, task) states it.
law <- function(text, check, on = tasks, through = interfaces, file = parent.frame()) {
  file$laws <- if (is.null(file$laws)) 0 else file$laws + 1
  turn <- file$laws
  for (model in names(contract_specs())) for (task in on) {
    turn <- turn + 1
    interface <- through[1 + turn %% length(through)]
    test_that(paste0(text, " [", model, ", ", task, ", ", interface, "]"), {
      fit <- shared_fit(model, task, interface)
      check(fit, toy_data(task), contract_specs()[[model]], task)
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

# A fit without what may differ between two equal fits: the clock and how the call was written.
without_clock <- function(fit) {
  fit$trace$seconds <- NULL
  fit$origin <- NULL # how the data were written
  fit
}
