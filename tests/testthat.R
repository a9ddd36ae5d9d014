library(testthat)
library(gpsieve)

# CRAN's machines have little time. What another compiler or processor could change is tested
# there: the laws and the reference values of every model, kernels and likelihoods. Messages and the
# checks of arguments are R's, the same everywhere; where NOT_CRAN is set, they and all other tests
# run too.
on_cran <- !identical(Sys.getenv("NOT_CRAN"), "true")
themes <- c(
  "^(ep|greedy|ivm|meanfield|online|rvm)-laws$", "^(ep|greedy|ivm|meanfield|online)-golden$",
  "^kernel-(algebra|categorical|kinds|matrix|parameters|units)$", "^likelihood$",
  "^standardise$", "^conformance-table$"
)
test_check("gpsieve", filter = if (on_cran) paste(themes, collapse = "|"))
