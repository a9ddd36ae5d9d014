# What ep_gp() must satisfy whatever its implementation: limits, symmetries, derivatives, settings.

law_x <- uniform_inputs(60, 2, 3)
law_class <- noisy_labels(law_x)
law_y <- sin(2 * law_x[, 1]) + law_x[, 2] + with_own_seed(6, rnorm(60)) / 3
law_new <- uniform_inputs(20, 2, 4)
law_z <- uniform_inputs(7, 2, 5)

# At fixed hyper-parameters, settled, without the scaling of inputs.
given <- function(x, y, ..., inducing = law_z, method = "ep", standardise = FALSE,
                  control = control_ep(max_iter = 1000, tol = 1e-11)) {
  ep_gp(x, y, ...,
    inducing = inducing, method = method, standardise = standardise, optimise = FALSE, seed = 1,
    control = control, verbose = FALSE
  )
}

link_of <- function(fit, new = law_new) {
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  list(mean = unname(link$fit), se = unname(link$se.fit))
}

expect_same_answers <- function(one, two, new = law_new, tolerance = 1e-8) {
  expect_equal(link_of(one, new), link_of(two, new), tolerance = tolerance)
}

expect_sane <- function(fit, new = law_new) {
  link <- predict(fit, new, type = "link", se.fit = TRUE)
  expect_true(all(is.finite(unlist(link))) && all(link$se.fit >= 0))
  if (is_regression(fit)) return(expect_true(all(is.finite(predict(fit, new)))))
  p <- predict(fit, new, type = "prob")
  expect_true(all(p >= 0 & p <= 1))
  expect_lt(max(abs(rowSums(p) - 1)), 1e-10)
}

# ---- limits ----

test_that("every row an inducing input is the dense posterior", {
  k <- rbf(law_x, law_x, 2, 0.8)
  k_new <- rbf(law_x, law_new, 2, 0.8)
  fit <- given(law_x, law_class, kernel = kernel_rbf(2, 0.8), inducing = law_x, jitter = 1e-10)
  dense <- dense_ep(k, ifelse(law_class == "1", 1, -1), k_new, rep(2, 20))
  expect_equal(link_of(fit), list(mean = dense$mean, se = sqrt(dense$variance)), tolerance = 1e-6)
  expect_equal(predict(fit, law_new, type = "prob")[, "1"], dense$prob, tolerance = 1e-6)
  exact <- dense_gp(k, law_y, 0.1, k_new, rep(2, 20))
  fit <- given(law_x, law_y, kernel = kernel_rbf(2, 0.8), likelihood = lik_gaussian(0.1),
    inducing = law_x, jitter = 1e-10, prior_mean = 0
  )
  expect_equal(link_of(fit), list(mean = exact$mean, se = sqrt(exact$variance)), tolerance = 1e-6)
  expect_equal(evidence(fit)$value, exact$evidence, tolerance = 1e-6)
})

test_that("Gaussian noise is exact after one pass", {
  expect_no_warning(one <- given(law_x, law_y, kernel = kernel_rbf(2, 1),
    likelihood = lik_gaussian(0.1), control = control_ep(max_iter = 1)
  ))
  many <- given(law_x, law_y, kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.1))
  expect_same_answers(one, many)
  expect_equal(evidence(one)$value, evidence(many)$value, tolerance = 1e-10)
})

test_that("a first pass is the same for all methods", {
  fits <- lapply(c(ep = "ep", sep = "sep", adf = "adf"), function(method) {
    suppressWarnings(given(law_x, law_class, kernel = kernel_rbf(2, 1), method = method,
      control = control_ep(max_iter = 1, start = "plain")
    ))
  })
  expect_same_answers(fits$ep, fits$sep, tolerance = 1e-12)
  expect_same_answers(fits$ep, fits$adf, tolerance = 1e-12)
})

# ---- inducing inputs ----

