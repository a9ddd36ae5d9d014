# Runs code in a process that can write no file of more than `kilobytes`; returns what it prints.
print_on_full_disk <- function(code, kilobytes = 8) {
  script <- withr::local_tempfile(fileext = ".R")
  writeLines(deparse(code), script)
  limited <- sprintf("trap '' XFSZ; ulimit -f %d; exec %s %s 2>&1", 2 * kilobytes,
    shQuote(file.path(R.home("bin"), "Rscript")), shQuote(script)
  )
  system2("sh", c("-c", shQuote(limited)), stdout = TRUE)
}
