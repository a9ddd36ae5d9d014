# Random mutations of calls and of saved fits. A case is made from the name of its model and its
# number alone: fuzz_case("ivm", 17) runs the same case at every call.

fuzz_seconds <- 20

# Values that some argument somewhere does not expect.
odd_values <- list(
  NULL, NA, NA_real_, NaN, Inf, -Inf, 0, -1, 0.5, 1L, 2, 3, 1e-300, 1e300, 2^31, TRUE, FALSE,
  "a", "", NA_character_, character(), numeric(), list(), list(1), 1:3, c(a = 1), c(1, NA),
  matrix(1:4, 2), matrix(0, 0, 3), matrix("a"), factor("a"), as.Date("2020-01-01"), data.frame(),
  data.frame(a = 1), function(x) x, function(x, z) x, quote(a + b), quote(a), y ~ x, 1i, as.raw(1),
  emptyenv(), expression(a), fixed(1), structure(1, class = "odd"), structure(list(), class = "odd")
)

odd_numbers <- c(NA, NaN, Inf, -Inf, 0, -1, 1e-320, 1e-150, 1e150, 1e300, 0.1, 2^31)

# Arguments that ask for more work the larger they are.
lengths_of_work <- c(
  "max_iter", "steps", "rounds", "epochs", "sweeps", "refine", "n_random", "n_full", "pool",
  "patience", "threads"
)

pick <- function(from) from[[sample.int(length(from), 1L)]]

chance <- function(probability) stats::runif(1L) < probability

# ---- a tiny problem ----

fuzz_response <- function(f) {
  n <- length(f)
  switch(pick(c("binary", "multiclass", "real", "count")),
    binary = factor(ifelse(f > 0, "yes", "no"), c("no", "yes")),
    multiclass = factor(c("low", "mid", "high")[1L + (f > -0.5) + (f > 0.5)]),
    real = f + 0.1 * stats::rnorm(n),
    count = stats::rpois(n, exp(f))
  )
}

fuzz_problem <- function(spec) {
  n <- pick(c(1, 2, 3, 8, 15, 25))
  x <- as.data.frame(matrix(stats::runif(n * 3L, -2, 2), n, dimnames = list(NULL, letters[1:3])))
  x <- x[seq_len(pick(1:3))]
  settings <- if (chance(0.5)) spec$learning else spec$cheap
  list(
    spec = spec, x = x, y = fuzz_response(sin(2 * x$a)), new = x[c(1L, 1L), , drop = FALSE],
    formula = NULL, settings = c(settings, list(seed = pick(1:9)))
  )
}

# ---- mutations of a call ----

# A value of an argument: one of its choices or something odd, never one that asks for hours.
argument_value <- function(name, default) {
  choices <- tryCatch(eval(default), error = function(e) NULL)
  value <- if (is.character(choices) && chance(0.4)) pick(choices) else pick(odd_values)
  long <- name %in% lengths_of_work && is.numeric(value) && length(value) == 1L &&
    is.finite(value) && value > 10
  if (long) 7 else value
}

with_argument <- function(problem) {
  arguments <- formals(get(problem$spec$name, asNamespace("gpsieve")))
  name <- pick(setdiff(names(arguments), c("x", "y", "formula", "data", "...", "control")))
  problem$settings[name] <- list(argument_value(name, arguments[[name]]))
  problem
}

control_maker <- function(spec) {
  get(paste0("control_", sub("_gp$", "", spec$name)), envir = asNamespace("gpsieve"))
}

# One setting through the maker of the control list, or by hand where the list is taken as it is.
with_control <- function(problem) {
  maker <- control_maker(problem$spec)
  name <- pick(setdiff(names(formals(maker)), "..."))
  value <- argument_value(name, formals(maker)[[name]])
  if (chance(0.3)) {
    problem$settings$control <- mutate_somewhere(maker())
  } else {
    problem$change_control <- stats::setNames(list(value), name)
  }
  problem
}

odd_function <- function() {
  pick(list(
    function(x, z) stop("no distance"), function(x, z) NULL, function(x, z) diag(nrow(x)),
    function(x, z) matrix(NaN, nrow(x), nrow(z)), function(x, z) -tcrossprod(x, z),
    function(x, z) tcrossprod(x, z), function(x, z) matrix(1L, nrow(x), nrow(z)),
    function(x, z) 1e200 * tcrossprod(x, z), function(x, z) outer(x[, 1L], z[, 1L], "-"),
    function(x, z) matrix(stats::runif(nrow(x) * nrow(z)), nrow(x)), function(x, z) new.env()
  ))
}