test_that("a matrix of inducing inputs is taken as given, in the scale of x", {
  x <- sweep(law_x, 2, c(100, 0.01), "*")
  z <- sweep(law_z, 2, c(100, 0.01), "*")
  for (standardise in c(TRUE, FALSE)) for (given_as in list(z, as.data.frame(z), unname(z))) {
    fit <- given(x, law_class, inducing = given_as, standardise = standardise,
      kernel = kernel_rbf(1, if (standardise) c(1, 1) else c(100, 0.01))
    )
    expect_equal(unname(inducing(fit)), unname(z), tolerance = 1e-12)
    expect_identical(colnames(inducing(fit)), c("a", "b"))
  }
  by_hand <- given(scale(x), law_class,
    inducing = scale(z, colMeans(x), apply(x, 2, sd)), kernel = kernel_rbf(1, c(1, 1))
  )
  own <- given(x, law_class, inducing = z, standardise = TRUE, kernel = kernel_rbf(1, c(1, 1)))
  new <- sweep(law_new, 2, c(100, 0.01), "*")
  expect_equal(link_of(own, new), link_of(by_hand, scale(new, colMeans(x), apply(x, 2, sd))),
    tolerance = 1e-8
  )
  # So is the gradient by them.
  gradients <- lapply(list(own, by_hand), function(fit) evidence(fit, gradient = TRUE)$inducing)
  expect_equal(gradients[[1]], sweep(gradients[[2]], 2, apply(x, 2, sd), "/"),
    tolerance = 1e-7, ignore_attr = TRUE
  )
})

test_that("without learning everything stays as it was given", {
  kernel <- kernel_rbf(2, c(1, 0.7)) + kernel_white(0.01)
  for (method in c("ep", "sep", "adf")) for (batch_size in list(NULL, 20)) {
    fit <- given(law_x, law_class, kernel = kernel, method = method, batch_size = batch_size,
      control = control_ep(max_iter = 300, tol = 1e-6)
    )
    expect_equal(unname(coef(fit)), c(2, 1, 0.7, 0.01, 1), tolerance = 1e-14)
    expect_equal(unname(inducing(fit)), unname(law_z), tolerance = 1e-14)
  }
})

test_that("what is fixed stays fixed while the rest is learned", {
  learn <- function(...) {
    ep_gp(law_x, law_class, inducing = law_z, seed = 1, standardise = FALSE, verbose = FALSE,
      control = control_ep(max_iter = 20), ...
    )
  }
  fit <- learn(kernel = kernel_rbf(fixed(2), 1), learn_inducing = FALSE)
  expect_identical(coef(fit)[["variance"]], 2)
  expect_gt(abs(coef(fit)[["lengthscale"]] - 1), 1e-3)
  expect_equal(unname(inducing(fit)), unname(law_z), tolerance = 1e-14)
  fit <- learn(kernel = kernel_rbf(fixed(2), fixed(1)), likelihood = lik_probit(fixed(1)))
  expect_identical(unname(coef(fit)[1:2]), c(2, 1))
  expect_gt(max(abs(inducing(fit) - law_z)), 1e-3)
  nothing <- learn(kernel = kernel_rbf(fixed(2), fixed(1)), likelihood = lik_probit(fixed(1)),
    learn_inducing = FALSE
  )
  expect_equal(unname(inducing(nothing)), unname(law_z), tolerance = 1e-14)
})

test_that("inducing inputs start by selection, clustering or chance", {
  for (init in c("ivm", "kmeans", "random")) {
    fit <- given(law_x, law_class, inducing = 9, inducing_init = init)
    points <- inducing(fit)
    expect_identical(dim(points), c(9L, 2L))
    are_rows <- apply(points, 1, function(p) any(colSums(abs(t(law_x) - p)) < 1e-12))
    expect_true(all(are_rows) || init == "kmeans")
    expect_true(all(abs(points) <= 2))
    expect_sane(fit)
  }
})

