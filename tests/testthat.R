library(testthat)
library(gpsieve)

# CRAN's machines have little time: there the laws and the messages of every model, reference
# values, kernels and likelihoods are tested. Everywhere else NOT_CRAN is set, and all tests run.
on_cran <- !identical(Sys.getenv("NOT_CRAN"), "true")
themes <- c(
  "^(ep|greedy|ivm|meanfield|online|rvm)-laws$", "^(ep|greedy|ivm|meanfield|online)-golden$",
  "^rvm-edges$", "^bad-(input|newdata)$",
  "^kernel(-(algebra|categorical|kinds|matrix|parameters|precomputed|units|warped))?$",
  "^likelihood$", "^standardise$", "^first-steps$", "^near-names$", "^conformance-table$"
)
test_check("gpsieve", filter = if (on_cran) paste(themes, collapse = "|"))
