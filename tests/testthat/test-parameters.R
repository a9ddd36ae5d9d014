# Functions that users do not call take what belongs together as one list, and what they take from
# settings is there.

most_parameters <- 12

test_that("no function has more than twelve parameters but those that users call", {
  package <- asNamespace("gpsieve")
  methods <- getNamespaceInfo("gpsieve", "S3methods")[, 3L]
  internal <- setdiff(ls(package, all.names = TRUE), c(getNamespaceExports("gpsieve"), methods))
  functions <- Filter(is.function, mget(internal, package))
  parameters <- lengths(lapply(functions, formals))
  expect_gt(length(functions), 1000)
  expect_identical(names(parameters)[parameters > most_parameters], character())
})

#' The names that code takes with `$` from the object of this name, or from an element of this name
read_from <- function(code, name) {
  if (!is.recursive(code)) return(NULL)
  taken <- is.call(code) && identical(code[[1L]], as.name("$")) && {
    of <- code[[2L]]
    if (is.call(of) && identical(of[[1L]], as.name("$"))) of <- of[[3L]]
    identical(of, as.name(name))
  }
  deeper <- lapply(as.list(code), function(part) if (!missing(part)) read_from(part, name))
  c(if (taken) as.character(code[[3L]]), unlist(deeper))
}

# A list gives NULL for an element that it does not have, and nothing stops.
test_that("settings that the code reads are settings that there are", {
  package <- asNamespace("gpsieve")
  functions <- Filter(is.function, mget(ls(package, all.names = TRUE), package))
  read <- function(name) {
    unique(unlist(lapply(functions, function(own) read_from(body(own), name))))
  }
  expect_identical(read_from(quote(a$blocks$rows + f(blocks$steps)), "blocks"), c("rows", "steps"))
  reader_of_rows <- c("next_block", "close")
  of_blocks <- c(names(formals(learn_on_blocks)), reader_of_rows)
  expect_identical(setdiff(read("blocks"), of_blocks), character())
  makers <- intersect(grep("^control_", names(functions), value = TRUE),
    getNamespaceExports("gpsieve"))
  of_control <- unlist(lapply(functions[makers], function(maker) names(formals(maker))))
  # learn_greedy() adds its constants to the settings.
  of_control <- c(of_control, names(package$gaussian_learning_size))
  expect_identical(setdiff(read("control"), of_control), character())
})
