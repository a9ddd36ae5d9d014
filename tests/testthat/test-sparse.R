# Sparse matrices of package Matrix as inputs: the same answers as the dense matrix, without a dense
# matrix on the way.

skip_if_not_installed("Matrix")

# Counts of words in texts, a few of each, and responses of every kind.
text_data <- function(n = 60, p = 12, filled = 0.25, seed = 3) {
  with_own_seed(seed, {
    counts <- matrix(stats::rbinom(n * p, 3, 0.5) * (stats::runif(n * p) < filled), n, p)
    colnames(counts) <- paste0("w", seq_len(p))
    f <- drop(scale(counts[, 1] - counts[, 2] + 0.5 * counts[, 3] * counts[, 4]))
    noise <- stats::rnorm(n)
    list(
      dense = counts, sparse = methods::as(counts, "dgCMatrix"), real = 3 + f + 0.2 * noise,
      count = stats::rpois(n, exp(0.5 * f)),
      binary = factor(ifelse(f + 0.3 * noise > 0, "yes", "no")),
      multiclass = factor(c("low", "mid", "high")[findInterval(f, c(-0.5, 0.5)) + 1])
    )
  })
}

train <- 1:45

# Predictions of a model fitted to the sparse and to the dense rows, for sparse and dense new rows.
agree <- function(fit_model, y, data = text_data(), tolerance = 1e-10, types = NULL, ...) {
  sparse <- fit_model(data$sparse[train, ], y[train], ...)
  dense <- fit_model(data$dense[train, ], y[train], ...)
  for (type in c("link", types)) {
    expected <- predict(dense, data$dense, type = type, se.fit = type == "link")
    for (new in list(data$sparse, data$dense, as.data.frame(data$dense))) {
      expect_equal(predict(sparse, new, type = type, se.fit = type == "link"), expected,
        tolerance = tolerance
      )
    }
    expect_equal(predict(dense, data$sparse, type = type, se.fit = type == "link"), expected)
  }
  expect_equal(evidence(sparse)$value, evidence(dense)$value, tolerance = tolerance)
  invisible(list(sparse = sparse, dense = dense))
}

test_that("the core takes neither inputs for row numbers nor row numbers for inputs", {
  x <- dense_to_sparse(matrix(c(0, 1, 2, 0), 4))
  numbers <- structure(matrix(0:3 + 0, 4), class = "gpsieve_row_numbers")
  linear <- kernel_spec(kernel_linear())
  on_rows <- c(linear, list(rows = unclass(x)))
  expect_equal(call_core(core_kernel_matrix, on_rows, numbers, NULL), tcrossprod(as.matrix(x)))
  # One column of whole numbers, which could be either
  expect_error(call_core(core_kernel_matrix, on_rows, matrix(0:3 + 0, 4), NULL), "found inputs",
    class = "gpsieve_error_object"
  )
  expect_error(call_core(core_kernel_matrix, on_rows, numbers, matrix(1)), "found inputs",
    class = "gpsieve_error_object"
  )
  expect_error(call_core(core_kernel_matrix, linear, numbers, NULL), "found row numbers",
    class = "gpsieve_error_object"
  )
})

sparse_kernels <- list(
  kernel_rbf(1.3, 2), kernel_rbf(1, stats::setNames(1:12, paste0("w", 12:1))), kernel_linear(0.4),
  kernel_linear(0.4, ard = TRUE), kernel_polynomial(2), kernel_matern(1.5, lengthscale = 3),
  kernel_rational_quadratic(lengthscale = 2), kernel_rbf() + kernel_linear() + kernel_constant(),
  kernel_rbf(1, 3) * kernel_linear(0.2), kernel_on(kernel_rbf(), c("w3", "w1")),
  kernel_rbf() + kernel_white(0.1)
)

test_that("sparse inputs give the answers of dense ones, with every kernel", {
  data <- text_data()
  for (kernel in sparse_kernels) {
    for (standardise in list(TRUE, FALSE, "common")) {
      agree(meanfield_gp, data$real, data, kernel = kernel, optimise = FALSE,
        standardise = standardise, likelihood = lik_gaussian(0.2)
      )
    }
  }
})

