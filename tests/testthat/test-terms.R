# Terms of a kernel that is a sum: exact beside a dense Gaussian process, and they add up.

additive_data <- function(n = 50) {
  x <- as.data.frame(uniform_inputs(n, 3, 4))
  noise <- with_own_seed(5, rnorm(n))
  x$f <- factor(rep(c("u", "v", "w"), length.out = n))
  cbind(x, y = 3 + sin(2 * x$a) + x$b * x$c + (x$f == "v") + 0.2 * noise)
}

test_that("means and deviations of terms are those of a dense process", {
  d <- additive_data()
  new <- additive_data(70)[51:70, ]
  parts <- list(kernel_on(kernel_rbf(1.5, 0.8), "a"), kernel_on(kernel_matern(2.5, 0.7, 0.9), 2:3),
    kernel_on(kernel_linear(0.4), "a"), kernel_constant(0.5))
  fit <- meanfield_gp(d[1:3], d$y, kernel = Reduce(`+`, parts), likelihood = lik_gaussian(0.04),
    optimise = FALSE, standardise = FALSE)
  found <- predict(fit, new, type = "terms", se.fit = TRUE)
  x <- as.matrix(d[1:3])
  z <- as.matrix(new[1:3])
  of <- function(k, a, b = NULL) unname(kernel_matrix(k, a, b))
  inverse <- solve(of(fit$kernel, x) + 0.04 * diag(50))
  centred <- d$y - fit$posteriors[[1]]$prior_mean
  for (t in seq_along(parts)) {
    cross <- of(parts[[t]], z, x)
    expect_equal(unname(found$fit[, t]), drop(cross %*% inverse %*% centred), tolerance = 1e-8)
    expect_equal(unname(found$se.fit[, t]^2),
      diag(of(parts[[t]], z)) - rowSums((cross %*% inverse) * cross), tolerance = 1e-6)
  }
  expect_identical(colnames(found$fit), c("a", "b, c", "a 1", "constant"))
})

expect_terms_add_up <- function(fit, new) {
  found <- predict(fit, new, type = "terms", se.fit = TRUE)
  link <- predict(fit, new, type = "link")
  as_list <- function(x) if (is.list(x)) x else list(x)
  sums <- vapply(as_list(found$fit), function(m) rowSums(m) + attr(m, "constant"),
    numeric(nrow(new)))
  expect_equal(unname(sums), unname(as.matrix(link)), tolerance = 1e-9)
  expect_true(all(unlist(found$se.fit) >= 0))
}

test_that("the terms and the constant add up to the prediction in every model", {
  for (task in tasks) {
    toy <- toy_data(task)
    every_model(function(spec) {
      settings <- spec$cheap
      settings$kernel <- kernel_rbf(1, 0.7)
      fit <- do.call(spec$fit, c(list(y ~ g(a) + g(b) + g(a, b), toy$data, seed = 1), settings))
      expect_terms_add_up(fit, toy$new)
    })
  }
  toy <- toy_data("regression")
  fit <- rvm(y ~ g(a) + g(b), toy$data, intercept = TRUE, optimise = FALSE, seed = 1)
  expect_terms_add_up(fit, toy$new)
  without <- predict(fit, toy$new, type = "terms", se.fit = TRUE)$se.fit
  expect_true(all(without < predict(fit, toy$new, type = "link", se.fit = TRUE)$se.fit * 100))
  leaves <- ivm(y ~ g(a) + g(b), toy$data, leaf_rows = 30, optimise = FALSE, seed = 1)
  expect_terms_add_up(leaves, toy$new)
})

