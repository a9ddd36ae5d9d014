# CPU time and peak memory of every compiler process of an installation, with R's own flags:
#
#   Rscript bench/compile.R bench/results/compile.json
#
# Needs GNU time (/usr/bin/time). One process at a time, without ccache.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
file <- normalizePath(commandArgs(TRUE)[1L], mustWork = FALSE)
source(file.path(here, "report.R"))

#' The commands that R CMD INSTALL runs, without the user's Makevars
compile_commands <- function(sources) {
  old <- setwd(sources)
  on.exit(setwd(old))
  # LinkingTo of DESCRIPTION, which R CMD SHLIB does not read.
  folders <- vapply(c("Rcpp", "RcppEigen"), function(package) {
    paste0("-I", shQuote(system.file("include", package = package)))
  }, "")
  Sys.setenv(R_MAKEVARS_USER = "/dev/null", CLINK_CPPFLAGS = paste(folders, collapse = " "))
  lines <- system2(file.path(R.home("bin"), "R"),
    c("CMD", "SHLIB", "--dry-run", "-o", "gpsieve.so"), stdout = TRUE
  )
  lines <- grep("^unit=", lines, value = TRUE)
  stats::setNames(sub("^[^;]*; ", "", lines), sub("^unit=(.*)[.]o;.*", "\\1", lines))
}

measure_command <- function(unit, command, sources) {
  old <- setwd(sources)
  on.exit(setwd(old))
  command <- sub("${unit%.o}", unit, command, fixed = TRUE)
  log <- tempfile()
  status <- system(sprintf("/usr/bin/time -f '%%U %%S %%M' -o %s %s", log,
    sub("-o [^ ]+$", "-w -o /dev/null", command)
  ))
  if (status != 0) stop("failed: ", command, call. = FALSE)
  used <- scan(log, quiet = TRUE)
  data.frame(unit = basename(unit), cpu = used[1L] + used[2L], peak_mb = used[3L] / 1024)
}

sources <- file.path(here, "..", "src")
commands <- compile_commands(sources)
units <- do.call(rbind, Map(measure_command, names(commands), commands, sources))
rownames(units) <- NULL
print(units)
results <- list(machine = machine(), compiler = system("g++ --version", intern = TRUE)[1L],
  compiled = units
)
writeLines(jsonlite::toJSON(results, auto_unbox = TRUE, digits = 6, pretty = TRUE), file)
