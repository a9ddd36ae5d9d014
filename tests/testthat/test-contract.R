# What holds for every model, kind of response and interface (helper-models.R lists the models).

# ---- shapes ----

law("a fit is of its model's class and the package's", function(fit, toy, spec, task) {
  expect_s3_class(fit, c(spec$class, "gpsieve_fit"), exact = TRUE)
  expect_type(fit, "list")
})

law("a prediction has the rows of newdata in their order", function(fit, toy, spec, task) {
  backwards <- toy$new[rev(seq_len(nrow(toy$new))), ]
  for (p in all_predictions(fit, toy$new)) expect_identical(n_rows(p), nrow(toy$new))
  expect_equal(
    all_predictions(fit, backwards), rows_of(all_predictions(fit, toy$new),
      rev(seq_len(nrow(toy$new)))),
    tolerance = 1e-12
  )
})

law("the response is a factor with the training levels, or numbers", function(fit, toy, ...) {
  p <- predict(fit, toy$new)
  if (is.factor(toy$y)) {
    expect_s3_class(p, "factor")
    expect_identical(levels(p), levels(toy$y))
    guessing <- max(table(toy$y)) / length(toy$y)
    expect_gt(mean(predict(fit, toy$x) == toy$y), guessing + 0.2)
  } else {
    expect_type(p, "double")
    expect_null(attributes(p))
    expect_gt(cor(predict(fit, toy$x), toy$y), 0.9)
  }
})

law("probabilities are probabilities, named by level", on = c("binary", "multiclass"),
  function(fit, toy, spec, task) {
    p <- predict(fit, toy$new, type = "prob")
    expect_true(is.matrix(p) && is.double(p))
    expect_identical(dimnames(p), list(NULL, levels(toy$y)))
    expect_true(all(p >= 0 & p <= 1))
    expect_close(rowSums(p), 1, 1e-12)
  }
)

law("the class is the most probable one", on = c("binary", "multiclass"),
  function(fit, toy, spec, task) {
    new <- rbind(toy$new, toy$x)
    p <- predict(fit, new, type = "prob")
    expect_identical(as.character(predict(fit, new)), colnames(p)[max.col(p, "first")])
  }
)

law("the latent function comes with its standard deviation", function(fit, toy, spec, task) {
  link <- predict(fit, toy$new, type = "link", se.fit = TRUE)
  expect_named(link, c("fit", "se.fit"))
  expect_identical(link$fit, predict(fit, toy$new, type = "link"))
  if (task == "multiclass") {
    expect_identical(dimnames(link$fit), list(NULL, levels(toy$y)))
    expect_identical(dimnames(link$se.fit), dimnames(link$fit))
  } else {
    expect_null(dim(link$fit))
    expect_null(dim(link$se.fit))
  }
  # Data cannot widen what a Gaussian process believed before them.
  scale <- if (task == "regression") sd(toy$y) else 1
  prior <- scale * spec$largest_sd(fit)
  expect_true(all(link$se.fit > 0 & link$se.fit <= prior * (1 + 1e-12)))
})

law("far from the data the prior is all there is", function(fit, toy, spec, task) {
  far <- predict(fit, data.frame(a = 1e6, b = -1e6), type = "link", se.fit = TRUE)
  scale <- if (task == "regression") sd(toy$y) else 1
  expect_equal(max(far$se.fit), scale * spec$far_sd(fit), tolerance = 1e-10)
  expect_equal(min(far$se.fit), max(far$se.fit), tolerance = 1e-10)
  if (task == "regression") expect_equal(far$fit, mean(toy$y), tolerance = 1e-10)
})

law("a numeric response has quantiles in order around its mean", on = "regression",
  function(fit, toy, spec, task) {
    probs <- c(0.025, 0.25, 0.5, 0.75, 0.975)
    q <- predict(fit, toy$new, type = "quantile", probs = probs)
    expect_identical(dim(q), c(nrow(toy$new), length(probs)))
    expect_true(all(apply(q, 1, diff) > 0))
    expect_equal(unname(q[, 3]), predict(fit, toy$new), tolerance = 1e-10)
    expect_identical(
      predict(fit, toy$new, type = "quantile"),
      predict(fit, toy$new, type = "quantile", probs = c(0.05, 0.95))
    )
  }
)

test_that("a quantile is named as by quantile(), whatever others are asked for", {
  probs <- c(0.025, 0.25, 1 / 3, 0.5, 0.999)
  for (model in names(model_specs())) {
    q <- predict(shared_fit(model, "regression"), toy_data("regression")$new, type = "quantile",
      probs = probs
    )
    expect_identical(colnames(q), names(quantile(0, probs)))
  }
})

