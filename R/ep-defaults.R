# How ep_gp() learns where the call does not say: from all rows or from minibatches, by which
# method, and when the inducing inputs move.

# Up to here all rows make a pass, and inducing inputs do not move together with the
# hyper-parameters, which costs accuracy that few rows cannot pay for. Beyond it minibatches learn
# faster than passes. With two stages of learning passes are the better choice for more rows.
few_rows <- 2000
few_rows_in_stages <- 5000
usual_batch <- 200

# The settings of a fit with a batch size, NULL for all rows, and a method.
# `learn_inducing` remains NULL where inducing inputs move in a stage of their own.
with_ep_defaults <- function(settings, problem, sharded) {
  n <- problem$n
  stages <- n <= few_rows_in_stages && may_learn_in_stages(settings, problem)
  few <- stages || n <= few_rows
  learns <- settings$optimise && settings$control$optimiser != "nlminb"
  if (is.null(settings$batch_size) && learns && !few && !sharded) settings$batch_size <- usual_batch
  # EP's site for each row costs little memory where rows are few. The one factor that SEP shares
  # among all rows gives too little noise where the noise is learned.
  if (is.null(settings$method)) {
    newton <- settings$control$optimiser == "nlminb"
    settings$method <- if ((few || newton) && is.null(settings$batch_size)) "ep" else "sep"
  }
  if (is.null(settings$learn_inducing) && !stages) {
    settings$learn_inducing <- n > few_rows && !is_sparse(problem$raw)
  }
  settings
}

# Whether the fit is of the kind for which learning has two stages where nothing else is given: EP
# over all rows of numbers from the dense model's hyper-parameters
may_learn_in_stages <- function(settings, problem) {
  control <- settings$control
  problem$response$kind == "real" && settings$optimise && is.null(settings$learn_inducing) &&
    is.null(settings$batch_size) && (is.null(settings$method) || settings$method == "ep") &&
    control$optimiser != "nlminb" && starts_warm(control)
}

# Whether inducing inputs move first, at the hyper-parameters of the dense model, and the kernel is
# learned after that, with the inducing inputs held
learns_in_stages <- function(settings) is.null(settings$learn_inducing)

# Passes over all rows that settle sites at fixed hyper-parameters, and quasi-Newton steps. Fewer
# passes, with longer steps, learn what the start from the dense model has left to learn.
settling_passes <- 250
warm_learning_passes <- 50
warm_learning_rate <- 2

# The greatest number of passes over all rows, and of quasi-Newton steps
most_passes <- function(control, learns) {
  if (!is.null(control$max_iter)) control$max_iter
  else if (learns && starts_warm(control)) warm_learning_passes
  else settling_passes
}

# The scale of the optimiser's steps. ADADELTA's steps are its own, so that their scale is 1, but in
# passes over all rows that start from the dense model, of which there are few.
learning_rate <- function(control, minibatches) {
  if (control$optimiser != "adadelta") 0.01
  else if (!minibatches && starts_warm(control)) warm_learning_rate
  else 1
}

# Two stages, and passes for several classes, visit at most so many rows, one row in several passes
# and for several latent functions counted as several, which takes the time of some thousand
# minibatches.
most_visits <- 7.5e5
# With many classes these passes are few; fewer would leave EP's sites unsettled.
fewest_passes <- 15

# Passes over all n rows: `moving` inducing inputs and `learning` hyper-parameters of so many
# latent functions
learning_passes <- function(settings, n, latents = 1, learns = TRUE) {
  passes <- most_passes(settings$control, learns)
  stages <- learns_in_stages(settings)
  several <- latents > 1 && n <= few_rows && starts_warm(settings$control)
  if (stages || several) passes <- min(passes, max(fewest_passes, most_visits %/% (n * latents)))
  moving <- if (stages) passes %/% 4 else 0
  list(moving = moving, learning = passes - moving)
}