test_that("sparse inputs give the answers of dense ones, in every model", {
  data <- text_data()
  centres <- data$dense[c(2, 5, 9, 30), ]
  cases <- list(
    ivm = list(ivm, n_active = 20, refine = 2), ep_gp = list(ep_gp, inducing = 10,
      inducing_init = "random", method = "ep", control = control_ep(max_iter = 300)
    ),
    given = list(ep_gp, inducing = centres, method = "ep", control = control_ep(max_iter = 300)),
    meanfield_gp = list(meanfield_gp), online_gp = list(online_gp, budget = 15),
    greedy_gp = list(greedy_gp, n_basis = 15), rvm = list(rvm), rvm_at = list(rvm, basis = centres),
    rvm_augmented = list(rvm, variance = "augmented")
  )
  for (case in cases) {
    for (task in c("real", "binary", "multiclass")) {
      arguments <- c(case[-1], list(kernel = kernel_rbf(1, 2), optimise = FALSE, seed = 1))
      fit <- function(x, y) suppressWarnings(do.call(case[[1]], c(list(x, y), arguments)))
      agree(fit, data[[task]], data, types = if (task == "multiclass") "prob",
        tolerance = 1e-10
      )
    }
  }
})

test_that("learning takes the same steps on sparse inputs", {
  skip_on_cran()
  data <- text_data()
  few <- list(
    meanfield_gp = list(meanfield_gp, control = control_meanfield(steps = 5)),
    ivm = list(ivm, n_active = 20, control = control_ivm(rounds = 1)),
    ep_gp = list(ep_gp, inducing = 10, inducing_init = "random",
      control = control_ep(max_iter = 10, warm_rows = 30)
    ),
    ep_exact = list(ep_gp, inducing = 10, inducing_init = "random", method = "ep",
      control = control_ep(optimiser = "nlminb", max_iter = 5)
    ),
    greedy_gp = list(greedy_gp, n_basis = 10),
    online_gp = list(online_gp, budget = 15)
  )
  few_steps <- list(rounds = 1, steps = 5)
  for (case in few) {
    for (kernel in list(kernel_rbf(), kernel_rbf(ard = TRUE))) {
      fit <- function(x, y) {
        # Few steps: differences of the last digits grow with every one.
        with_functions(
          list(
            ivm_learning_steps = 5, greedy_learning_effort = few_steps,
            online_learning_effort = few_steps
          ),
          suppressWarnings(do.call(case[[1]], c(list(x, y, kernel = kernel, seed = 1), case[-1])))
        )
      }
      found <- agree(fit, data$binary, data, tolerance = 1e-6)
      expect_equal(coef(found$sparse), coef(found$dense), tolerance = 1e-6)
    }
  }
})

test_that("case weights, offsets and later rows go with sparse inputs", {
  data <- text_data()
  w <- rep_len(c(1, 2, 0, 3), 60)
  weigh <- function(x, y) ivm(x, y, n_active = 20, weights = w[train], optimise = FALSE, seed = 1)
  agree(weigh, data$binary, data)
  shift <- rep_len(c(0.3, -0.2), 60)
  fit_offset <- function(x) {
    meanfield_gp(x[train, ], data$count[train], likelihood = lik_poisson(), offset = shift[train],
      optimise = FALSE
    )
  }
  expect_equal(predict(fit_offset(data$sparse), data$sparse, offset = shift),
    predict(fit_offset(data$dense), data$dense, offset = shift), tolerance = 1e-10
  )
  stream <- function(x) {
    fit <- online_gp(x[train, ], data$multiclass[train], budget = 15, optimise = FALSE, seed = 1)
    update(fit, x[46:60, ], data$multiclass[46:60], verbose = FALSE)
  }
  expect_equal(predict(stream(data$sparse), data$sparse, type = "prob"),
    predict(stream(data$dense), data$dense, type = "prob"), tolerance = 1e-10
  )
})

