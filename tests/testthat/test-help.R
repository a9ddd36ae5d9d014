# Help pages that a reader meets first are short.

test_that("the help page of gpsieve() has at most 900 words", {
  page <- tools::Rd_db("gpsieve")[["gpsieve.Rd"]]
  text <- utils::capture.output(tools::Rd2txt(page, options = list(underline_titles = FALSE)))
  # Words are what stands between spaces in the page as R shows it, usage and examples included.
  words <- unlist(strsplit(text, "[[:space:]]+"))
  expect_lte(sum(nzchar(words)), 900L)
})
