# Inputs of gpsieve() with values far from the others.

expect_expression <- function(x, expected) {
  expect_identical(expression_of_far(x, quote(a)), expected)
}

test_that("an input with far values is replaced by an inverse hyperbolic sine in round numbers", {
  near <- stats::qnorm(stats::ppoints(200))
  expect_null(expression_of_far(near, quote(a)))
  expect_null(expression_of_far(near + 1e6, quote(a)))
  expect_expression(c(near, 1e3), quote(asinh(a)))
  expect_expression(c(near, 1e3) * 1e4 - 5e6, quote(asinh((a + 5e6) / 1e4)))
  expect_expression(c(near, -1e3) + 50, quote(asinh(a - 50)))
  # Nine tenths of the values are equal.
  mostly <- c(rep(0, 300), 1:29, 5000)
  expect_expression(mostly, bquote(asinh(a / .(signif(mean(abs(mostly)), 2)))))
  # Columns of few values are levels.
  expect_null(expression_of_far(rep(c(0, 1, 1e4), c(500, 500, 2)), quote(a)))
})

far_table <- function(n, seed = 1) {
  drawn <- with_own_seed(seed, list(stats::rexp(n), stats::rnorm(2 * n), sample(3, n, TRUE)))
  d <- data.frame(a = drawn[[1L]]^4 - 1, b = drawn[[2L]][seq_len(n)],
    g = factor(letters[drawn[[3L]]]), flag = drawn[[1L]] > 1)
  d$y <- log1p(d$a + 1) * sin(d$b) + (d$g == "a") + 0.1 * drawn[[2L]][n + seq_len(n)]
  d
}

test_that("replaced columns are those of the formula that is written in full", {
  d <- far_table(60)
  d$w <- seq_len(60) / 60
  for (formula in list(y ~ ., y ~ a + g + flag + offset(w), y ~ . - b)) {
    molded <- mold_formula(formula, d)
    replaced <- with_variables(molded, list(a = quote(asinh((a - 1) / 3))))
    written <- mold_formula(replaced$formula, d)
    expect_identical(replaced$x, written$x)
    expect_identical(replaced$columns, written$columns)
    expect_identical(replaced$blueprint, written$blueprint)
    expect_identical(replaced$drawn, written$drawn)
    expect_identical(replaced$offset, written$offset)
    expect_identical(with_variables_of(list(blueprint = written$blueprint), molded), replaced)
    expect_identical(with_variables_of(list(blueprint = molded$blueprint), molded), molded)
  }
})

quick <- control_gpsieve(blocks = learn_on_blocks(rows = 200, steps = 20))

# Warped inputs, which would do what the inverse hyperbolic sine does, are compared by no call of a
# test.
without_warps <- function(env = parent.frame()) {
  namespace <- asNamespace("gpsieve")
  compares_warps <- namespace$compares_warps
  utils::assignInNamespace("compares_warps", function(task) FALSE, namespace)
  withr::defer(utils::assignInNamespace("compares_warps", compares_warps, namespace), env)
}

test_that("the choice finds the inverse hyperbolic sine, says so, and writes it", {
  d <- far_table(1300)
  rows <- 1:1100
  train <- d[rows, ]
  without_warps()
  fit <- gpsieve(y ~ ., train, seed = 1, control = quick, verbose = FALSE)
  table <- choice(fit)
  expect_identical(table$label[table$chosen], "asinh of a")
  expect_match(format(formula(fit)), "^y ~ asinh[(][(]a [+-] .*[)] [+] b [+] g [+] flag$")
  expect_true(any(grepl("asinh of a: some values lie far", utils::capture.output(print(fit)))))
  new <- d[-rows, ]
  again <- eval(choice(fit, "call"))
  expect_identical(predict(again, new), predict(fit, new))
  expect_equal(unname(fitted(fit)), unname(predict(fit, train)), tolerance = 1e-10)
  expect_length(predict(update(fit, data = d, optimise = FALSE), new), nrow(new))
  # Pictures have the units of the column.
  expect_identical(drawn_view(fit)$columns[1L], "a")
  expect_equal(unname(drawn_view(fit)$range[, 1L]), range(train$a))
  as_it_is <- gpsieve(y ~ I(a) + b + g + flag, train, seed = 1, control = quick, verbose = FALSE)
  expect_false(any(grepl("asinh", choice(as_it_is)$label)))
  error <- function(fit) sqrt(mean((predict(fit, new) - new$y)^2))
  expect_lt(error(fit), error(as_it_is))
})