test_that("what reads a fit reads one of sparse inputs", {
  data <- text_data()
  found <- agree(meanfield_gp, data$real, data, tolerance = 1e-6,
    kernel = kernel_rbf(ard = TRUE), seed = 1, control = control_meanfield(steps = 3)
  )
  sparse <- found$sparse
  dense <- found$dense
  same <- function(answer) expect_equal(answer(sparse), answer(dense), tolerance = 1e-6)
  same(function(fit) predict(fit, data$sparse[50:60, ], type = "link", cov = TRUE)$cov)
  same(function(fit) posterior_draws(fit, data$sparse[50:60, ], 2, seed = 1))
  same(function(fit) residuals(fit, newdata = data$sparse, y = data$real))
  same(function(fit) predict(fit, data$sparse, interval = "prediction"))
  same(function(fit) relevance(fit)$relevance)
  same(function(fit) query_score(fit, data$sparse))
  same(function(fit) loo(fit, data$sparse[train, ], data$real[train]))
  same(function(fit) fit$inputs)
  expect_s4_class(inducing(sparse), "dgCMatrix")
  expect_equal(as.matrix(inducing(sparse)), inducing(dense), tolerance = 1e-12)
  expect_output(print(sparse), "12 inputs")
  bounds <- function(x) {
    fit <- greedy_gp(x[train, ], data$real[train], n_basis = 15, optimise = FALSE, seed = 1)
    variance_bounds(fit, x[50:52, ], x[train, ])
  }
  expect_equal(bounds(data$sparse), bounds(data$dense), tolerance = 1e-8)
  refit <- update(sparse, x = data$sparse[train, ], y = data$real[train], optimise = FALSE)
  expect_s3_class(refit, "gpsieve_meanfield_gp")
  withr::local_pdf(NULL)
  expect_silent(plot(sparse))
  expect_silent(plot(sparse, "effects", terms = c("w1", "w2"), newdata = data$dense))
})

test_that("a fit of sparse inputs is saved with its rows and knows when they are damaged", {
  data <- text_data()
  fit <- ivm(data$sparse, data$binary, n_active = 10, optimise = FALSE, seed = 1)
  file <- withr::local_tempfile()
  saveRDS(fit, file)
  expect_identical(predict(readRDS(file), data$sparse), predict(fit, data$sparse))
  for (spoil in list(
    function(b) replace(b, "value", list(replace(b$value, 1, NaN))),
    function(b) replace(b, "start", list(rev(b$start))),
    function(b) replace(b, "column", list(b$column + 1000L)),
    function(b) replace(b, "column", list(b$column[-1])), function(b) replace(b, "p", list(0L))
  )) {
    damaged <- fit
    damaged$basis <- structure(spoil(unclass(fit$basis)), class = class(fit$basis))
    expect_error(predict(damaged, data$sparse), class = "gpsieve_error_object")
  }
})

test_that("every class of Matrix is taken, and a sparse matrix of any storage", {
  data <- text_data()
  reference <- predict(ivm(data$sparse, data$real, optimise = FALSE, seed = 1), data$dense)
  forms <- list(
    methods::as(data$sparse, "RsparseMatrix"), methods::as(data$sparse, "TsparseMatrix"),
    Matrix::Matrix(data$dense, sparse = FALSE)
  )
  for (x in forms) {
    expect_equal(predict(ivm(x, data$real, optimise = FALSE, seed = 1), x), reference)
  }
  flags <- data$sparse > 0
  fit <- ivm(flags, data$real, optimise = FALSE, seed = 1)
  expect_equal(predict(fit, flags),
    predict(ivm(data$dense > 0, data$real, optimise = FALSE, seed = 1), data$dense > 0)
  )
  # Zeros that are stored are zeros; the order of the columns is that of the names.
  stored <- data$sparse
  stored[1, 1] <- 5
  stored@x[stored@i == 0 & rep(seq_len(12), diff(stored@p)) == 1] <- data$dense[1, 1]
  expect_equal(predict(fit, stored > 0), predict(fit, flags))
  expect_equal(predict(fit, flags[, 12:1]), predict(fit, flags))
})

