# Noise that depends on the inputs among the candidates of gpsieve(): where the residuals of
# held-out rows are larger for some values of an input than for others, the logarithm of the
# variance of the noise is a function of that input, lik_gaussian(noise = ), in a candidate beside
# the best one.

# A curve of an input has one of these numbers of coefficients.
noise_curves <- c(4L, 6L)

# Stage: noise that depends on inputs, first if its density is clearly greater than that of the best
# with Gaussian noise of one variance, its mean about as good, and its density not clearly less than
# the first one's. Noise that grows with the response may be that of its logarithm too, whose
# function grows exponentially beyond the rows. It may also be that of a learned scale: the more
# probable of the two stands, where no row counts for more than a nat. In eleven samples of five
# tables with learned scales it was not taken, in 140 rows drawn with noise that changes it was.
# On each split the coefficients of the noise are learned with the kernel that the usual candidate
# has learned there; if the entry comes first, it is judged once more with the function and the
# noise that its fit to all rows has learned.
changing_noise_stage <- function() {
  new_stage(
    candidate = "noise that changes",
    where = "the size of residuals depends on inputs",
    beside = function(entries) Find(has_gaussian_noise, entries),
    propose = function(choice, usual) {
      formula <- noise_formula(usual, choice$task)
      if (is.null(formula)) list() else list(changing_entry(usual, formula, choice$task))
    },
    race = function(entry, usual, choice) {
      may_stop <- has_gaussian_noise(choice$entries[[1L]])
      list(needed = 2, suits = function(entry, usual) may_stop && has_mean_as_good(entry, usual))
    },
    judge = function(entry, usual, choice, i) {
      choice$report()
      split <- choice$splits[[i]]
      list(judged = c(list(row = split$test), tryCatch(
        muffle_warnings(changing_scores(entry, usual, choice$task, split, usual$judged$ended[[i]])),
        gpsieve_error = function(e) no_scores(length(split$test))
      )))
    },
    judge_as_fitted = changing_scores_as_fitted,
    better = function(entry, first, usual) {
      gains_in_most_rows(entry, usual) && has_mean_as_good(entry, usual) &&
        if (has_warp(first)) mean(bounded_gain(entry, first)) > 0 else !gains_clearly(first, entry)
    }
  )
}

# The formula of the noise that the residuals of held-out rows suggest; NULL for none
noise_formula <- function(usual, task) {
  molded <- task$molded
  judged <- usual$judged
  applies <- chooses_noise(task) && !is_sparse(molded$x) && is.null(molded$weights) &&
    is.null(molded$offset) && !isTRUE(molded$counted) && !isTRUE(task$series$ordered) &&
    usual$candidate$model == "meanfield_gp" && nrow(molded$x) <= most_learned_anew &&
    !begins_with_little_noise(usual$candidate)
  if (!applies) return(NULL)
  x <- molded$x[judged$row, plain_inputs(molded), drop = FALSE]
  known <- is.finite(judged$surprise)
  if (!ncol(x) || sum(known) < fewest_to_suggest) return(NULL)
  surprise <- judged$surprise[known]
  x <- x[known, , drop = FALSE]
  found <- dependence_of_noise(abs(surprise), x)
  clear <- found[found$p < by_chance / nrow(found), , drop = FALSE]
  if (!nrow(clear)) return(NULL)
  clear <- clear[order(clear$p), , drop = FALSE]
  inputs <- utils::head(unique(clear$input), few_columns)
  alone <- ncol(molded$x) == 1L
  terms <- vapply(inputs, function(input) {
    name <- expr_text(as.name(input))
    curved <- (alone || any(clear$bent[clear$input == input])) &&
      length(unique(molded$x[, input])) > 2L * max(noise_curves)
    if (curved) sprintf("splines::ns(%s, %d)", name, best_curve(x[, input], surprise^2)) else name
  }, "")
  stats::as.formula(paste("~", paste(terms, collapse = " + ")), env = baseenv())
}

# How many coefficients the curve of an input has that describes squared errors best, by Schwarz's
# criterion (BIC)
best_curve <- function(x, squares) {
  criterion <- vapply(noise_curves, function(count) {
    eta <- noise_regression(splines::ns(x, count), squares, rep(1, length(x)))$eta
    sum(eta + squares * exp(-eta)) + count * log(length(x))
  }, 0)
  noise_curves[which.min(criterion)]
}

