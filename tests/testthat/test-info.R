# What gpsieve_info() returns and prints, and the option that chooses the instruction set.

test_that("the information on the core lists every kernel and likelihood, and prints them", {
  info <- gpsieve_info(size = 20)
  expect_gt(info$gemm, 0)
  expect_gt(info$blas_gemm, 0)
  expect_true(all(c("rbf", "matern", "linear") %in% info$kernels))
  printed <- capture.output(expect_invisible(print(info)))
  expect_match(printed[1], info$version, fixed = TRUE)
  expect_match(printed[1], info$isa, fixed = TRUE)
  said <- paste(printed, collapse = " ")
  for (name in c(info$kernels, info$likelihoods)) expect_match(said, name, fixed = TRUE)
})

test_that("an unknown instruction set is ignored with a warning when R loads the package", {
  load_with <- function(isa) {
    before <- options(gpsieve.isa = isa)
    on.exit(options(before))
    asNamespace("gpsieve")$.onLoad(NULL, "gpsieve")
  }
  now <- gpsieve_info(size = 2)$isa
  expect_warning(load_with("abacus"), "must be one of")
  expect_warning(load_with(2), "must be one of")
  expect_no_warning(load_with(now))
  expect_identical(gpsieve_info(size = 2)$isa, now)
})