test_that("kernel_matrix() of sparse rows is that of dense rows", {
  data <- text_data()
  for (kernel in sparse_kernels) {
    expect_equal(kernel_matrix(kernel, data$sparse), unname(kernel_matrix(kernel, data$dense)),
      tolerance = 1e-12
    )
    expect_equal(
      kernel_matrix(kernel, data$sparse, data$dense[1:4, ]),
      unname(kernel_matrix(kernel, data$dense, data$dense[1:4, ])), tolerance = 1e-12
    )
  }
})

test_that("gpsieve() chooses on sparse inputs", {
  skip_on_cran()
  data <- text_data()
  fit <- gpsieve(data$sparse, data$binary, time = 5, seed = 1, verbose = FALSE)
  expect_gt(mean(predict(fit, data$sparse) == data$binary), 0.8)
  expect_identical(predict(fit, data$sparse), predict(fit, data$dense))
})

test_that("empty rows and columns, and rows with missing values", {
  data <- text_data()
  hollow <- data$sparse
  hollow[c(3, 7), ] <- 0
  hollow[, 5] <- 0
  dense <- as.matrix(hollow)
  fit <- meanfield_gp(hollow, data$real, optimise = FALSE)
  expect_equal(predict(fit, hollow),
    predict(meanfield_gp(dense, data$real, optimise = FALSE), dense), tolerance = 1e-10
  )
  expect_length(predict(fit, hollow[0, ]), 0)
  new <- hollow[1:4, ]
  new[2, 3] <- NA
  expect_identical(which(is.na(predict(fit, new))), 2L)
  nothing <- ivm(hollow[c(3, 7, 1), ], c(1, 2, 3), optimise = FALSE, seed = 1)
  expect_true(all(is.finite(predict(nothing, hollow))))
  blank <- Matrix::sparseMatrix(i = integer(), j = integer(), x = numeric(), dims = c(5, 3))
  expect_equal(predict(meanfield_gp(blank, 1:5, optimise = FALSE), blank), rep(3, 5))
  # Columns whose numbers are all equal do not vary, stored or not.
  constant <- Matrix::Matrix(rep(c(2, 0, 7), each = 5), 5, 3, sparse = TRUE)
  same <- meanfield_gp(constant, 1:5, optimise = FALSE)
  expect_identical(unname(same$inputs$scale), c(1, 1, 1))
})

test_that("what cannot be done with sparse inputs is refused in words", {
  data <- text_data()
  x <- data$sparse
  y <- data$real
  expect_snapshot(error = TRUE, ivm(x, y, kernel = kernel_periodic()))
  own <- kernel_function(function(x, z) x %*% t(z))
  expect_snapshot(error = TRUE, meanfield_gp(x, y, kernel = own))
  expect_snapshot(error = TRUE, ep_gp(x, y, learn_inducing = TRUE))
  expect_snapshot(error = TRUE, ep_gp(x, y, control = control_ep(checkpoint = "file")))
  expect_snapshot(error = TRUE, ivm(x[0, ], y[0]))
  expect_snapshot(error = TRUE, ivm(x[, 0], y))
  broken <- x
  broken@x[4] <- NA
  expect_message(left <- ivm(broken, y, optimise = FALSE, seed = 1), "1 of .* rows left out")
  expect_identical(nobs(left), nrow(x) - 1L)
  broken@x[4] <- Inf
  expect_snapshot(error = TRUE, ivm(broken, y))
  twice <- x
  colnames(twice)[2] <- "w1"
  expect_snapshot(error = TRUE, ivm(twice, y))
  fit <- ivm(x, y, optimise = FALSE, seed = 1)
  expect_snapshot(error = TRUE, predict(fit, broken))
  expect_snapshot(error = TRUE, predict(fit, x[, -3]))
  nameless <- x[, -3]
  nameless@Dimnames <- list(NULL, NULL)
  expect_snapshot(error = TRUE, predict(fit, nameless))
  expect_snapshot(error = TRUE, predict(fit, "text"))
  damaged <- x
  damaged@i[1] <- 1000L
  expect_error(ivm(damaged, y), class = "gpsieve_error_data")
})