test_that("an input on which the response depends linearly stays as it is", {
  without_warps()
  d <- far_table(1100)
  # The response has the tail of the input, which is not so heavy that outliers are looked for.
  d$a <- sqrt(d$a + 1)
  d$y <- d$a + sin(3 * d$b) + 0.1 * (d$y - mean(d$y))
  fit <- gpsieve(y ~ a + b, d, seed = 1, control = quick, verbose = FALSE)
  expect_match(choice(fit)$label, "asinh of a", all = FALSE)
  expect_identical(format(formula(fit)), "y ~ a + b")
})

test_that("nothing is replaced where it cannot be written or is not meant", {
  d <- far_table(1300)
  task <- function(molded, ...) {
    usual <- list(molded = molded, kernels = list(), latents = 1L, series = NULL)
    given <- list(...)
    replace(usual, names(given), given)
  }
  molded <- mold_formula(y ~ ., d)
  expect_named(far_inputs(task(molded)), "a")
  none <- function(molded, ...) expect_length(far_inputs(task(molded, ...)), 0L)
  none(mold_formula(y ~ ., d[1:900, ]))
  none(mold_formula(y ~ a + log(b^2), d))
  none(mold_formula(y ~ I(a) + b, d))
  none(mold_formula(y ~ a + (1 | g), d))
  none(mold_xy(d[1:4], d$y))
  none(molded, kernels = list(kernel_rbf()))
  none(molded, series = list(ordered = TRUE))
})

test_that("the call to write has the formula where the user's call has it", {
  without_warps()
  d <- far_table(1100)[c("a", "b", "y")]
  formula <- y ~ .
  call_of <- function(fit) choice(fit, "call")
  few <- control_gpsieve(blocks = learn_on_blocks(rows = 100, steps = 10))
  written <- list(
    call_of(gpsieve(formula, d, seed = 1, control = few, verbose = FALSE)),
    call_of(gpsieve(d, formula, seed = 1, control = few, verbose = FALSE)),
    call_of(gpsieve(data = d, list(formula)[[1]], seed = 1, control = few, verbose = FALSE)),
    call_of(gpsieve(data = d, formula = formula, seed = 1, control = few, verbose = FALSE))
  )
  predicted <- lapply(written, function(call) predict(eval(call), d))
  expect_identical(predicted[-1L], predicted[c(1L, 1L, 1L)])
  wrapper <- function(...) gpsieve(..., seed = 1, control = few, verbose = FALSE)
  dots <- call_of(wrapper(formula, d))
  expect_identical(dots[[3L]], quote(data))
  expect_identical(predict(eval(dots, list(data = d)), d), predicted[[1L]])
})

test_that("a warp under which one value leaves no digits to others is not compared", {
  x <- with_own_seed(1, cbind(a = rexp(60), b = rnorm(60)))
  x[1L, 1L] <- 60
  task <- choice_task(mold_xy(x, x[, 2L]), given_or_default(gpsieve, list(seed = 1)))
  keeps <- function(tail) {
    kernel <- kernel_warped(kernel_rbf(), tail = fixed(tail))
    candidate <- sized_candidate(task, "warped", "meanfield_gp", kernel)
    candidate$settings$control$blocks$steps <- 1
    keeps_digits(c(learn_entry(new_entry(candidate, "inputs"), task), list(task = task)))
  }
  expect_true(keeps(1.5))
  expect_false(keeps(13))
})
