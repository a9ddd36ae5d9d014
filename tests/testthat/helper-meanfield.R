# What the tests of both solvers of meanfield_gp() share.

by_solver <- function(solver, ...) control_meanfield(solver = solver, ...)

#' Do both fits predict new rows alike, with the same evidence, sites and leave-one-out densities?
#' `tolerance`: that of predictions and the evidence (`answer`), of the sites (`site`), and of the
#' densities (`loo`), which are not compared without one.
expect_one_fit <- function(found, exact, new, label, tolerance, offset = NULL) {
  at <- function(fit) predict(fit, new, type = "link", se.fit = TRUE, offset = offset)
  expect_equal(at(found), at(exact), tolerance = tolerance[["answer"]], label = label)
  expect_equal(evidence(found)$value, evidence(exact)$value, tolerance = tolerance[["answer"]],
    label = label
  )
  expect_equal(sites(found), sites(exact), tolerance = tolerance[["site"]], label = label)
  if ("loo" %in% names(tolerance)) {
    expect_equal(loo(found), loo(exact), tolerance = tolerance[["loo"]], label = label)
  }
}