test_that("the memory of a fit of 5,000 texts grows with the numbers that are stored", {
  skip_on_cran()
  skip_if_not_installed("callr")
  n <- 5000
  p <- 10000
  words <- 40
  topic <- rep_len(c(0, p / 2), n)
  texts <- with_own_seed(1, Matrix::sparseMatrix(
    i = rep(seq_len(n), each = words),
    j = rep(topic, each = words) + sample.int(p / 2 + 500, n * words, TRUE), x = 1,
    dims = c(n, p + 500)
  ))
  # In a process of its own, whose memory has no garbage of other tests.
  found <- callr::r(function(texts, y) {
    grow <- function(texts, y) {
      fit <- gpsieve::ivm(texts, y,
        n_active = 50, optimise = FALSE, refine = 0, seed = 1, verbose = FALSE
      )
      predict(fit, texts)
    }
    loadNamespace("Matrix")
    grow(texts[1:100, ], y[1:100]) # loads the other packages
    before <- sum(gc(reset = TRUE)[, 2])
    classes <- grow(texts, y)
    list(grown = sum(gc()[, 6]) - before, right = mean(classes == y))
  }, list(texts, factor(topic)))
  # The dense matrix alone takes 400 MB.
  expect_lt(found$grown, 150)
  expect_gt(found$right, 0.8)
})

test_that("distances of sparse rows from one of them are those of the dense rows", {
  skip_if_not_installed("Matrix")
  dense <- matrix(0, 6, 4)
  dense[cbind(c(1, 2, 2, 4, 5, 6), c(1, 2, 4, 3, 1, 1))] <- c(1, -2, 0.5, 3, 1, 1e-3)
  rows <- as_sparse(Matrix::Matrix(dense, sparse = TRUE), "x")
  for (row in 1:6) {
    expected <- rowSums(sweep(dense, 2L, dense[row, ])^2)
    expect_lt(max(abs(sparse_distances_from(rows, row) - expected)), 1e-12)
  }
  expect_identical(sparse_distances_from(rows, 1)[5], 0) # equal rows
})

test_that("a matrix of package Matrix whose parts do not fit together is refused, not read", {
  data <- toy_data("regression", 30)
  x <- as.matrix(data$x)
  damaged <- methods::as(x[1:6, ] * (x[1:6, ] > 0), "dgCMatrix")
  damaged@x <- damaged@x[-1L]
  refused <- function(code) expect_error(code, class = "gpsieve_error_data")
  fit <- ivm(x, data$y, kernel_rbf(), optimise = FALSE, n_active = 10, seed = 1)
  refused(predict(fit, damaged))
  refused(posterior_draws(fit, damaged, seed = 1))
  refused(ivm(damaged, data$y[1:6], kernel_rbf(), seed = 1))
  refused(ep_gp(x, data$y, kernel_rbf(), inducing = damaged, seed = 1))
  refused(rvm(x, data$y, kernel_rbf(), basis = damaged, seed = 1))
  refused(kernel_matrix(kernel_rbf(), damaged))
  refused(ep_gp(y ~ ., rows_from_matrix(damaged), kernel_rbf(), inducing = 3, seed = 1))
})

test_that("what needs dense rows refuses sparse ones by its own name", {
  skip_if_not_installed("Matrix")
  set.seed(1)
  x <- Matrix::rsparsematrix(30, 4, 0.4, dimnames = list(NULL, letters[1:4]))
  fit <- meanfield_gp(x, x[, 1] + rnorm(30), kernel_rbf(1, 1), lik_gaussian(0.1),
    optimise = FALSE)
  expect_error(augment(fit, newdata = x[1:3, ]), "augment", class = "gpsieve_error_unsupported")
  expect_error(warps(fit, x), "no warps", class = "gpsieve_error_unsupported")
})