# ---- newdata ----

law("a row with a missing value gives NA, others what they always give", function(fit, toy, ...) {
  holes <- toy$new
  holes$a[2] <- NA
  holes$b[5] <- NaN
  holes[7, ] <- NA
  with_holes <- all_predictions(fit, holes)
  whole <- all_predictions(fit, toy$new)
  for (p in rows_of(with_holes, c(2, 5, 7))) expect_true(all(is.na(p)))
  expect_equal(rows_of(with_holes, -c(2, 5, 7)), rows_of(whole, -c(2, 5, 7)), tolerance = 1e-12)
  nothing <- all_predictions(fit, holes[c(7, 7), ])
  expect_identical(lapply(nothing, n_rows), lapply(rows_of(whole, 1:2), n_rows))
  for (p in nothing) expect_true(all(is.na(p)))
})

law("no rows in, no rows out", function(fit, toy, spec, task) {
  whole <- all_predictions(fit, toy$new)
  expect_identical(all_predictions(fit, toy$new[0, ]), rows_of(whole, 0))
  expect_identical(all_predictions(fit, as.matrix(toy$new)[0, ]), rows_of(whole, 0))
})

law("a row's prediction does not depend on the others", function(fit, toy, spec, task) {
  whole <- all_predictions(fit, toy$new)
  for (i in 1:3) {
    expect_equal(all_predictions(fit, toy$new[i, ]), rows_of(whole, i), tolerance = 1e-12)
  }
  some <- c(4, 4, 9, 1)
  # R names the second copy of row 4 "4.1", a name that predictions would keep.
  rows <- `rownames<-`(toy$new[some, ], NULL)
  expect_equal(all_predictions(fit, rows), rows_of(whole, some), tolerance = 1e-12)
})

law("columns are found by name, others ignored", function(fit, toy, spec, task) {
  more <- cbind(z = Inf, toy$new[2:1], text = letters[seq_len(nrow(toy$new))], y = NA)
  expect_identical(all_predictions(fit, more), all_predictions(fit, toy$new))
  matrix <- cbind(as.matrix(toy$new[2:1]), z = NaN)
  expect_identical(all_predictions(fit, matrix), all_predictions(fit, toy$new))
})

law("tibble, data frame and matrix say the same", function(fit, toy, spec, task) {
  skip_if_not_installed("tibble")
  expected <- all_predictions(fit, toy$new)
  expect_identical(all_predictions(fit, tibble::as_tibble(toy$new)), expected)
  expect_identical(all_predictions(fit, as.matrix(toy$new)), expected)
})

law("row names are kept, row numbers are not", through = "formula", function(fit, toy, spec, task) {
  names <- paste("row", seq_len(nrow(toy$new)))
  named <- all_predictions(fit, `rownames<-`(toy$new, names))
  for (p in named) expect_identical(if (is.matrix(p)) rownames(p) else names(p), names)
  bare <- lapply(named, function(p) if (is.matrix(p)) unname_rows(p) else unname(p))
  expect_identical(bare, all_predictions(fit, toy$new))
  expect_identical(all_predictions(fit, as.matrix(`rownames<-`(toy$new, names))), named)
  renumbered <- toy$new
  attr(renumbered, "row.names") <- rev(seq_len(nrow(toy$new)))
  expect_identical(all_predictions(fit, renumbered), bare)
})

# ---- the object ----

law("predicting and looking leave the object as it was", function(fit, toy, spec, task) {
  before <- rlang::hash(fit)
  all_predictions(fit, toy$new)
  capture.output(print(fit), print(summary(fit)))
  withr::with_pdf(NULL, plot(fit))
  evidence(fit, gradient = spec$gradient)
  expect_identical(rlang::hash(fit), before)
})

law("a fit holds no environment, function or pointer", function(fit, toy, spec, task) {
  expect_identical(foreign_parts(fit), character())
})

