# How tests compare numbers.

# Every |actual - expected| is below tolerance * scale, names and dimensions aside. The scale is the
# unit in which the tolerance counts:
#
#   1          the numbers are of order one by nature: probabilities, standardised functions
#   "largest"  the largest |expected|: the numbers belong together and are right as a whole
#   "each"     its own |expected|: small ones must be right as well
#   "mixed"    the larger of 1 and its own |expected|: log evidences and their gradients
expect_close <- function(actual, expected, tolerance = 1e-8, scale = 1) {
  actual <- as.vector(actual)
  expected <- as.vector(expected)
  unit <- switch(as.character(scale),
    "1" = 1,
    largest = max(abs(expected)),
    each = abs(expected),
    mixed = pmax(1, abs(expected)),
    stop("unknown scale ", scale)
  )
  label <- sprintf("largest difference in units of scale \"%s\"", scale)
  expect_lt(max(abs(actual - expected) / unit), tolerance, label = label)
}

# Says which of several cases an expectation was about, where it fails.
with_label <- function(expectation, label) {
  withCallingHandlers(expectation, expectation_failure = function(e) message("case: ", label))
}

# Learning that is stopped after a moment, or that finds no function or no maximum in odd data, says
# so; for tests that are about something else.
whatever_it_learns <- function(code) {
  suppressWarnings(code,
    classes = paste0("gpsieve_warning_", c("convergence", "no_signal", "bound", "little_data"))
  )
}

# Fails, and does not stop the test, on a raw error.
refuse <- function(code, class = "argument") {
  caught <- tryCatch(code, error = identity)
  expect_s3_class(caught, paste0("gpsieve_error_", class))
}