test_that("groups of a formula are kernels on their columns, the others one more", {
  d <- additive_data()
  kernel <- function(formula, ...) {
    fit <- meanfield_gp(formula, d, optimise = FALSE, standardise = FALSE, ...)
    expect_identical(predict(fit, d), predict(meanfield_gp(terms_without_groups(formula), d,
      kernel = fit$kernel, optimise = FALSE, standardise = FALSE), d))
    lapply(kernel_parts(fit), `[[`, "columns")
  }
  terms_without_groups <- function(formula) {
    stats::update(formula, stats::as.formula(paste("~", gsub("g\\(", "(",
      gsub(", ", " + ", deparse1(formula[[3]]))))))
  }
  expect_identical(kernel(y ~ g(a) + g(b, c)), list(1L, 2:3))
  expect_identical(kernel(y ~ g(a) + b + g(f) + c), list(1L, 3:5, c(2L, 6L)))
  expect_identical(kernel(y ~ g(f, a)), list(1:4))
  expect_identical(kernel(y ~ g(a) + g(a, b)), list(1L, 1:2))
  fit <- meanfield_gp(y ~ . + g(log(a + 3), `b`), d, optimise = FALSE)
  expect_identical(lapply(kernel_parts(fit), `[[`, "label"), list("log(a + 3), b", "a, c, f"))
  ard <- meanfield_gp(y ~ g(a) + g(b, c), d, kernel = kernel_rbf(ard = TRUE), optimise = FALSE)
  expect_length(ard$kernel$children[[2]]$children[[1]]$values$lengthscale, 2)
})

test_that("learning, update() and gpsieve() know groups", {
  d <- additive_data(60)
  fit <- meanfield_gp(y ~ g(a) + g(b, c), d)
  expect_terms_add_up(fit, d)
  again <- update(fit, optimise = FALSE)
  expect_equal(predict(again, d), predict(fit, d), tolerance = 1e-6)
  chosen <- gpsieve(y ~ g(a) + g(b, c), d, candidates = "meanfield_gp", verbose = FALSE, seed = 1,
    control = control_gpsieve(folds = 2))
  expect_terms_add_up(chosen, d)
})

test_that("g() of the user's own keeps its meaning", {
  d <- additive_data()
  g <- function(x) x^2
  own <- y ~ g(a)
  expect_error(meanfield_gp(own, d, optimise = FALSE), "made in this session",
    class = "gpsieve_error_data")
})

test_that("missing rows are NA, and levels that are new too", {
  d <- additive_data()
  fit <- meanfield_gp(y ~ g(a) + g(f), d, optimise = FALSE)
  new <- d[1:4, ]
  rownames(new) <- LETTERS[1:4]
  new$a[2] <- NA
  new$f <- as.character(new$f)
  new$f[3] <- "strange"
  expect_warning(found <- predict(fit, new, type = "terms"), class = "gpsieve_warning_new_levels")
  expect_identical(unname(is.na(found[, 1])), c(FALSE, TRUE, TRUE, FALSE))
  expect_identical(rownames(found), rownames(new))
  expect_identical(dim(predict(fit, new[0, ], type = "terms")), c(0L, 2L))
})

test_that("variances of terms: shares add up to one", {
  d <- additive_data()
  fit <- meanfield_gp(y ~ g(a) + g(b, c), d, optimise = FALSE)
  table <- term_variances(fit, d)
  expect_identical(table$term, c("a", "b, c"))
  expect_equal(sum(table$share), 1)
  expect_equal(table$variance, unname(apply(predict(fit, d, type = "terms"), 2, var)))
  expect_identical(nrow(term_variances(fit)), 2L)
  toy <- toy_data("multiclass")
  classes <- ivm(y ~ g(a) + g(b), toy$data, optimise = FALSE, seed = 1)
  expect_identical(unique(term_variances(classes)$class), names(classes$posteriors))
  expect_error(term_variances(fit, d[1, ]), class = "gpsieve_error_data")
})

test_that("what is not offered is refused", {
  d <- additive_data()
  fit <- meanfield_gp(y ~ g(a) + g(b), d, optimise = FALSE)
  refused <- function(...) {
    expect_error(predict(fit, ..., type = "terms"), class = "gpsieve_error_unsupported")
  }
  refused()
  refused(d, interval = "confidence")
  refused(d, offset = d$a)
  refused(d, cov = TRUE)
  refused(rows_from_function(function(i) if (i == 1) d))
  wrong <- function(formula, class, ...) {
    expect_error(meanfield_gp(formula, d, optimise = FALSE, ...), class = class)
  }
  for (formula in list(y ~ g(), y ~ g(.), y ~ g(x = a), y ~ b:g(a), y ~ log(g(a)))) {
    wrong(formula, "gpsieve_error_argument")
  }
  wrong(y ~ g(a) + g(b), "gpsieve_error_unsupported", kernel = kernel_on(kernel_rbf(), "a"))
  skip_if_not_installed("ggplot2")
  expect_error(ggplot2::autoplot(fit, "terms"), class = "gpsieve_error_unsupported")
})

