# Rows are read by one description (R/rows-column-rules.R): by whatever way they come in, in
# whatever kind they are stored, alone or among others, and by every verb that reads them once more.

responses_of_law <- list(
  number = NULL, count = lik_poisson(), class = NULL, many = NULL, grade = NULL, flag = NULL
)

fixed_fit <- function(spec, ...) {
  suppressMessages(suppressWarnings(fit_cheaply(spec, ..., kernel = kernel_rbf(1, 0.7),
    optimise = FALSE)))
}

probabilities_or_means <- function(fit, new) {
  type <- if (is.factor(predict(fit, new))) "prob" else "response"
  unname(predict(fit, new, type = type))
}

csv_of <- function(data) {
  path <- withr::local_tempfile(fileext = ".csv", .local_envir = parent.frame())
  utils::write.csv(data, path, row.names = FALSE)
  rows_from_files(path, block_rows = 7)
}

test_that("the same rows by formula, x and y, and recipe give the same fit, for every model", {
  skip_if_not_installed("recipes")
  d <- rows_of_law()
  x <- d[c("x", "kind")]
  every_model(function(spec) {
    for (name in names(responses_of_law)) {
      if (name == "count" && identical(spec$fit, rvm)) next
      own <- list(spec, likelihood = responses_of_law[[name]])
      if (spec$class == "gpsieve_rvm" && name == "number") own <- own[1L]
      formula <- reformulate(c("x", "kind"), name)
      fit <- tryCatch(do.call(fixed_fit, c(own, list(formula, d))), gpsieve_error = identity)
      columns <- tryCatch(do.call(fixed_fit, c(own, list(x, d[[name]]))), gpsieve_error = identity)
      if (inherits(fit, "error")) {
        expect_s3_class(columns, class(fit)[1L])
        next
      }
      expect_identical(probabilities_or_means(columns, x), probabilities_or_means(fit, d))
      # Recipes are slow, and read the inputs in the same way for every response.
      if (!name %in% c("number", "class") && !nzchar(Sys.getenv("GPSIEVE_EXTENDED"))) next
      recipe <- suppressWarnings(recipes::recipe(formula, d[c("x", "kind", name)]))
      baked <- do.call(fixed_fit, c(own, list(recipe, d)))
      expect_identical(probabilities_or_means(baked, d), probabilities_or_means(fit, d))
      expect_identical(evidence(baked), evidence(fit))
    }
  })
})

test_that("what a fit says does not depend on the way in, whatever its rows bring", {
  d <- rows_of_law()
  d$gap <- replace(d$x, c(3, 9), NA)
  features <- list(list("x", offset = quote(shift)),
    list("gap", offset = quote(shift), weights = quote(w)))
  responses <- list(count = lik_poisson(), "cbind(hits, 5 - hits)" = lik_binomial())
  verbs <- list(
    fitted, residuals, function(fit) residuals(fit, "pearson"),
    function(fit) residuals(fit, "quantile", seed = 1),
    function(fit) residuals(fit, "deviance"), loo, function(fit) evidence(fit)$value, active_set,
    AIC, function(fit) Filter(is.numeric, as.data.frame(augment(fit))), nobs,
    function(fit) as.vector(na.action(fit)), function(fit) simulate(fit, 2)
  )
  # The numbers of an answer, or the class of a refusal
  answers <- function(fit) {
    lapply(verbs, function(verb) {
      tryCatch(as.vector(unlist(verb(fit))), gpsieve_error = function(e) class(e)[1L])
    })
  }
  for (name in names(responses)) for (feature in features) {
    fit <- function(...) {
      suppressMessages(meanfield_gp(..., kernel = kernel_rbf(1, 0.7),
        likelihood = responses[[name]], optimise = FALSE, seed = 1))
    }
    y <- str2lang(name)
    formula <- as.formula(call("~", y, as.name(feature[[1L]])))
    held <- answers(rlang::inject(fit(!!formula, d, !!!feature[-1L])))
    columns <- lapply(feature[-1L], eval, d)
    expect_identical(answers(rlang::inject(fit(d[feature[[1L]]], !!eval(y, d), !!!columns))), held)
    if (rlang::is_installed("data.table")) {
      table <- data.table::as.data.table(d)
      expect_identical(answers(rlang::inject(fit(!!formula, table, !!!feature[-1L]))), held)
    }
    if (!is.symbol(y) || !rlang::is_installed("recipes")) next
    recipe <- recipes::recipe(formula, d)
    expect_identical(answers(rlang::inject(fit(recipe, d, !!!feature[-1L]))), held)
  }
})