with_kernel <- function(problem) {
  size <- function() pick(c(1e-300, 1e-100, 1e-8, 0.1, 1, 10, 1e8, 1e100, 1e300))
  leaf <- function() {
    pick(list(
      function() kernel_rbf(size(), size()), function() kernel_rbf(size()),
      function() kernel_matern(pick(c(0.5, 1.5, 2.5)), size(), size()),
      function() kernel_separable(pick(c(0.5, 1.5, 2.5)), size(), size()),
      function() kernel_rational_quadratic(size(), size(), size()),
      function() kernel_linear(size()),
      function() kernel_polynomial(pick(c(1, 3, 20, 1000)), size(), pick(c(0, 1, 1e10)), size()),
      function() kernel_periodic(size(), size(), size()), function() kernel_constant(fixed(size())),
      function() kernel_great_circle(pick(list(NULL, 1:2, 2:1)), 1.5, size(), size()),
      function() kernel_affine(size(), size(), size()),
      function() kernel_categorical(pick(list(NULL, "a", 2, "nosuch")), size(), pick(c(0, 0.9))),
      function() kernel_categorical("b", size(), 0.5, "learned"),
      function() kernel_precomputed(diag(40), pick(list(NULL, 1, "a", "b")), size()),
      function() kernel_white(size()), function() kernel_function(odd_function()),
      function() kernel_on(kernel_rbf(), pick(list(1, 2, 4, "a", "nosuch"))),
      function() kernel_rbf(1, rep(1, pick(1:4)))
    ))()
  }
  kernel <- pick(list(leaf, function() leaf() + leaf(), function() leaf() * leaf()))()
  problem$settings$kernel <- if (chance(0.2)) mutate_somewhere(kernel) else kernel
  problem
}

with_likelihood <- function(problem) {
  likelihood <- pick(list(
    lik_gaussian(), lik_gaussian(1e-300), lik_gaussian(fixed(1e300)), lik_probit(),
    lik_probit(1e100), lik_label_noise(), lik_label_noise(1e-300), lik_logit(), lik_poisson(),
    lik_student(), lik_student(0.5, 1e-100)
  ))
  problem$settings$likelihood <- if (chance(0.3)) mutate_somewhere(likelihood) else likelihood
  problem
}

odd_column <- function(column) {
  n <- length(column)
  pick(list(
    function() replace(column, sample.int(n, 1L), pick(odd_numbers)), function() rep(NA, n),
    function() as.character(column), function() factor(column), function() as.list(column),
    function() matrix(column, n, 2L), function() as.Date(seq_len(n), "1970-01-01"),
    function() rep(pick(odd_numbers), n), function() column * pick(odd_numbers),
    function() column > 0, function() I(as.list(column)), function() as.complex(column),
    function() factor(rep("a", n), c("a", "b")), function() ordered(round(column)),
    function() structure(column, class = "odd"), function() rep(as.raw(1), n)
  ))()
}

# The rows as a sparse matrix, whole or with a slot that contradicts the others.
odd_sparse <- function(x) {
  rows <- methods::as(as.matrix(x), "CsparseMatrix")
  with_slot <- function(name, value) {
    methods::slot(rows, name, check = FALSE) <- value
    rows
  }
  pick(list(
    function() rows, function() unname(rows), function() rows[0L, , drop = FALSE],
    function() rows > 0, function() methods::as(rows, "RsparseMatrix"),
    function() methods::as(rows, "TsparseMatrix"), function() cbind(rows, rows),
    function() with_slot("x", replace(rows@x, 1L, pick(odd_numbers))),
    function() with_slot("x", rows@x[-1L]), function() with_slot("i", rev(rows@i)),
    function() with_slot("i", replace(rows@i, 1L, pick(c(NA, -1L, nrow(x), .Machine$integer.max)))),
    function() with_slot("p", rev(rows@p)), function() with_slot("p", rows@p[-1L]),
    function() with_slot("p", replace(rows@p, 1L, 1L)), function() with_slot("p", integer()),
    function() with_slot("Dim", rows@Dim + 1L), function() with_slot("Dim", -rows@Dim),
    function() with_slot("Dimnames", list(NULL, rep("a", ncol(x)))),
    function() with_slot(pick(c("x", "i", "p", "Dim", "Dimnames")), pick(odd_values))
  ))()
}

odd_frame <- function(x) {
  if (chance(0.15)) return(odd_sparse(x))
  pick(list(
    function() x[0L, , drop = FALSE], function() x[, 0L, drop = FALSE],
    function() stats::setNames(x, rep("a", ncol(x))),
    function() stats::setNames(x, rep("", ncol(x))),
    function() as.matrix(x), function() unname(as.matrix(x)), function() x[rep(1L, nrow(x)), ],
    function() {
      x$a <- odd_column(x$a)
      x
    },
    function() cbind(x, extra = odd_column(x$a)), function() pick(odd_values),
    function() mutate_somewhere(x)
  ))()
}

