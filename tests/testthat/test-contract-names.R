# Names of columns and of classes may be any text: every verb answers, or refuses by class.

names_of_classes <- list(
  c("class", "prob"), c(".pred", ".pred_class"), c("weight", "row"), c("fit", "cov"),
  c("a", "y"), c("{a}", "{.val y}"), c("%d", "100%"), c("NA", "TRUE"), c("a\nb", "\\d"),
  c("1", "2"), c("class", "weight", ".pred"), c("a b", "a.b", "`a`"), c("", "x"), c("u", "", "x")
)

# Values of every verb that speaks of classes; a refusal must have the package's class.
verbs_of_classes <- list(
  prob = function(fit, data) predict(fit, data, type = "prob"),
  class = function(fit, data) predict(fit, data),
  link = function(fit, data) predict(fit, data, type = "link", se.fit = TRUE),
  augment = function(fit, data) augment(fit, data = data),
  augment_training = function(fit, data) augment(fit),
  residuals = function(fit, data) residuals(fit),
  simulate = function(fit, data) simulate(fit, 2, seed = 1, newdata = data),
  print = function(fit, data) capture.output(print(fit), print(summary(fit))),
  loo = function(fit, data) loo(fit),
  plot = function(fit, data) {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    plot(fit, newdata = data)
  }
)

test_that("classes of any name are classes, for every model and verb", {
  toy <- with_own_seed(3, data.frame(a = runif(48), b = runif(48)))
  next_functions <- turns(fit_functions())
  for (levels in names_of_classes) for (spec in next_functions(2)) {
    # Classes of different sizes: the order of machines of equally frequent ones is by name.
    codes <- rep(if (length(levels) == 2L) 1:2 else c(1, 2, 3, 1, 2, 1), length.out = 48)
    data <- transform(toy, y = factor(levels[codes], levels))
    plain <- transform(toy, y = factor(letters[codes]))
    fit <- suppressWarnings(fit_cheaply(spec, y ~ a + b, data))
    reference <- suppressWarnings(fit_cheaply(spec, y ~ a + b, plain))
    expect_identical(unname(predict(fit, data, type = "prob")),
      unname(predict(reference, plain, type = "prob")))
    expect_identical(fit$held_out, reference$held_out)
    for (verb in names(verbs_of_classes)) {
      value <- tryCatch(suppressWarnings(verbs_of_classes[[verb]](fit, data)), error = identity)
      if (inherits(value, "error")) expect_s3_class(value, "gpsieve_error")
      if (grepl("augment", verb)) {
        expect_false(anyDuplicated(names(value)) > 0)
        expect_identical(as.character(value$.pred_class), as.character(predict(fit, data)))
      }
    }
  }
})

test_that("a level that no row has is no class", {
  data <- data.frame(a = 1:20 / 20)
  unused <- transform(data, y = factor(rep(c("u", "x"), 10), c("", "u", "x")))
  expect_warning(fit <- meanfield_gp(y ~ a, unused, optimise = FALSE),
    class = "gpsieve_warning_little_data")
  expect_identical(levels(predict(fit, unused)), c("", "u", "x"))
})

test_that("columns may have any name, also those that stand for arguments", {
  for (names in list(c("..1", "..2"), c("...", "T"), c("if", "a b"), c(".pred", "%s"),
    c("{x}", "weights"), c("NULL", "Inf"))) {
    data <- with_own_seed(4, data.frame(1:20 / 20, rnorm(20), cos(1:20)))
    names(data) <- c(names, "y")
    plain <- stats::setNames(data, c("u", "v", "y"))
    expected <- predict(meanfield_gp(y ~ ., plain, optimise = FALSE), plain)
    fit <- meanfield_gp(y ~ ., data, optimise = FALSE)
    expect_identical(predict(fit, data), expected)
    expect_identical(predict(meanfield_gp(data[names], data$y, optimise = FALSE), data), expected)
    if (".pred" %in% names) {
      expect_error(augment(fit, data = data), "\".pred\"", class = "gpsieve_error_data")
    } else {
      expect_identical(augment(fit, data = data)$.pred, expected)
    }
  }
})

test_that("names of columns beyond ASCII are those of a formula in every locale", {
  toy <- toy_data("regression")$data
  toy$w <- rep(1:2, length.out = nrow(toy))
  wanted <- predict(meanfield_gp(y ~ a + b, toy, weights = w, optimise = FALSE), toy)
  names(toy)[match(c("a", "b", "w"), names(toy))] <- c("gr\u00f6\u00dfe", "h\u00f6he", "zahl\u00e4")
  withr::with_locale(c(LC_CTYPE = "C"), suppressWarnings({
    # R says that it cannot translate the names, and finds the columns nevertheless
    names <- lapply(c("y", names(toy)[match(c("gr\u00f6\u00dfe", "h\u00f6he", "zahl\u00e4"),
      names(toy))]), as.name)
    formula <- rlang::inject(!!names[[1]] ~ !!names[[2]] + !!names[[3]])
    fit <- rlang::inject(meanfield_gp(!!formula, toy, weights = !!names[[4]], optimise = FALSE))
    expect_equal(predict(fit, toy), wanted)
    expect_equal(fitted(update(fit, data = toy)), wanted, ignore_attr = TRUE)
  }))
})