test_that("rows of a source give the fit of the same rows in memory", {
  d <- rows_of_law()
  d$more <- factor(d$kind, c("a", "b", "c"), ordered = TRUE)
  models <- list(
    ep_gp = function(...) ep_gp(..., inducing = 8, seed = 1),
    online_gp = function(...) online_gp(..., budget = 8, shuffle = FALSE, seed = 1)
  )
  formulas <- list(number ~ x + kind, number ~ x + offset(shift), number ~ log(x) + more,
    class ~ x, many ~ x, grade ~ x + more, flag ~ x + kind)
  for (model in models) for (formula in formulas) {
    fit <- function(data) {
      suppressMessages(model(formula, data, kernel = kernel_rbf(1, 0.7), optimise = FALSE))
    }
    held <- fit(d)
    expect_equal(
      probabilities_or_means(fit(rows_of_frame(d, 10)), d), probabilities_or_means(held, d),
      tolerance = 1e-8)
    # A CSV file knows no order of levels, and no factors.
    if (any(c("many", "grade", "more") %in% all.vars(formula))) next
    expect_equal(probabilities_or_means(fit(csv_of(d)), d), probabilities_or_means(held, d),
      tolerance = 1e-8)
  }
})

# Formulas, and for the columns that they see the same values in other kinds
kinds_of_rows <- function() {
  d <- rows_of_law()
  d$at <- as.POSIXct("2024-03-01", tz = "UTC") + 3600 * seq_len(nrow(d))
  d$until <- d$at + 60 * d$x
  d$day <- as.Date("2024-03-01") + seq_len(nrow(d))
  d$wait <- as.difftime(30 * round(d$x * 4), units = "mins") # whole numbers of half hours
  d$dose <- rep(c("10", "20", "300"), length.out = nrow(d))
  d$size <- as.integer(seq_len(nrow(d)) * 37)
  d$yes <- d$flag
  other <- d
  attr(other$at, "tzone") <- "America/New_York"
  attr(other$until, "tzone") <- "Asia/Tokyo"
  units(other$wait) <- "hours"
  other$dose <- factor(other$dose)
  other$size <- as.double(other$size)
  other$kind <- factor(other$kind, c("c", "b", "a"))
  other$group <- as.character(other$group)
  other$yes <- as.double(other$yes)
  other$day <- structure(as.integer(other$day), class = "Date")
  other$x <- array(other$x)
  list(
    data = d, other = other,
    inputs = c("x", "kind", "group", "as.integer(group)", "wait", "as.numeric(wait)",
      "I(wait > 600)", "as.POSIXlt(at)$hour", "weekdays(at)", "as.numeric(until - at)",
      "log1p(as.numeric(dose))", "dose", "I(size * size)", "factor(size %% 3)",
      "ifelse(yes, x, 0)", "format(day, '%j')",
      "pmin(x, 5)", "poly(x, 2)", "cut(x, 3)", "scale(x)", "I(x - mean(x))")
  )
}

test_that("a row predicts the same alone, among others, in any order and stored in any kind", {
  law <- kinds_of_rows()
  some <- c(20, 3, 11)
  for (term in law$inputs) {
    offset <- paste0("offset(as.numeric(", term, "))")
    for (formula in paste("number ~ x +", c(term, offset))) {
      fit <- tryCatch(meanfield_gp(as.formula(formula), law$data, kernel = kernel_rbf(1, 0.7),
        optimise = FALSE), gpsieve_error = identity)
      if (inherits(fit, "error")) {
        # An offset of text, or of several columns
        expect_true(grepl("offset", formula), label = formula)
        next
      }
      whole <- unname(predict(fit, law$data))
      expect_identical(unname(predict(fit, law$data[some, ])), whole[some], label = formula)
      expect_identical(unname(predict(fit, law$other)), whole, label = formula)
      alone <- vapply(some, function(i) unname(predict(fit, law$other[i, ])), 0)
      expect_identical(alone, whole[some], label = formula)
      expect_identical(residuals(fit, newdata = law$other), residuals(fit, newdata = law$data))
    }
  }
})