with_inputs <- function(problem) {
  problem$x <- odd_frame(problem$x)
  problem
}

with_new_rows <- function(problem) {
  problem$new <- odd_frame(problem$new)
  problem
}

with_response <- function(problem) {
  y <- problem$y
  problem$y <- pick(list(
    function() pick(odd_values), function() y[-1L], function() rep(y[1L], length(y)),
    function() replace(y, 1L, NA), function() as.matrix(y), function() cbind(y, y),
    function() as.character(y), function() data.frame(y), function() as.list(y),
    function() odd_column(as.numeric(y)), function() 1e14 * abs(as.numeric(y)),
    function() factor(y, labels = NULL, exclude = y[1L])
  ))()
  problem
}

with_formula <- function(problem) {
  problem$formula <- pick(list(
    y ~ ., y ~ a, y ~ a * b, y ~ poly(a, 2), y ~ log(a), y ~ . - a, ~a, y ~ y, y ~ 1, y ~ 0,
    y ~ nosuch,
    y ~ factor(round(a)), y ~ cut(a, 3), log(y) ~ a, y ~ offset(a), y ~ a:b, y ~ I(a^2),
    y ~ (a | b),
    y ~ stop("no"), cbind(y, a) ~ b, y ~ scale(a), y ~ a - 1, y ~ -a, nosuch ~ a,
    y ~ a[1], y ~ NULL,
    y ~ "a", y ~ 2 * a, y ~ a %in% b, y ~ matrix(a, ncol = 1), y ~ Sys.time(), y ~ runif(3)
  ))
  problem
}

call_mutations <- list(
  with_argument, with_argument, with_control, with_kernel, with_likelihood, with_inputs,
  with_new_rows, with_response, with_formula
)

mutated_problem <- function(spec) {
  problem <- fuzz_problem(spec)
  for (mutation in sample(call_mutations, pick(1:3))) {
    # What an earlier mutation left may be too odd for the next one.
    problem <- tryCatch(mutation(problem), error = function(e) problem)
  }
  problem
}

run_problem <- function(problem) {
  settings <- problem$settings
  if (!is.null(problem$change_control)) {
    settings$control <- do.call(control_maker(problem$spec), problem$change_control, quote = TRUE)
  }
  if (is.null(problem$formula)) {
    first <- list(problem$x, problem$y)
  } else {
    data <- tryCatch(cbind(problem$x, y = problem$y), error = identity)
    first <- list(problem$formula, if (is.data.frame(data)) data else problem$x)
  }
  do.call(problem$spec$fit, c(first, settings), quote = TRUE)
}

# ---- mutations of an object ----

# The object with one part, at any depth, replaced by something odd.
mutate_somewhere <- function(object) {
  deeper <- is.list(object) && length(object) && chance(0.85)
  if (!deeper) return(mutate_here(object))
  i <- sample.int(length(object), 1L)
  part <- mutate_somewhere(unclass(object)[[i]])
  bare <- unclass(object)
  bare[i] <- list(part)
  mostattributes(bare) <- attributes(object)
  bare
}

mutate_here <- function(object) {
  n <- length(object)
  ways <- list(
    function() pick(odd_values), function() NULL, function() unclass(object),
    function() if (n) structure(object, names = NULL),
    function() if (n) structure(object, dim = NULL)
  )
  if (n && is.vector(object)) {
    ways <- c(ways, function() object[-1L], function() rep(object, 2L), function() object[0L])
  }
  if (n && is.numeric(object) && !is.object(object)) {
    ways <- c(ways, rep(list(function() replace(object, sample.int(n, 1L), pick(odd_numbers))), 4L))
  }
  if (n && is.character(object)) ways <- c(ways, function() replace(object, 1L, "nosuch"))
  pick(ways)()
}

small_fit <- function(spec, task) {
  toy <- toy_data(task, n = 20)
  key <- paste(spec$name, task, "small")
  if (is.null(fit_shelf[[key]])) fit_shelf[[key]] <- fit_cheaply(spec, y ~ a + b, toy$data)
  fit_shelf[[key]]
}

# ---- what is asked of a fit, and what the answer must be ----

predict_question <- function(type, ...) {
  function(fit, new) {
    answer <- predict(fit, new, type = type, ...)
    if (is.list(answer)) answer <- answer$fit
    if (n_rows(answer) != nrow(new)) stop("an answer of another size")
    if (any(is.nan(unlist(answer)))) stop("an answer that is not a number")
  }
}