law("the accessors answer in their documented shapes", function(fit, toy, spec, task) {
  classes <- if (task == "multiclass") levels(toy$y)
  n <- nrow(toy$x)

  points <- inducing(fit)
  expect_true(is.matrix(points) && is.double(points))
  expect_identical(colnames(points), c("a", "b"))
  if (spec$basis == "rows") {
    active <- active_set(fit)
    if (is.null(classes)) expect_type(active, "integer") else expect_named(active, classes)
    rows <- unlist(active)
    expect_true(all(rows %in% seq_len(n)))
    for (set in if (is.list(active)) active else list(active)) expect_false(anyDuplicated(set) > 0)
    expect_equal(points, unname_rows(as.matrix(toy$x)[unique(rows), ]), tolerance = 1e-12)
  } else {
    expect_error(active_set(fit), class = "gpsieve_error_unsupported")
  }

  table <- sites(fit)
  expect_s3_class(table, "data.frame")
  expect_named(table, c(if (!is.null(classes)) "class", "row", "precision", "mean", spec$of_sites))
  expect_true(all(table$precision > 0) && all(is.finite(table$mean)))

  found <- evidence(fit)
  expect_named(found, c("value", "kind", "gradient"))
  expect_true(is.finite(found$value) && rlang::is_string(found$kind))
  expect_null(found$gradient)
  if (spec$gradient) {
    gradient <- evidence(fit, gradient = TRUE)$gradient
    expect_true(all(is.finite(gradient)) && all(names(gradient) %in% names(coef(fit))))
    if (fit$settings$optimise) expect_identical(attr(logLik(fit), "df"), length(gradient))
  } else {
    expect_error(evidence(fit, gradient = TRUE), class = "gpsieve_error_unsupported")
  }

  log_lik <- logLik(fit)
  expect_s3_class(log_lik, "logLik")
  expect_identical(as.numeric(log_lik), found$value)
  learns <- fit$settings$optimise || inherits(fit, "gpsieve_chosen")
  expect_true(attr(log_lik, "df") %in% if (learns) seq_along(coef(fit)) else 0L)
  expect_identical(attr(log_lik, "nobs"), nobs(fit))
  expect_equal(nobs(fit), n)
  if (found$kind == "active set") {
    expect_error(AIC(fit), class = "gpsieve_error_unsupported")
  } else {
    expect_true(is.finite(AIC(fit)))
  }

  expect_type(coef(fit), "double")
  expect_true(all(coef(fit) > 0) && all(nzchar(names(coef(fit)))))
  expect_s3_class(kernel_of(fit), "gpsieve_kernel")
  expect_s3_class(likelihood_of(fit), "gpsieve_likelihood")

  trace <- fit_trace(fit)
  expect_s3_class(trace, "data.frame")
  expect_true(all(c("iteration", "objective", "seconds", "size") %in% names(trace)))
  expect_gt(nrow(trace), 0)
  expect_true(all(is.finite(trace$objective)) && all(diff(trace$seconds) >= 0))
})

law("fits print and summarise in words", function(fit, toy, spec, task) {
  said <- capture.output(expect_invisible(print(fit)))
  expect_match(said[1], paste0(" for y: ", nobs(fit), " rows, 2 inputs +", fit$model, "\\(\\)$"))
  expect_match(said, "^  function   a very smooth function of all inputs", all = FALSE)
  s <- summary(fit)
  expect_s3_class(s, "summary.gpsieve_fit")
  expect_output(expect_invisible(print(s)), "variance")
})

law("tidiers give one row per thing", function(fit, toy, spec, task) {
  table <- tidy(fit)
  expect_s3_class(table, "data.frame")
  expect_identical(table$term, names(coef(fit)))
  expect_equal(table$estimate, unname(coef(fit)))
  line <- glance(fit)
  expect_identical(nrow(line), 1L)
  expect_identical(line$log_evidence, evidence(fit)$value)
  wide <- augment(fit, toy$new)
  expect_identical(as.data.frame(wide[names(toy$new)]), toy$new)
  if (is.factor(toy$y)) {
    expect_identical(wide$.pred_class, predict(fit, toy$new))
    p <- predict(fit, toy$new, type = "prob")
    expect_identical(as.matrix(unname(wide[paste0(".pred_", levels(toy$y))])), unname(p),
      ignore_attr = TRUE
    )
  } else {
    expect_identical(wide$.pred, predict(fit, toy$new))
    expect_true(all(wide$.std_error > 0))
  }
  holes <- toy$new
  holes$a[3] <- NA
  expect_identical(nrow(augment(fit, holes)), nrow(holes))
})

test_that("only a fit made from a formula has one", {
  for (model in names(model_specs())) {
    fit <- shared_fit(model, "regression", "formula")
    expect_identical(formula(fit), y ~ a + b, ignore_formula_env = TRUE)
    expect_error(formula(shared_fit(model, "regression", "matrix")),
      class = "gpsieve_error_unsupported"
    )
  }
})
