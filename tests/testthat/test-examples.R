# The example scripts run from their first to their last line, each in an environment of its own.

test_that("every example runs", {
  skip_if(!nzchar(Sys.getenv("GPSIEVE_EXTENDED")), "part of the extended tests")
  withr::local_pdf(NULL)
  scripts <- list.files(system.file("examples", package = "gpsieve"), "[.]R$", full.names = TRUE)
  expect_length(scripts, 32)
  for (script in scripts) {
    ran <- tryCatch(
      {
        capture.output(source(script, local = new.env(), echo = FALSE, print.eval = TRUE))
        "ran"
      },
      error = conditionMessage
    )
    expect_identical(ran, "ran", label = basename(script))
  }
})