test_that("terms are drawn: curves, levels and maps", {
  d <- additive_data()
  withr::local_pdf(NULL)
  fit <- meanfield_gp(y ~ g(a) + g(b, c) + g(f), d, optimise = FALSE)
  expect_identical(plot(fit, "terms"), fit)
  expect_identical(plot(fit, "terms", terms = c("a", "f"), main = "mine"), fit)
  expect_error(plot(fit, "terms", terms = "b"), class = "gpsieve_error_argument")
  all <- meanfield_gp(y ~ a + b + c, d, optimise = FALSE)
  expect_error(plot(all, "terms"), class = "gpsieve_error_unsupported")
  some <- meanfield_gp(y ~ g(a) + b + c + f, d, optimise = FALSE)
  expect_message(plot(some, "terms"), class = "gpsieve_message_terms")
})

test_that("terms of a machine with an intercept leave it out and add up to the rest", {
  d <- additive_data()
  fit <- rvm(y ~ a + b, d, kernel_on(kernel_rbf(1, 0.5), "a") + kernel_on(kernel_rbf(1, 0.5), "b"),
    algorithm = "em", optimise = FALSE, standardise = FALSE,
    control = control_rvm(max_iter = 0, alpha_start = 0.1) # no function is pruned
  )
  expect_true(fit$posteriors[[1]]$intercept)
  found <- predict(fit, d, type = "terms", se.fit = TRUE)
  rest <- predict(fit, d, type = "link") - rowSums(found$fit)
  expect_equal(diff(range(rest)), 0, tolerance = 1e-8)
  posterior <- fit$posteriors[[1]]
  expect_equal(rest[[1]], posterior$prior_mean + posterior$weights[1], tolerance = 1e-8)
  expect_true(all(found$se.fit >= 0))
})

test_that("a drawn term is less its average over rows, with the deviation of the difference", {
  fit <- meanfield_gp(Volume ~ g(Girth) + g(Height), trees, optimise = FALSE, verbose = FALSE)
  part <- kernel_parts(fit)[[1L]]
  column <- match("Girth", names(fit$inputs$center))
  places <- matrix(c(9, 12, 20))
  found <- centred_term(part, fit, places, column)
  all <- predict(fit, trees, type = "terms")[, 1L]
  at <- predict(fit, data.frame(Girth = places, Height = 70), type = "terms", se.fit = TRUE)
  expect_equal(found$mean, unname(at$fit[, 1L]) - mean(all))
  # By draws: the variance of a difference of this sum, whose other term is the same everywhere.
  flat <- data.frame(Girth = c(places, trees$Girth), Height = 70)
  own <- fit_of_term(fit, part$kernel)
  covariance <- latent_covariances(own, rows_for_fit(fit, forge_predictors(fit, flat,
    "newdata", "NA")), core_settings(1L))[[1L]]
  root <- chol(covariance + diag(1e-8, nrow(covariance)))
  draws <- crossprod(root, with_own_seed(1, matrix(rnorm(nrow(root) * 20000), nrow(root))))
  apart <- sweep(draws[1:3, ], 2, colMeans(draws[-(1:3), ]))
  expect_equal(found$sd, apply(apart, 1, sd), tolerance = 0.03)
  expect_true(all(found$sd < at$se.fit[, 1L]))
})

test_that("term_variances() takes sparse rows, as predict(type = \"terms\") does", {
  skip_if_not_installed("Matrix")
  set.seed(1)
  x <- matrix(rpois(60, 0.5), 20, dimnames = list(NULL, c("a", "b", "c")))
  sparse <- Matrix::Matrix(x, sparse = TRUE)
  fit <- meanfield_gp(sparse, x[, 1L] + rnorm(20), kernel_rbf() + kernel_linear(),
    optimise = FALSE)
  expect_equal(term_variances(fit, sparse), term_variances(fit, x))
  expect_equal(term_variances(fit, sparse), term_variances(fit))
})