# The probabilities of rank correlations of the sizes of residuals with each input, and with its
# distance from its median: data.frame(input, bent, p)
dependence_of_noise <- function(size, x) {
  p_of <- function(v) {
    rho <- suppressWarnings(stats::cor(rank(size), rank(v)))
    if (is.na(rho)) 1 else 2 * stats::pnorm(-abs(rho) * sqrt(length(v) - 1))
  }
  middle <- apply(x, 2L, stats::median)
  data.frame(
    input = rep(colnames(x), 2L), bent = rep(c(FALSE, TRUE), each = ncol(x)),
    p = c(apply(x, 2L, p_of), apply(abs(sweep(x, 2L, middle)), 2L, p_of))
  )
}

# The columns of the user's data that are inputs as they stand: numbers of which none is missing
plain_inputs <- function(molded) {
  design <- molded$blueprint$design
  plain <- vapply(seq_along(design$variables), function(v) {
    encoding <- design$encodings[[v]]
    encoding$kind == "number" && is.null(encoding$missing)
  }, NA)
  names <- names(design$variables)[plain]
  intersect(names[make.names(names) == names], colnames(molded$x))
}

# The entry of the usual candidate with the noise of a formula.
# Learning by turns takes several times as long as learning once (`share_by_turns`): it has smaller
# blocks.
changing_entry <- function(usual, formula, task) {
  candidate <- usual$candidate
  candidate$label <- paste0("changing noise, ", candidate$label)
  candidate$likelihood <- lik_gaussian(noise = formula)
  task$time <- choice_seconds(task) / share_by_turns
  blocks <- affordable_blocks(task, is_simple(candidate$kernel))
  candidate$settings$control <- control_meanfield(blocks = blocks, keep = task$control$keep)
  entry <- new_entry(candidate, "likelihood")
  entry$kernel <- usual$kernel
  entry$noise_terms <- noise_terms_of(formula, task)
  entry
}

# What the formula of the noise makes of the rows
noise_terms_of <- function(formula, task) {
  molded <- task$molded
  molded$kept <- NULL
  noise_design(formula, noise_frame(molded$x, "data"), molded)
}

# `ended`: the kernel and the likelihood of the usual candidate's fit to the split
changing_scores <- function(entry, usual, task, split, ended) {
  molded <- molded_for(usual$candidate, task)
  train <- molded_part(molded, split, "train")
  test <- molded_part(molded, split, "test")
  train$trial <- TRUE
  z <- entry$noise_terms$z
  of_train <- z[split$train, , drop = FALSE]
  fit_at <- function(molded, kernel, likelihood, optimise) {
    own <- usual
    own$candidate[c("kernel", "likelihood")] <- list(kernel, likelihood)
    own$candidate$settings$optimise <- optimise
    own$learned <- NULL
    fit_entry(own, task, molded)
  }
  if (is.null(ended)) return(no_scores(length(split$test)))
  copies <- case_weights_of(train)
  fit <- fit_at(train, ended$kernel, ended$likelihood, FALSE)
  begun <- list(fit = fit, coefficients = numeric(ncol(z)))
  found <- settle_noise(fit_at, begun, train, of_train, copies)
  eta <- drop(of_train %*% found$coefficients)
  likelihood <- ended$likelihood
  likelihood$values$variance <- found$variance
  fit <- fit_at(with_changing_noise(train, eta), ended$kernel, likelihood, FALSE)
  later <- drop(z[split$test, , drop = FALSE] %*% found$coefficients) + shift_of(eta, copies)
  test[["noise"]] <- list(learned = TRUE, eta = later)
  c(held_out_scores(fit, test, task$unit),
    list(ended = list(list(kernel = ended$kernel, likelihood = likelihood))))
}

# The fit to all rows of an entry whose noise depends on inputs
fit_changing_entry <- function(entry, task) {
  molded <- task$molded
  molded$noise_terms <- entry$noise_terms
  fit_entry_by_turns(entry, task, molded, entry$candidate$likelihood)
}

# The scores of a split's held-out rows by the fit to its others, with the function and the noise
# that the fit to all rows has learned
changing_scores_as_fitted <- function(entry, fit, task, split) {
  molded <- molded_for(entry$candidate, task)
  noise <- fit$likelihood$noise
  eta <- drop(entry$noise_terms$z %*% noise$coefficients)
  of_train <- eta[split$train]
  train <- molded_part(molded, split, "train")
  shift <- shift_of(of_train, case_weights_of(train))
  likelihood <- lik_gaussian(fit$likelihood$values$variance * exp(noise$shift - shift))
  own <- entry
  own$candidate[c("kernel", "likelihood")] <- list(reported_kernel(fit), likelihood)
  own$candidate$settings$optimise <- FALSE
  own$learned <- NULL
  train$trial <- TRUE
  on_rest <- fit_entry(own, task, with_changing_noise(train, of_train))
  test <- molded_part(molded, split, "test")
  test[["noise"]] <- list(learned = TRUE, eta = eta[split$test] + shift)
  held_out_scores(on_rest, test, task$unit)
}
