# Long experiments in parts, which the scripts of this folder share.
#
# A script names its store by `open_store()`. Every part of its work is then the value of a call of
# `unit()`, which is kept in a file of the store and is not computed again by the same build of the
# package. A script that was stopped can therefore be continued. All results files are written by
# `store_results()`. Before a script computes them it says by `first_units()` what the first rows
# of its files are, which tools/check-results.sh computes again.

results_folder <- file.path("vignettes", "results")

# The core of this tree, which `make install` has built: read when a script starts, because the tree
# may change while it runs.
core_version <- system2(file.path("tools", "core-version.sh"), stdout = TRUE)

# Likewise the code of a results file's model.
sys.source(file.path("inst", "scoreboard", "sources.R"), environment())
code_checksum <- local({
  copy <- file.path(tempfile("core-"), "core")
  dir.create(copy, recursive = TRUE)
  file.copy(list.files(file.path("src", "core"), full.names = TRUE), copy, recursive = TRUE)
  function(name) checksum_of_sources(name, copy)
})

#' The folder of finished units: one for each script and each build of the package, or one for all
#' builds where the package takes no part in what the script computes
open_store <- function(script, quick = FALSE, of_package = TRUE) {
  package <- if (of_package) {
    files <- c(
      getLoadedDLLs()[["gpsieve"]][["path"]], system.file("R", "gpsieve.rdb", package = "gpsieve")
    )
    substr(tools::md5sum(files), 1L, 8L)
  }
  build <- paste(c(if (quick) "quick", package, if (!of_package) "any"), collapse = "-")
  store <- if (is.null(checked_by())) file.path("build", script, build) else tempfile(script)
  dir.create(store, recursive = TRUE, showWarnings = FALSE)
  store
}

#' What compares first units with the stored ones, where tools/check-results.R runs the script
checked_by <- function() getOption("gpsieve.first_units")

#' The first rows of results files, by the names of the files; the expressions are evaluated by
#' tools/check-results.R only, which then ends the script
first_units <- function(...) {
  compare <- checked_by()
  if (is.null(compare)) return(invisible())
  rows <- as.list(substitute(list(...)))[-1L]
  for (name in names(rows)) compare(name, eval(rows[[name]], parent.frame()))
  signalCondition(structure(
    class = c("first_units_done", "condition"), list(message = "first units", call = NULL)
  ))
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
    if (is.null(checked_by())) cat(name, "\n")
  }
  readRDS(file)
}

#' Writes a results file of the vignettes, with five significant digits, its checksum and version
#'
#' The file of checksums lets `tools/check-numbers.sh` see that no results file was edited by hand,
#' that of versions says which results were computed by an older core.
#' @param version That of the results which the table repeats, where they were not computed here.
store_results <- function(table, name, version = core_version) {
  dir.create(results_folder, recursive = TRUE, showWarnings = FALSE)
  numbers <- vapply(table, is.double, NA)
  table[numbers] <- lapply(table[numbers], signif, 5)
  utils::write.csv(table, file.path(results_folder, name), row.names = FALSE)
  store_checksum(name, version)
}

#' The version of the core that computed the results of benchmark cases: this one, or the first that
#' is another
bench_version <- function(cases) {
  versions <- vapply(cases, function(case) {
    file <- file.path("bench", "results", paste0(case, ".json"))
    core <- jsonlite::fromJSON(file)$machine[["core"]]
    if (is.null(core)) "unknown" else core
  }, "")
  c(setdiff(versions, core_version), core_version)[1L]
}

#' The version of the core that computed a results file that is there
version_of_results <- function(name) {
  lines <- readLines(file.path(results_folder, "VERSIONS"))
  sub("  .*$", "", lines[sub("^\\S+  ", "", lines) == name])
}

#' The checksum and the version of a results file that has been written, and the checksum of the
#' code of the core that computed it, unless its results are those of an older core
store_checksum <- function(name, version = core_version) {
  store_line("MD5SUMS", name, tools::md5sum(file.path(results_folder, name)))
  store_line("VERSIONS", name, version)
  if (version == core_version) store_line("SOURCES", name, code_checksum(name))
  if (version == "none") store_line("SOURCES", name, "none")
}

#' The line of a results file in a list of two columns, of which `md5sum --check` reads one
store_line <- function(list, name, value) {
  list <- file.path(results_folder, list)
  lines <- if (file.exists(list)) readLines(list) else character()
  names <- sub("^\\S+  ", "", lines)
  lines <- c(lines[names != name], paste0(value, "  ", name))
  names <- c(names[names != name], name)
  writeLines(lines[order(names, method = "radix")], list)
}
