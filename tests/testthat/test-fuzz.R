# Thousands of mutated calls and fits: each ends in an answer or in an error of this package. With
# GPSIEVE_EXTENDED=true; GPSIEVE_FUZZ_CASES cases for each model.

test_that("mutated calls and fits end in an answer or a classed error", {
  skip_if(Sys.getenv("GPSIEVE_EXTENDED") != "true", "GPSIEVE_EXTENDED is not \"true\"")
  cases <- as.integer(Sys.getenv("GPSIEVE_FUZZ_CASES", "10000"))
  for (model in names(model_specs())) {
    failures <- fuzz_failures(model, seq_len(cases))
    expect_identical(failures, stats::setNames(character(), character()), label = model)
  }
})