test_that("there may be more inducing inputs than rows, and the same one twice", {
  expect_identical(nrow(inducing(given(law_x[1:12, ], law_class[1:12], inducing = 40))), 12L)
  many <- uniform_inputs(80, 2, 8)
  expect_sane(given(law_x[1:30, ], law_class[1:30], inducing = many))
  once <- given(law_x, law_class, jitter = 1e-8)
  twice <- given(law_x, law_class, inducing = law_z[c(1:7, 1:7), ], jitter = 1e-8)
  expect_same_answers(once, twice, tolerance = 1e-4)
  repeated <- law_x[rep(1:20, 3), ]
  for (init in c("ivm", "kmeans", "random")) {
    expect_sane(given(repeated, law_class[rep(1:20, 3)], inducing = 30, inducing_init = init))
  }
})

# ---- derivatives ----

test_that("the gradient of settled EP is that of its evidence, inducing inputs included", {
  for (standardise in c(TRUE, FALSE)) {
    likelihood <- lik_student(4, 0.3)
    value <- function(par) {
      fit <- given(law_x, law_y, standardise = standardise, prior_mean = 0.2,
        kernel = kernel_rbf(exp(par[1]), exp(par[2:3])), likelihood = likelihood,
        inducing = matrix(par[-(1:3)], ncol = 2), jitter = 1e-4
      )
      evidence(fit)$value
    }
    at <- c(0.4, -0.2, 0.1, law_z[1:4, ])
    fit <- given(law_x, law_y, standardise = standardise, prior_mean = 0.2,
      kernel = kernel_rbf(exp(0.4), exp(c(-0.2, 0.1))), likelihood = likelihood,
      inducing = law_z[1:4, ], jitter = 1e-4
    )
    found <- evidence(fit, gradient = TRUE)
    by_hand <- central_gradient(value, at, 1e-4)
    expect_equal(unname(found$gradient[1:3]), by_hand[1:3], tolerance = 1e-5)
    expect_equal(c(found$inducing), by_hand[-(1:3)], tolerance = 1e-5)
  }
})

test_that("nlminb climbs to where the gradient vanishes", {
  learn <- function(optimise) {
    ep_gp(law_x, law_class, kernel_rbf(1, c(1, 1)), inducing = law_z, method = "ep",
      optimise = optimise, learn_inducing = FALSE, standardise = FALSE, seed = 1, verbose = FALSE,
      control = control_ep(optimiser = "nlminb", tol = 1e-9, max_iter = 500)
    )
  }
  before <- learn(FALSE)
  after <- learn(TRUE)
  expect_gt(evidence(after)$value, evidence(before)$value + 0.1)
  expect_lt(max(abs(evidence(after, gradient = TRUE)$gradient)), 1e-2)
})

test_that("every optimiser raises the evidence", {
  for (optimiser in c("adadelta", "adam", "authors")) for (method in c("ep", "sep")) {
    learn <- function(optimise) {
      ep_gp(law_x, law_y, kernel_rbf(0.3, 0.3), lik_gaussian(1), inducing = law_z, method = method,
        optimise = optimise, seed = 1, verbose = FALSE, standardise = FALSE,
        control = control_ep(optimiser = optimiser, max_iter = 100,
          rate = if (optimiser == "adam") 0.05
        )
      )
    }
    before <- evidence(suppressWarnings(learn(FALSE)))$value
    expect_gt(evidence(learn(TRUE))$value, before + 1)
  }
})

# ---- leave-one-out ----

test_that("loo() is exact for Gaussian noise", {
  x <- law_x[1:25, ]
  y <- law_y[1:25]
  fit <- given(x, y, kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.2), prior_mean = 0.4)
  without <- vapply(1:25, function(i) {
    other <- given(x[-i, ], y[-i], kernel = kernel_rbf(2, 1), likelihood = lik_gaussian(0.2),
      prior_mean = 0.4
    )
    link <- predict(other, x[i, , drop = FALSE], type = "link", se.fit = TRUE)
    dnorm(y[i], link$fit, sqrt(link$se.fit^2 + 0.2), log = TRUE)
  }, 0)
  expect_equal(unname(loo(fit)), without, tolerance = 1e-7)
})

