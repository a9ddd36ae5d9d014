# The rule by which vignette("scoreboard") judges: inst/scoreboard/verdict.R.
rule <- new.env()
sys.source(
  system.file("scoreboard", "verdict.R", package = "gpsieve", mustWork = TRUE), rule
)
verdict <- rule$verdict
value <- rule$claim_value

#' `runs` values with this mean and this standard error of the mean
runs_with <- function(mean, se, runs = 10) {
  shape <- scale(seq_len(runs))[, 1]
  mean + se * sqrt(runs) * shape
}

test_that("a number is judged by the printed precision and the interval of the runs", {
  expect_identical(verdict(value("1.54"), runs_with(1.541, 0.005)), "reproduced")
  expect_identical(verdict(value("1.54"), runs_with(1.545, 0.005)), "reproduced")
  # 0.04 above: the interval of 2.26 standard errors ends below.
  expect_identical(verdict(value("1.54"), runs_with(1.58, 0.005)), "not reproduced")
  expect_identical(verdict(value("1.54"), runs_with(1.50, 0.005)), "not reproduced")
  expect_identical(verdict(value("1.54", better = "smaller"), runs_with(1.5, 0.005)), "better")
  expect_identical(verdict(value("1.54", better = "smaller"), runs_with(1.6, 0.005)),
    "not reproduced")
  expect_identical(verdict(value("1.54", better = "larger"), runs_with(1.6, 0.005)), "better")
  # Both sides have a standard error.
  expect_identical(verdict(value("1.54", se = 0.02), runs_with(1.58, 0.005)), "reproduced")
})

test_that("what is printed has half a unit of its last digit", {
  expect_equal(rule$half_a_unit("1.54"), 0.005)
  expect_equal(rule$half_a_unit("-0.7"), 0.05)
  expect_equal(rule$half_a_unit("373"), 0.5)
  expect_identical(verdict(value("107.0"), 107.04, exact = TRUE), "reproduced")
  expect_identical(verdict(value("107.0"), 106.8, exact = TRUE), "not reproduced")
  expect_identical(verdict(value("107.0", better = "smaller"), 106.8, exact = TRUE), "better")
  expect_identical(verdict(value("1200", half = 50), 1167, exact = TRUE), "reproduced")
  expect_identical(verdict(value("1200", half = 50), 950, exact = TRUE), "not reproduced")
})

test_that("an interval wider than the claim decides nothing, except that a number is far off", {
  wide <- 0.05
  expect_identical(verdict(value("0.39"), runs_with(0.42, wide)), "undecided")
  expect_identical(verdict(value("0.39"), runs_with(0.8, wide)), "not reproduced")
  expect_identical(verdict(value("0.39", resolution = 0.2), runs_with(0.42, wide)), "reproduced")
})

test_that("one run of a random protocol decides nothing", {
  for (claim in list(value("0.5"), rule$claim_below(), rule$claim_near(1))) {
    expect_identical(verdict(claim, 0.5), "undecided")
    expect_identical(verdict(claim, -100), "undecided")
  }
  expect_identical(verdict(rule$claim_below(), -1, exact = TRUE), "reproduced")
  expect_identical(verdict(rule$claim_below(), 0, exact = TRUE), "not reproduced")
  expect_error(verdict(value("0.5"), c(0.5, 0.5), exact = TRUE))
})

test_that("an order is judged by paired differences", {
  below <- rule$claim_below()
  expect_identical(verdict(below, runs_with(-0.08, 0.02)), "reproduced")
  expect_identical(verdict(below, runs_with(0.08, 0.02)), "not reproduced")
  expect_identical(verdict(below, runs_with(-0.04, 0.02)), "undecided")
  # So close to zero that the paper's difference is ruled out.
  expect_identical(verdict(rule$claim_below(0.08), runs_with(-0.01, 0.02)), "not reproduced")
  expect_identical(verdict(rule$claim_below(0.08), runs_with(-0.04, 0.02)), "undecided")
  # Pairs decide what means do not: every difference is -1, the runs themselves vary by a hundred.
  a <- seq(0, 100, by = 10)
  expect_identical(verdict(below, a - (a + 1)), "reproduced")
})

test_that("similar means within the limit with the whole interval", {
  near <- rule$claim_near(0.04)
  expect_identical(verdict(near, runs_with(0.01, 0.005)), "reproduced")
  expect_identical(verdict(near, runs_with(-0.037, 0.01)), "undecided")
  expect_identical(verdict(near, runs_with(0.1, 0.01)), "not reproduced")
  expect_identical(verdict(near, runs_with(-0.1, 0.01)), "not reproduced")
})

test_that("summaries of runs are judged as the runs are", {
  runs <- runs_with(1.545, 0.005)
  short <- rule$summary_of_runs(mean(runs), sd(runs), length(runs))
  expect_equal(rule$interval_of(short), rule$interval_of(runs))
  expect_identical(verdict(value("1.54"), short), verdict(value("1.54"), runs))
})

test_that("claims made together are judged by the worst; without a number there is no verdict", {
  expect_identical(rule$together("better", "reproduced"), "reproduced")
  expect_identical(rule$together("better", "better"), "better")
  expect_identical(rule$together("better", "not reproduced", "undecided"), "not reproduced")
  expect_identical(rule$together("reproduced", "undecided"), "undecided")
  expect_identical(rule$together("reproduced", "not comparable"), "reproduced")
  expect_identical(verdict(rule$claim_without_number(), 0.3), "not comparable")
  expect_error(rule$together("the same course"))
})
