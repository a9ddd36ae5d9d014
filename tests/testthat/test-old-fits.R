# Fits that earlier versions saved are read and predict as they did. fixtures/make-fits.R made them.

for (file in list.files("fixtures", "^fits-.*[.]rds$")) {
  stored <- readRDS(file.path("fixtures", file))
  for (case in names(stored)) {
    test_that(paste0(file, ", ", case, ": the saved fit predicts what it predicted"), {
      old <- stored[[case]]
      # Bits differ between processors with and without fused multiply-add.
      expect_equal(all_predictions(old$fit, old$new), old$predictions, tolerance = 1e-10)
    })
    test_that(paste0(file, ", ", case, ": the saved fit prints and summarises"), {
      expect_output(print(stored[[case]]$fit))
      expect_accepted(summary(stored[[case]]$fit))
    })
    test_that(paste0(file, ", ", case, ": what the saved fit lacks is asked for"), {
      fit <- stored[[case]]$fit
      expect_error(fitted(fit), "earlier version", class = "gpsieve_error_argument")
      expect_error(update(fit), class = "gpsieve_error_argument")
    })
  }
}
