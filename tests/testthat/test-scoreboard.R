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
})

test_that("where both sides have a standard error, the two errors add as independent ones", {
  expect_identical(verdict(value("1.54", se = 0.02), runs_with(1.58, 0.005)), "reproduced")
  # Half widths of 0.0226 and 0.0392 and a rounding of 0.005: together 0.0502, their sum is 0.0668.
  both <- function(mean) verdict(value("1.54", se = 0.02), runs_with(mean, 0.01))
  expect_identical(both(1.59), "reproduced")
  expect_identical(both(1.60), "not reproduced")
  # The spread of the runs here stands for that of the ten runs of the paper.
  own <- function(mean) verdict(value("1.54", runs = 10), runs_with(mean, 0.01))
  expect_identical(own(1.57), "reproduced")
  expect_identical(own(1.58), "not reproduced")
  expect_identical(verdict(value("1.54"), runs_with(1.57, 0.01)), "not reproduced")
})

test_that("a number is better only where its peer on the same rows is not", {
  beside <- function(here, peer) {
    verdict(
      value("0.18", better = "smaller", peer = list(printed = "0.22", found = peer)), here
    )
  }
  here <- runs_with(0.12, 0.002)
  expect_identical(beside(here, runs_with(0.22, 0.002)), "better")
  expect_identical(beside(here, runs_with(0.30, 0.002)), "better")
  # Both are lower by 0.06: the rows are easier, and the difference is the paper's.
  expect_identical(beside(here, here + 0.04), "reproduced")
  # The peer is lower by more: here the order is another one.
  expect_identical(beside(here, here - 0.02), "not reproduced")
  expect_identical(beside(runs_with(0.25, 0.002), here), "not reproduced")
})

test_that("standard deviations of ten runs are compared by their ratio", {
  spread <- function(sd) {
    verdict(rule$claim_spread("0.0417", 10), rule$spread_of(runs_with(1.5, sd / sqrt(10))))
  }
  expect_identical(spread(0.0438), "reproduced")
  expect_identical(spread(0.0417 * 1.9), "reproduced")
  # The ratio 2.1 is beyond the 0.975 quantile of F, 2.01, of nine degrees of freedom each.
  expect_identical(spread(0.0417 * 2.1), "not reproduced")
  expect_identical(spread(0.0417 / 2.1), "not reproduced")
})

test_that("members of a population are no sample of it", {
  # Members far apart, each known well.
  members <- list(runs_with(-0.1, 0.002), runs_with(-0.01, 0.001), runs_with(0.02, 0.002))
  found <- rule$mean_over(members)
  expect_equal(found$mean, mean(c(-0.1, -0.01, 0.02)))
  expect_equal(found$se, sqrt(0.002^2 + 0.001^2 + 0.002^2) / 3)
  # Two errors of equal size on nine degrees of freedom each have 18 together.
  expect_equal(rule$mean_over(list(runs_with(0, 1), runs_with(1, 1)))$df, 18)
  expect_identical(verdict(rule$claim_below(), found), "reproduced")
  expect_identical(verdict(rule$claim_below(), vapply(members, mean, 0)), "undecided")
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

test_that("a row that could not have failed cannot be told", {
  # The paper's own interval, 0.01 and 0.0196, holds zero: no number of runs here tells.
  loose <- value("0.02", half = 0.01, se = 0.01)
  expect_identical(verdict(loose, runs_with(0.02, 0.001)), "cannot be told")
  expect_identical(verdict(loose, runs_with(0.02, 0.03)), "cannot be told")
  # What contradicts has failed.
  expect_identical(verdict(loose, runs_with(0.08, 0.001)), "not reproduced")
  # Here it is the interval of the runs that holds zero, and more of them would tell.
  near_zero <- value("0.05", half = 0.02, resolution = 0.05)
  expect_identical(verdict(near_zero, runs_with(0.05, 0.02)), "cannot be told")
  expect_identical(verdict(near_zero, runs_with(0.05, 0.03)), "undecided")
  expect_identical(verdict(near_zero, runs_with(0.05, 0.005)), "reproduced")
  # A zero that the paper prints can fail, and a logarithm has none.
  expect_identical(verdict(value("0.00", 0.01, resolution = 0.01), runs_with(0, 0.001)),
    "reproduced")
  expect_identical(verdict(rule$claim_spread("0.98", 10), rule$spread_of(runs_with(0, 0.3))),
    "reproduced")
  expect_identical(verdict(rule$claim_by_construction(), 0), "cannot be told")
  expect_identical(rule$together("cannot be told", "reproduced"), "reproduced")
  expect_identical(rule$together("cannot be told", "not comparable"), "cannot be told")
})

test_that("nothing has to be known better than the paper knows it", {
  found <- runs_with(0.1, 0.008)
  expect_identical(verdict(value("0.11"), found), "undecided")
  expect_identical(verdict(value("0.11", se = 0.011), found), "reproduced")
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
  # A margin that the paper itself does not know well is not ruled out.
  expect_identical(verdict(rule$claim_below(0.08, se = 0.03), runs_with(-0.01, 0.02)), "undecided")
  expect_identical(verdict(rule$claim_below(0.08, runs = 5), runs_with(-0.01, 0.02)), "undecided")
  expect_identical(verdict(rule$claim_below(0.08, half = 0.03), runs_with(-0.01, 0.02)),
    "undecided")
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

test_that("what many rows say is said once, and the rows keep their numbers", {
  notes <- new.env()
  sys.source(system.file("scoreboard", "notes.R", package = "gpsieve", mustWork = TRUE), notes)
  texts <- c(
    paste0("step ", c(652, 652, 67, 7), " of 701; LIBSVM; alone"[c(1, 1, 1, 1)]),
    "LIBSVM; error 0.144 \u00b1 0.006", "LIBSVM"
  )
  found <- notes$with_notes(texts)
  expect_identical(found$notes, c(
    "* [a] step \u2026 of 701.", "* [b] LIBSVM.", "* [c] alone."
  ))
  expect_identical(found$texts[c(1, 4)], c("[a] 652; [b]; [c]", "[a] 7; [b]; [c]"))
  expect_identical(found$texts[5:6], c("[b]; error 0.144 \u00b1 0.006", "[b]"))
  # Three rows may say the same.
  few <- rep("LIBSVM; one run", 3)
  expect_identical(notes$with_notes(few), list(texts = few, notes = character()))
})