test_that("a response is the same for a row alone and stored in any kind, or refused", {
  law <- kinds_of_rows()
  kept <- c("as.numeric(wait)", "as.numeric(until - at)", "log(as.numeric(dose))", "scale(x)",
    "number - mean(number)", "I(size * size)", "as.integer(group)", "factor(dose)")
  for (response in kept) {
    fit <- suppressWarnings(
      meanfield_gp(as.formula(paste(response, "~ shift")), law$data, optimise = FALSE))
    own <- unname(residuals(fit))
    for (rows in list(law$data[5:9, ], law$other[5:9, ])) {
      found <- unname(residuals(fit, newdata = rows))
      expect_equal(found, if (is.matrix(own)) own[5:9, ] else own[5:9], tolerance = 1e-8,
        label = response)
    }
  }
  refused <- c("rank(x)", "cumsum(x)", "ave(x, kind)", "x * duplicated(size)", "rev(x)",
    "as.integer(factor(dose))", "diff(c(0, x))", "x / seq_along(x)")
  for (what in refused) {
    for (formula in paste(c(paste(what, "~ shift"), paste("number ~ shift +", what),
      paste0("number ~ shift + offset(", what, ")")))) {
      expect_error(meanfield_gp(as.formula(formula), law$data, optimise = FALSE),
        class = "gpsieve_error_data", label = formula)
    }
    noise <- rlang::new_quosure(str2lang(paste("1 + abs(", what, ")")))
    expect_error(rlang::inject(meanfield_gp(number ~ shift, law$data, noise_sd = !!noise,
      optimise = FALSE)), class = "gpsieve_error_data", label = what)
  }
  expect_error(meanfield_gp(number ~ x, cbind(law$data, x = 1), optimise = FALSE),
    class = "gpsieve_error_data")
})

# What a fit of a formula is made with beside its data; each is repeated by update(), cv() and
# choice(fit, "call"), or refused
features_of_law <- function() {
  limit <- 5
  double <- 2
  list(
    plain = list(number ~ x + kind),
    constant = list(number ~ x + I(x > limit)),
    offset = list(number ~ x + offset(double * shift)),
    "offset argument" = list(number ~ x, offset = quote(shift * double)),
    weights = list(number ~ x, weights = quote(w * double)),
    "weights of all" = list(number ~ x, weights = quote(w / mean(w))),
    noise = list(number ~ x, noise_sd = quote(s * double)),
    subset = list(number ~ x, subset = quote(x > limit)),
    groups = list(number ~ x + (1 | group)),
    function_of_units = list(number ~ as.numeric(as.difftime(x, units = "hours"), units = "mins")),
    response = list(log(count + double) ~ x)
  )
}

test_that("update() without a change and the call of a choice reproduce what the fit has read", {
  d <- rows_of_law()
  limit <- double <- 1000 # the fits have their own
  every_fit_function(function(spec) {
    for (name in names(features_of_law())) {
      feature <- features_of_law()[[name]]
      if (!is.null(feature$noise_sd) && isTRUE(spec$own_noise)) next
      own <- list(optimise = FALSE)
      if (identical(spec$fit, gpsieve)) own <- list()
      # Rows of the online model count whole times.
      if (name == "weights of all" && !spec$refits) next
      quosures <- lapply(feature[-1L], rlang::new_quosure, environment(feature[[1L]]))
      settings <- spec$cheap[setdiff(names(spec$cheap), names(own))]
      fit <- suppressMessages(suppressWarnings(
        rlang::inject(spec$fit(!!feature[[1L]], d, !!!quosures, !!!own, !!!settings, seed = 1))))
      again <- suppressMessages(suppressWarnings(
        if (spec$refits) update(fit, data = d) else update(fit, . ~ ., data = d)))
      expect_identical(again$formula, fit$formula, label = paste(spec$class, name))
      expect_identical(again$blueprint, fit$blueprint, label = paste(spec$class, name))
      expect_identical(again$cases, fit$cases, label = paste(spec$class, name))
      if (!identical(spec$fit, gpsieve)) {
        expect_identical(predict(again, d, type = "link"), predict(fit, d, type = "link"))
        next
      }
      formula <- feature[[1L]]
      data <- d
      called <- suppressMessages(suppressWarnings(eval(choice(fit, "call"))))
      expect_equal(unname(predict(called, d)), unname(predict(fit, d)), tolerance = 1e-5,
        label = name)
    }
  })
  # The call of a function that passes on what it was given
  data <- d
  passing <- function(...) gpsieve(..., seed = 1)
  fits <- list(passing(number ~ x, data), passing(d["x"], d$number),
    passing(data = data, formula = number ~ x, weights = w))
  for (fit in fits) {
    call <- choice(fit, "call")
    expect_false("..." %in% all.names(call))
    x <- d["x"]
    y <- d$number
    expect_equal(unname(predict(suppressMessages(eval(call)), d)), unname(predict(fit, d)),
      tolerance = 1e-5)
  }
})

