# What R knows of each type of kernel, beside what the core knows.

test_that("every kernel of the core has a record", {
  expect_setequal(names(kernel_kinds), c(call_core(core_kernels), "precomputed"))
})

test_that("a record that lacks an answer, or has one that nobody asks for, is refused", {
  answers <- list(hyper = "variance", unit_variance = "none", rate = function(leaf) 0,
    word = "flat", exported = FALSE)
  expect_identical(new_kind(answers, "foo")$maker, "kernel_foo")
  for (part in names(answers)) {
    expect_error(new_kind(answers[names(answers) != part], "foo"), paste("answer", part))
  }
  expect_error(new_kind(c(answers, speed = 1), "foo"), "no part speed")
  answers$hyper <- c("variance", "lengthscale")
  expect_error(new_kind(answers, "foo"), "what they measure")
})

test_that("the answers of every kernel fit what its constructor takes and what asks them", {
  precomputed <- kernel_precomputed(diag(3))$children[[2L]]
  own <- kernel_function(function(x, z) x %*% t(z))
  leaves <- c(every_kernel_leaf(), list(own, precomputed))
  types <- vapply(leaves, function(leaf) kernel_kind(leaf)$maker, "")
  operators <- vapply(kernel_kinds, `[[`, NA, "operator")
  expect_setequal(types, vapply(kernel_kinds[!operators], `[[`, "", "maker"))
  for (leaf in leaves) {
    kind <- kernel_kind(leaf)
    taken <- names(formals(kind$maker))
    named <- c(kind$hyper, names(kind$rules), names(kind$start), kind$unit)
    expect_identical(setdiff(named, taken), character(), label = kind$maker)
    expect_identical(setdiff(c(kind$may_be_zero, kind$exact), kind$hyper), character())
    expect_true(is_string(leaf_word(leaf)), label = kind$maker)
    rates <- leaf_rates(leaf, 2)
    expect_true(all(is.finite(rates$rate) & rates$rate >= 0), label = kind$maker)
    units <- list(columns = c(1, 4), rows = 100, response = 1)
    priors <- own_priors(leaf, 1:2, list(spread = 0.6, variance = 1.5), units)
    expect_identical(vapply(priors, function(prior) length(prior$center), 0L),
      unname(lengths(leaf$values[hyper_names(leaf)])))
    # A variance without a prior may become infinite where classes are separable.
    if (is.function(kind$unit_variance)) expect_gt(priors[[1L]]$precision[1L], 0)
  }
})

test_that("the header computes the kernels that can be exported, and no others", {
  header <- system.file("include", "gpsieve_predict_kernel.h", package = "gpsieve")
  text <- paste(readLines(header), collapse = "\n")
  computed <- unlist(regmatches(text, gregexpr("(?<=type [!=]= \")\\w+", text, perl = TRUE)))
  exported <- names(Filter(function(kind) kind$exported, kernel_kinds))
  # A kernel of some columns is written as a kernel that names its columns.
  expect_setequal(computed, setdiff(exported, "on"))
})
