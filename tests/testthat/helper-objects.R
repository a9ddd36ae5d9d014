# Paths of all parts of an object that are not plain data: environments, functions, pointers,
# language that drags an environment along. The empty and the base environment carry nothing.
foreign_parts <- function(x, path = "fit") {
  harmless <- identical(x, emptyenv()) || identical(x, baseenv())
  own <- if (is.environment(x) && !harmless) {
    paste(path, "environment")
  } else if (is.function(x) || typeof(x) %in% c("externalptr", "weakref", "bytecode")) {
    paste(path, typeof(x))
  }
  attributes <- attributes(x)
  attributes$names <- attributes$row.names <- NULL
  labels <- rlang::names2(attributes)
  inside <- unlist(lapply(seq_along(attributes), function(i) {
    foreign_parts(attributes[[i]], paste0(path, "@", labels[i]))
  }))
  below <- if (is.list(x)) {
    bare <- unclass(x)
    labels <- rlang::names2(bare)
    unlist(lapply(seq_along(bare), function(i) {
      foreign_parts(bare[[i]], paste0(path, "$", if (nzchar(labels[i])) labels[i] else i))
    }))
  }
  as.character(c(own, inside, below))
}

serialized_size <- function(x) length(serialize(x, NULL))

unname_rows <- function(x) {
  rownames(x) <- NULL
  x
}

# The value of an expression and whether R's generator moved.
generator_moved <- function(code) {
  if (!exists(".Random.seed", globalenv())) set.seed(NULL)
  before <- get(".Random.seed", globalenv())
  force(code)
  !identical(before, get(".Random.seed", globalenv()))
}

# A function that another process can call without this one's frames.
portable <- function(fn) {
  environment(fn) <- list2env(list(is_regression = local({
    f <- is_regression
    environment(f) <- globalenv()
    f
  })), parent = globalenv())
  fn
}

named <- function(x, names) {
  colnames(x) <- names
  x
}

expect_accepted <- function(code) {
  expect_error(force(code), NA)
}

# Every answer of a fit is complete, finite and of the right size.
expect_sane <- function(fit, new) {
  answers <- all_predictions(fit, new)
  for (answer in answers) {
    expect_identical(n_rows(answer), nrow(new))
    expect_false(anyNA(answer))
    if (is.numeric(answer)) expect_true(all(is.finite(answer)))
  }
  expect_true(all(answers$se >= 0))
  if (!is.null(answers$prob)) expect_close(rowSums(answers$prob), 1, 1e-12)
  expect_true(is.finite(evidence(fit)$value))
  expect_true(all(is.finite(coef(fit))))
}
