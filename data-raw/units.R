# Long experiments in parts, which the scripts of this folder share.
#
# A script names its store by `open_store()`. Every part of its work is then the value of a call of
# `unit()`, which is kept in a file of the store and is not computed again by the same build of the
# package. A script that was stopped can therefore be continued. All results files are written by
# `store_results()`.

results_folder <- file.path("vignettes", "results")

#' The folder of finished units: one for each script and each build of the package
open_store <- function(script, quick = FALSE) {
  build <- tools::md5sum(c(
    getLoadedDLLs()[["gpsieve"]][["path"]], system.file("R", "gpsieve.rdb", package = "gpsieve")
  ))
  build <- paste(c(if (quick) "quick", substr(build, 1L, 8L)), collapse = "-")
  store <- file.path("build", script, build)
  dir.create(store, recursive = TRUE, showWarnings = FALSE)
  store
}

unit_file <- function(store, name) file.path(store, paste0(name, ".rds"))

#' The stored value of `compute()`, or a new one if no value has been stored
unit <- function(store, name, compute) {
  file <- unit_file(store, name)
  if (!file.exists(file)) {
    value <- compute()
    partial <- paste0(file, ".part")
    saveRDS(value, partial)
    file.rename(partial, file) # so that a run that is stopped leaves no incomplete file
    cat(name, "\n")
  }
  readRDS(file)
}

#' Writes a results file of the vignettes, with five significant digits, and its checksum
#'
#' The file of checksums lets `tools/check-numbers.sh` see that no results file was edited by hand.
store_results <- function(table, name) {
  dir.create(results_folder, recursive = TRUE, showWarnings = FALSE)
  numbers <- vapply(table, is.double, NA)
  table[numbers] <- lapply(table[numbers], signif, 5)
  utils::write.csv(table, file.path(results_folder, name), row.names = FALSE)
  store_checksum(name)
}

#' The line of a results file in the list that `md5sum --check` reads
store_checksum <- function(name) {
  list <- file.path(results_folder, "MD5SUMS")
  lines <- if (file.exists(list)) readLines(list) else character()
  others <- lines[substring(lines, 35) != name]
  line <- paste0(tools::md5sum(file.path(results_folder, name)), "  ", name)
  lines <- c(others, line)
  writeLines(lines[order(substring(lines, 35), method = "radix")], list)
}
