library(testthat)
library(gpsieve)

# CRAN's machines have little time: there the laws and the messages of every model, reference
# values, kernels and likelihoods are tested. Everywhere else NOT_CRAN is set, and all tests run.
on_cran <- !identical(Sys.getenv("NOT_CRAN"), "true")
themes <- c(
  "laws", "^rvm-edges$", "^(ep|greedy|ivm|meanfield|online)-golden$", "^bad-(input|newdata)$",
  "^kernel", "^likelihood$", "^standardise$", "^first-steps$", "^near-names$",
  "^conformance-table$"
)
test_check("gpsieve", filter = if (on_cran) paste(themes, collapse = "|"))