questions <- list(
  response = predict_question("response"), link = predict_question("link", se.fit = TRUE),
  prob = predict_question("prob"), quantile = predict_question("quantile", probs = c(0.1, 0.9)),
  print = function(fit, new) print(fit), summary = function(fit, new) print(summary(fit)),
  tidy = function(fit, new) tidy(fit), glance = function(fit, new) glance(fit),
  augment = function(fit, new) augment(fit, new), plot = function(fit, new) plot(fit),
  trace = function(fit, new) plot(fit, "trace"), coef = function(fit, new) coef(fit),
  evidence = function(fit, new) evidence(fit, gradient = TRUE), loo = function(fit, new) loo(fit),
  active = function(fit, new) active_set(fit), inducing = function(fit, new) inducing(fit),
  sites = function(fit, new) sites(fit), certificate = function(fit, new) certificate(fit),
  likelihood = function(fit, new) logLik(fit), query = function(fit, new) query_score(fit, new),
  batch = function(fit, new) what_next(fit, new, 2, "learn"),
  bounds = function(fit, new) variance_bounds(fit, new, new),
  formula = function(fit, new) formula(fit),
  update = function(fit, new) update(fit, new, seed = 1),
  interval = predict_question("response", interval = "confidence"),
  covariance = function(fit, new) predict(fit, new, type = "link", cov = TRUE),
  draws = function(fit, new) posterior_draws(fit, new, n = 2, seed = 1),
  simulate = function(fit, new) simulate(fit, nsim = 2, seed = 1, newdata = new),
  residuals = function(fit, new) {
    y <- pick(c(list(predict(fit, new)), odd_values))
    residuals(fit, pick(c("response", "pearson", "deviance", "quantile")), new, y = y, seed = 1)
  },
  fitted = function(fit, new) fitted(fit, new), sigma = function(fit, new) sigma(fit),
  relevance = function(fit, new) relevance(fit),
  kernel = function(fit, new) kernel_matrix(kernel_of(fit), inducing(fit)),
  effects = function(fit, new) plot(fit, "effects"),
  odd = function(fit, new) predict(fit, new, type = pick(odd_values)),
  odd_interval = function(fit, new) {
    predict(fit, new, interval = pick(c("prediction", odd_values)), level = pick(odd_values))
  },
  odd_draws = function(fit, new) posterior_draws(fit, new, n = pick(odd_values), seed = 1),
  odd_plot = function(fit, new) plot(fit, pick(odd_values), level = pick(odd_values)),
  odd_bounds = function(fit, new) variance_bounds(fit, new, new, tol = pick(odd_values))
)

# ---- running cases ----

# "answer", "refused", or what went wrong.
outcome_of <- function(code) {
  setTimeLimit(elapsed = fuzz_seconds, transient = TRUE)
  on.exit(setTimeLimit(elapsed = Inf))
  tryCatch(
    {
      utils::capture.output(suppressMessages(suppressWarnings(force(code))))
      "answer"
    },
    gpsieve_error = function(e) "refused",
    error = function(e) paste0(class(e)[1L], ": ", conditionMessage(e))
  )
}

fuzz_call <- function(spec) {
  problem <- mutated_problem(spec)
  asked <- sample(names(questions), 3L)
  fit <- NULL
  outcome <- outcome_of(fit <- run_problem(problem))
  for (name in asked) {
    if (outcome == "answer") {
      outcome <- outcome_of(questions[[name]](fit, problem$new))
      if (outcome == "refused") outcome <- "answer"
      if (outcome != "answer") outcome <- paste0(name, "() ", outcome)
    }
  }
  outcome
}

fuzz_fit <- function(spec) {
  task <- pick(tasks)
  damaged <- mutate_somewhere(small_fit(spec, task))
  if (!inherits(damaged, "gpsieve_fit")) return("refused")
  new <- toy_data(task, n = 3)$new
  for (name in sample(names(questions), 3L)) {
    outcome <- outcome_of(questions[[name]](damaged, new))
    if (!outcome %in% c("answer", "refused")) return(paste0(name, "() of a fit ", outcome))
  }
  "answer"
}

fuzz_case <- function(model, number) {
  spec <- c(model_specs()[[model]], name = model)
  with_own_seed(number, if (chance(0.3)) fuzz_fit(spec) else fuzz_call(spec))
}

# The cases of a model that went wrong, by number.
fuzz_failures <- function(model, numbers) {
  grDevices::pdf(NULL)
  on.exit(grDevices::dev.off())
  withr::local_dir(withr::local_tempdir())
  outcomes <- vapply(numbers, function(number) fuzz_case(model, number), "")
  failed <- !outcomes %in% c("answer", "refused")
  stats::setNames(outcomes[failed], numbers[failed])
}
