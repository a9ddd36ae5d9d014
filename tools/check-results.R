# Computes the first unit of the results files again, for tools/check-results.sh: runs each script
# of data-raw up to its first_units() (data-raw/units.R) and prints a line for each file,
#
#   agrees file: so many numbers        to the five digits that are stored
#   differs file: what                  the first number that differs
#   skipped script: why                 data or packages that are not there
#   failed script: why                  it does not run
#
#   ls data-raw/*.R | Rscript tools/check-results.R

suppressPackageStartupMessages(library(gpsieve))

# The scripts write into the global environment.
local({
  # What is another number each time: times, memory and rates.
  measured <- "^(cpu|seconds|elapsed|wall|call|training|peak|base|gflops|work|traffic|total)"

  #' Do two numbers agree in the digits that are stored, but for one unit of the last?
  agree <- function(a, b) {
    unit <- 10^(floor(log10(pmax(abs(b), 1e-300))) - 4)
    (is.na(a) & is.na(b)) | (!is.na(a) & !is.na(b) & (a == b | abs(a - b) <= 1.01 * unit))
  }

  #' Compares recomputed rows with the stored ones: the first that have the same text in all columns
  #' of text
  compare_rows <- function(name, rows) {
    stored <- utils::read.csv(file.path("vignettes", "results", name), stringsAsFactors = FALSE)
    rows <- rows[intersect(names(stored), names(rows))]
    is_factor <- vapply(rows, is.factor, NA)
    rows[is_factor] <- lapply(rows[is_factor], as.character)
    keys <- names(rows)[vapply(stored[names(rows)], is.character, NA)]
    key <- function(table) {
      values <- do.call(paste, c(table[keys], list(""), sep = "\r"))
      paste(values, stats::ave(seq_along(values), values, FUN = seq_along))
    }
    place <- match(key(rows), key(stored))
    if (anyNA(place)) return(cat("differs ", name, ": a row is not stored\n", sep = ""))
    compared <- setdiff(names(rows), c(keys, grep(measured, names(rows), value = TRUE)))
    compared <- Filter(function(column) is.numeric(rows[[column]]), compared)
    for (column in compared) {
      here <- signif(as.numeric(rows[[column]]), 5)
      there <- as.numeric(stored[[column]][place])
      off <- which(!agree(here, there))
      if (length(off)) {
        return(cat(sprintf("differs %s: %s is %s, %s is stored, in row %d\n", name, column,
          format(here[off[1L]], digits = 5), format(there[off[1L]], digits = 5), place[off[1L]]
        )))
      }
    }
    cat(sprintf("agrees %s: %d numbers\n", name, nrow(rows) * length(compared)))
  }
  #' The line of a script that an error ended
  why_it_ended <- function(script, e) {
    needs_data <- any(grepl("tools/data.R|GPSIEVE_DATA", readLines(script)))
    lacks <- c(
      if (needs_data && !nzchar(Sys.getenv("GPSIEVE_DATA"))) "GPSIEVE_DATA is not set",
      if (inherits(e, "packageNotFoundError") || grepl("no package called", conditionMessage(e))) {
        "a package is not installed"
      }
    )
    said <- if (length(lacks)) lacks[1L] else strsplit(conditionMessage(e), "\n")[[1L]][1L]
    sprintf("%s %s: %s", if (length(lacks)) "skipped" else "failed", script, said)
  }

  #' The lines of a script, run in a process of its own up to its first_units(), and the CPU seconds
  check_script <- function(script) {
    lines <- character()
    options(gpsieve.first_units = function(name, rows) {
      force(rows) # may print
      lines <<- c(lines, utils::capture.output(compare_rows(name, rows)))
    })
    used <- system.time(
      said <- tryCatch(
        {
          utils::capture.output(
            suppressWarnings(suppressMessages(source(script, local = FALSE))), file = nullfile()
          )
          sprintf("failed %s: it has no first_units()", script)
        },
        first_units_done = function(ended) NULL,
        error = function(e) why_it_ended(script, e)
      )
    )
    if (!is.null(said)) lines <- c(lines, said)
    list(lines = lines, cpu = used[["user.self"]] + used[["sys.self"]])
  }

  # The scripts read arguments of their own, so that their names come as lines.
  for (script in readLines(file("stdin"))) {
    found <- parallel::mccollect(parallel::mcparallel(check_script(script)))[[1L]]
    writeLines(found$lines)
    message(sprintf("%s: %.1f CPU seconds", script, found$cpu))
  }
})