test_that("folds of cv() are read as the fit has read its rows", {
  d <- rows_of_law()
  limit <- double <- 1000
  for (name in names(features_of_law())) {
    feature <- features_of_law()[[name]]
    quosures <- lapply(feature[-1L], rlang::new_quosure, environment(feature[[1L]]))
    noise <- if (is.null(feature$noise_sd)) list(likelihood = lik_gaussian(0.1))
    fit_to <- function(data) {
      suppressMessages(rlang::inject(meanfield_gp(!!feature[[1L]], data, !!!quosures, !!!noise,
        kernel = kernel_rbf(1, 0.7), optimise = FALSE)))
    }
    fit <- fit_to(d)
    folds <- rep(1:4, each = 6)
    crossed <- cv(fit, d, folds = folds, seed = 1)
    expect_equal(crossed$rows, cv(fit_to, d, folds = folds, seed = 1)$rows, tolerance = 1e-8,
      label = name)
    expect_identical(nrow(crossed$rows), length(fit$kept$y), label = name)
  }
})

test_that("a level that only some rows have stops neither update() nor cv()", {
  d <- rows_of_law()
  d$kind[7] <- "rare"
  every_fit_function(function(spec) {
    if (!spec$refits) return()
    settings <- if (identical(spec$fit, gpsieve)) list() else list(optimise = FALSE)
    for (response in c("number", "class")) {
      fit <- suppressWarnings(do.call(fit_cheaply, c(list(spec,
        reformulate(c("x", "kind"), response), d), settings)))
      less <- suppressWarnings(update(fit, data = d[-7, ]))
      expect_identical(names(less$inputs$center), names(fit$inputs$center))
      expect_no_error(suppressWarnings(cv(fit, d, folds = 3, seed = 1)))
      expect_no_error(suppressWarnings(update(fit, data = transform(d, kind = c("new", kind[-1])))))
    }
  })
})

test_that("fits share no memory with tables that are changed in place", {
  skip_if_not_installed("data.table")
  every_fit_function(function(spec) {
    d <- rows_of_law()
    table <- data.table::as.data.table(d)
    table$w <- as.double(table$w)
    inputs <- data.frame(x = d$x)
    fits <- list(
      function(...) spec$fit(inputs, table$number, weights = table$w, offset = table$shift, ...),
      function(...) spec$fit(number ~ x + offset(shift), table, weights = w, ...)
    )
    for (make in fits) {
      own <- if (identical(spec$fit, gpsieve)) list() else list(optimise = FALSE)
      settings <- spec$cheap[setdiff(names(spec$cheap), names(own))]
      fit <- suppressWarnings(do.call(make, c(own, settings, list(seed = 1))))
      before <- serialize(fit, NULL)
      for (column in c("x", "number", "w", "shift")) {
        data.table::set(table, j = column, value = rev(table[[column]]))
      }
      expect_identical(serialize(fit, NULL), before)
    }
  })
})

test_that("missing values that functions make are left out as those of columns are", {
  d <- rows_of_law()
  d$text <- ifelse(seq_len(nrow(d)) %in% 3:4, "unknown", as.character(d$w))
  d$size <- c(-1, -2, d$x[-(1:2)])
  kept <- list(1:2, 3:4)
  cases <- list(
    list(number ~ x + log(size), -(1:2)), list(log(size) ~ shift, -(1:2)),
    list(number ~ x + as.numeric(text), -(3:4)), list(number ~ x + offset(log(size)), -(1:2))
  )
  for (case in cases) {
    formula <- case[[1L]]
    fit <- function(data, ...) {
      suppressMessages(suppressWarnings(meanfield_gp(formula, data, optimise = FALSE, ...)))
    }
    found <- fit(d)
    right <- fit(d[case[[2L]], ])
    expect_identical(predict(found, d[5:9, ]), predict(right, d[5:9, ]))
    expect_error(fit(d, na.action = na.fail), class = "gpsieve_error_data")
    padded <- residuals(fit(d, na.action = na.exclude))
    expect_identical(is.na(padded), !seq_len(nrow(d)) %in% seq_len(nrow(d))[case[[2L]]])
  }
})