test_that("loo() is close to refits for classes", {
  x <- law_x[1:40, ]
  y <- law_class[1:40]
  fit <- given(x, y, kernel = kernel_rbf(2, 1))
  without <- vapply(1:40, function(i) {
    p <- predict(given(x[-i, ], y[-i], kernel = kernel_rbf(2, 1)), x[i, , drop = FALSE],
      type = "prob"
    )
    log(p[, as.character(y[i])])
  }, 0)
  expect_lt(max(abs(loo(fit) - without)), 0.1)
  for (method in c("sep", "adf")) {
    expect_error(loo(given(x, y, method = method, control = control_ep(tol = 1e-6))),
      class = "gpsieve_error_unsupported"
    )
  }
})

# ---- several classes, other likelihoods, power ----

test_that("several classes, together or one against the rest", {
  toy <- toy_data("multiclass", n = 120)
  guessing <- max(table(toy$y)) / length(toy$y)
  for (multiclass in c("joint", "ovr")) for (method in c("ep", "sep", "adf")) {
    fit <- suppressWarnings(given(toy$x, toy$y, inducing = 20, method = method, standardise = TRUE,
      multiclass = multiclass, control = control_ep(max_iter = if (method == "adf") 1 else 200)
    ))
    expect_gt(mean(predict(fit, toy$x) == toy$y), guessing + 0.15)
    p <- predict(fit, toy$new, type = "prob")
    expect_lt(max(abs(rowSums(p) - 1)), 1e-10)
    if (method == "ep") {
      expect_length(loo(fit), 120)
      expect_true(all(is.finite(loo(fit)) & loo(fit) < 0))
    }
  }
})

test_that("a joint model does not mind the order of levels", {
  toy <- toy_data("multiclass", n = 90)
  fit_to <- function(y) {
    given(toy$x, y, inducing = as.matrix(toy$x)[1:12, ], standardise = TRUE,
      control = control_ep(tol = 1e-9, max_iter = 2000)
    )
  }
  one <- predict(fit_to(toy$y), toy$new, type = "prob")
  two <- predict(fit_to(factor(toy$y, levels = c("high", "mid", "low"))), toy$new, type = "prob")
  expect_equal(two[, colnames(one)], one, tolerance = 1e-6)
})

test_that("one against the rest is binary machines", {
  toy <- toy_data("multiclass", n = 90)
  z <- as.matrix(toy$x)[1:12, ]
  all <- given(toy$x, toy$y, inducing = z, standardise = TRUE, multiclass = "ovr")
  for (level in levels(toy$y)) {
    one <- given(toy$x, factor(toy$y == level), inducing = z, standardise = TRUE,
      prior_mean = 0, multiclass = "ovr"
    )
    other <- given(toy$x, toy$y, inducing = z, standardise = TRUE, multiclass = "ovr",
      prior_mean = 0
    )
    expect_equal(unname(predict(other, toy$new, type = "link")[, level]),
      unname(predict(one, toy$new, type = "link")),
      tolerance = 1e-7
    )
  }
  expect_sane(all, toy$new)
})

test_that("counts, heavy tails, a logistic link: each in its place, whatever the power", {
  counts <- with_own_seed(9, rpois(60, exp(1 + sin(2 * law_x[, 1]))))
  cases <- list(
    list(y = counts, likelihood = lik_poisson()), list(y = law_y, likelihood = lik_student()),
    list(y = law_class, likelihood = lik_logit()), list(y = law_y, likelihood = lik_gaussian(0.1)),
    list(y = law_class, likelihood = lik_probit())
  )
  for (case in cases) for (power in c(1, 0.5)) for (method in c("ep", "sep")) {
    fit <- given(law_x, case$y, likelihood = case$likelihood, power = power, method = method,
      control = control_ep(tol = 1e-6)
    )
    expect_sane(fit)
    if (case$likelihood$type == "poisson") expect_gt(cor(predict(fit, law_x), counts), 0.4)
  }
})

# ---- minibatches ----

