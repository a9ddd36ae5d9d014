# Functions that users do not call take what belongs together as one list.

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
