library(testthat)
library(gpsieve)

# CRAN's machines have two minutes for this: the laws, the reference values and the messages of
# every model, kernels and likelihoods. Everywhere else NOT_CRAN is set, and all tests run.
on_cran <- !identical(Sys.getenv("NOT_CRAN"), "true")
themes <- c(
  "laws", "golden", "^contract$", "^bad-input$", "^kernel", "likelihood", "^memory$",
  "^standardise$", "^first-steps$", "^near-names$", "^old-fits$", "^conformance-table$"
)
test_check("gpsieve", filter = if (on_cran) paste(themes, collapse = "|"))