test_that("minibatches in row order do not depend on the seed, shuffled ones do", {
  fit <- function(seed, shuffle) {
    ep_gp(law_x, law_class, inducing = law_z, batch_size = 20, epochs = 3, shuffle = shuffle,
      optimise = FALSE, seed = seed, verbose = FALSE
    )
  }
  answers <- function(...) link_of(fit(...))
  expect_identical(answers(1, FALSE), answers(2, FALSE))
  expect_identical(answers(1, TRUE), answers(1, TRUE))
  expect_false(identical(answers(1, TRUE), answers(2, TRUE)))
  expect_equal(max(fit_trace(fit(1, TRUE))$iteration), 9)
})

test_that("minibatches of one class only are just data", {
  ordered <- order(law_class)
  for (method in c("ep", "sep", "adf")) {
    fit <- ep_gp(law_x[ordered, ], law_class[ordered], inducing = law_z, batch_size = 10,
      epochs = 10, shuffle = FALSE, method = method, seed = 1, verbose = FALSE
    )
    expect_sane(fit)
    expect_gt(mean(predict(fit, law_x) == law_class), 0.7)
  }
})

test_that("many epochs of EP in minibatches are EP", {
  whole <- given(law_x, law_class, kernel = kernel_rbf(2, 1))
  parts <- given(law_x, law_class, kernel = kernel_rbf(2, 1), batch_size = 7, epochs = 100)
  expect_same_answers(whole, parts, tolerance = 1e-6)
  expect_equal(evidence(parts)$value, evidence(whole)$value, tolerance = 1e-8)
  expect_equal(loo(parts), loo(whole), tolerance = 1e-6)
})

test_that("held-out rows stop a fit early, and the best state is what stays", {
  x <- uniform_inputs(150, 2, 11)
  y <- noisy_labels(x, 0.3)
  fit <- function(validation, patience) {
    ep_gp(x, y, kernel_rbf(5, 0.2), inducing = 40, seed = 1, verbose = FALSE,
      control = control_ep(max_iter = 150, validation = validation, patience = patience)
    )
  }
  all <- fit_trace(fit(0, 10))
  expect_true(all(is.na(all$validation)))
  expect_equal(max(all$iteration), 150)
  stopped <- fit(0.3, 3)
  trace <- fit_trace(stopped)
  losses <- trace$validation[!is.na(trace$validation)]
  expect_true(all(is.finite(losses)))
  expect_lt(max(trace$iteration), 150)
  expect_gte(max(trace$iteration) - trace$iteration[which.min(trace$validation)], 3)
  expect_equal(nobs(stopped), 105)
  # The state that stays is the one of the last improvement by more than 1e-4.
  best <- which(losses < c(Inf, cummin(losses)[-length(losses)]) - 1e-4)
  at_best <- ep_gp(x, y, kernel_rbf(5, 0.2), inducing = 40, seed = 1, verbose = FALSE,
    control = control_ep(max_iter = trace$iteration[max(best)], validation = 0.3)
  )
  expect_identical(coef(stopped), coef(at_best))
  expect_identical(link_of(stopped), link_of(at_best))
})

# ---- randomness, threads, storage ----

test_that("threads change no bit", {
  toy <- toy_data("multiclass", n = 700)
  for (method in c("ep", "sep", "adf")) for (batch_size in list(NULL, 300)) {
    fit <- function(threads) {
      without_clock(ep_gp(toy$x, toy$y, inducing = 30, method = method, batch_size = batch_size,
        epochs = if (!is.null(batch_size)) 2, threads = threads, seed = 1, verbose = FALSE,
        control = control_ep(max_iter = 3)
      ))
    }
    expect_identical(fit(1), fit(2))
  }
})