test_that("steps of a recipe may leave out and rearrange rows, for every model", {
  skip_if_not_installed("recipes")
  d <- rows_of_law()
  d$x[5] <- NA
  fed <- function(step) suppressWarnings(step(recipes::recipe(number ~ x, d[c("x", "number")])))
  steps <- list(
    function(r) recipes::step_naomit(r, recipes::all_predictors(), skip = FALSE),
    function(r) recipes::step_arrange(recipes::step_naomit(r, x), x, skip = FALSE),
    function(r) recipes::step_filter(recipes::step_naomit(r, x), x > 3, skip = TRUE)
  )
  taken <- list(-5, -5, which(d$x > 3))
  every_model(function(spec) {
    settings <- spec$cheap[setdiff(names(spec$cheap), c("optimise", "kernel"))]
    fit_to <- function(first, data) {
      suppressMessages(rlang::inject(spec$fit(first, data, weights = w, offset = shift,
        kernel = kernel_rbf(1, 0.7), optimise = FALSE, !!!settings, seed = 1)))
    }
    for (i in seq_along(steps)) {
      fit <- fit_to(fed(steps[[i]]), d)
      right <- fit_to(number ~ x, d[taken[[i]], ])
      found <- unname(suppressWarnings(predict(fit, d)))
      expect_length(found, nrow(d))
      expect_equal(found[-5], unname(predict(right, d))[-5], tolerance = 1e-8)
      expect_true(is.na(found[5]))
      rows <- seq_len(nrow(d))[taken[[i]]]
      if (spec$class != "gpsieve_ep_gp") expect_true(all(active_set(fit) %in% rows))
    }
  })
})

test_that("events that are coded as 1 and 2 have this coding in a row alone", {
  skip_if_not_installed("survival")
  d <- rows_of_law()
  d$status <- rep(1:2, 12)
  fit <- meanfield_gp(survival::Surv(x, status) ~ shift, d, optimise = FALSE)
  flags <- meanfield_gp(survival::Surv(x, status == 2) ~ shift, d, optimise = FALSE)
  expect_identical(predict(fit, d), predict(flags, d))
  for (rows in list(1, 2, 3:8)) {
    expect_identical(residuals(fit, "deviance", newdata = d[rows, ]),
      residuals(flags, "deviance", newdata = d[rows, ]))
  }
})

test_that("known noise is computed from new rows as from the training rows", {
  law <- kinds_of_rows()
  for (noise in c("s", "s / mean(s)", "0.1 + as.POSIXlt(at)$hour / 100",
    "as.numeric(wait) / 1e4 + s")) {
    noise <- rlang::new_quosure(str2lang(noise), globalenv())
    fit <- rlang::inject(meanfield_gp(number ~ x, law$data, noise_sd = !!noise, optimise = FALSE))
    whole <- unname(predict(fit, law$data, interval = "prediction"))
    expect_identical(unname(predict(fit, law$other, interval = "prediction")), whole)
    expect_identical(unname(predict(fit, law$other[c(9, 2), ], interval = "prediction")),
      whole[c(9, 2), ])
  }
})

test_that("columns that cannot be told apart are refused in training and in new rows", {
  d <- rows_of_law()
  twice <- cbind(d, x = 1)
  for (formula in list(number ~ x, number ~ ., kind ~ number + offset(x))) {
    expect_error(meanfield_gp(formula, twice, optimise = FALSE), class = "gpsieve_error_data")
  }
  fit <- meanfield_gp(number ~ x, d, optimise = FALSE)
  expect_error(predict(fit, twice), class = "gpsieve_error_data")
  expect_error(residuals(fit, newdata = cbind(d, number = 1)), class = "gpsieve_error_data")
})