test_that("a fit answers alike after saveRDS() in another process", {
  skip_if_not_installed("callr")
  skip_on_cran()
  toy <- toy_data("multiclass")
  fits <- lapply(c("joint", "ovr"), function(multiclass) {
    suppressWarnings(ep_gp(toy$x, toy$y, inducing = 8, multiclass = multiclass, method = "ep",
      seed = 1, verbose = FALSE, control = control_ep(max_iter = 5)
    ))
  })
  path <- withr::local_tempfile(fileext = ".rds")
  saveRDS(fits, path)
  answers <- function(fit, new) {
    list(predict(fit, new, type = "prob"), loo(fit), sites(fit), evidence(fit, gradient = TRUE))
  }
  elsewhere <- callr::r(function(path, new, answers) {
    library(gpsieve)
    lapply(readRDS(path), answers, new)
  }, list(path, toy$new, portable(answers)))
  expect_identical(elsewhere, lapply(fits, answers, toy$new))
})

# ---- hard data ----

test_that("separable classes and 40 % flipped labels give an answer", {
  hard <- list(factor(law_x[, 1] > 0), noisy_labels(law_x, 0.4))
  for (y in hard) for (method in c("ep", "sep", "adf")) for (batch_size in list(NULL, 20)) {
    fit <- ep_gp(law_x, y, inducing = 10, method = method, batch_size = batch_size,
      epochs = if (!is.null(batch_size)) 30, seed = 1, verbose = FALSE,
      control = control_ep(max_iter = 80)
    )
    expect_sane(fit)
    expect_true(all(is.finite(coef(fit))))
  }
})

test_that("lengthscales driven to their bounds stay finite", {
  noise <- with_own_seed(12, factor(sample(c("a", "b"), 60, TRUE)))
  line <- factor(law_x[, 1] > 0)
  for (y in list(noise, line)) for (method in c("ep", "sep")) {
    for (optimiser in c("adam", "adadelta", "authors")) {
      fit <- ep_gp(law_x, y, kernel_rbf(1, c(1, 1)), inducing = 8, method = method, seed = 1,
        verbose = FALSE, control = control_ep(optimiser = optimiser, rate = 5, max_iter = 60)
      )
      expect_sane(fit)
      expect_true(all(is.finite(coef(fit)) & coef(fit) > 0))
    }
  }
})

test_that("a kernel of one's own works as the built-in one does", {
  own <- kernel_function(function(x, z) rbf(x, z, 2, 0.8))
  for (method in c("ep", "sep")) {
    settings <- list(x = law_x, y = law_class, method = method)
    one <- do.call(given, c(settings, kernel = list(own)))
    two <- do.call(given, c(settings, kernel = list(kernel_rbf(2, 0.8))))
    expect_same_answers(one, two)
    expect_equal(evidence(one)$value, evidence(two)$value, tolerance = 1e-8)
  }
  learned <- ep_gp(law_x, law_class, own * kernel_constant(1), inducing = law_z, seed = 1,
    standardise = FALSE, verbose = FALSE, control = control_ep(max_iter = 10)
  )
  expect_sane(learned)
  expect_equal(unname(inducing(learned)), unname(law_z), tolerance = 1e-14)
})

test_that("units of measurement mean nothing, however large or small", {
  for (size in c(1e-150, 1e-8, 1e8, 1e150)) {
    plain <- given(law_x, law_y, standardise = TRUE, control = control_ep())
    scaled <- given(law_x * size, law_y, inducing = law_z * size, standardise = TRUE,
      control = control_ep()
    )
    expect_equal(link_of(scaled, law_new * size), link_of(plain), tolerance = 1e-6)
    response <- given(law_x, law_y * size, standardise = TRUE, control = control_ep())
    expect_equal(lapply(link_of(response), `/`, size), link_of(plain), tolerance = 1e-6)
  }
})

test_that("one row, one column, one inducing input are enough", {
  expect_sane(given(law_x[1:2, 1, drop = FALSE], factor(1:2), inducing = 1),
    law_new[, 1, drop = FALSE]
  )
  expect_sane(ep_gp(law_x, law_y, inducing = 1, seed = 1, verbose = FALSE))
  constant <- cbind(law_x, c = 1)
  expect_sane(ep_gp(constant, law_class, inducing = 5, seed = 1, verbose = FALSE,
    control = control_ep(max_iter = 10)
  ), cbind(law_new, c = 1))
})
