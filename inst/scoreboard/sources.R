# Which code of the core a results file of the vignettes was computed with; base R only. Times and
# memory are those of this code, and are void when it has changed; other numbers are computed again
# by tools/check-results.sh. The scripts of data-raw store the checksum of the code with each file,
# and vignette("scoreboard") compares it with that of the tree from which it is built.

#' The models of a results file, by the first part of its name; "core" is the whole core
models_of <- function(file) {
  first <- sub("[-.].*$", "", file)
  if (first %in% c("ivm", "ep", "meanfield", "online", "rvm", "greedy")) return(first)
  switch(sub("[.]csv$", "", file),
    "causes-heart" = , "causes-memory" = "ep",
    "causes-kernels" = , "causes-pixels" = "ivm",
    "causes-batch" = , "causes-evidence" = , "causes-falls" = , "causes-functions" = "rvm",
    "causes-bars" = , "causes-gradients" = , "causes-pivot" = "greedy",
    "causes-objective" = "meanfield",
    complexity = c("ivm", "ep", "greedy"),
    memory = c("ivm", "greedy", "rvm"),
    "core"
  )
}

# The kernels and likelihoods of the five papers, which no model includes by name.
families_of_papers <- c(
  file.path("kernel", "families", c("algebra", "constant", "polynomial", "rbf", "white")),
  file.path("likelihood", "families", c("gaussian", "logit", "probit"))
)

#' The files of a model: its own, the families of the papers, the headers that these include, and
#' the file with the body of each header, and so on
files_of_model <- function(model, core) {
  if (model == "core") return(list.files(core, "[.](h|cpp)$", recursive = TRUE))
  own <- list.files(file.path(core, "models", model), "[.](h|cpp)$", recursive = TRUE)
  open <- c(file.path("models", model, own), paste0(families_of_papers, ".cpp"))
  known <- character()
  while (length(open)) {
    known <- c(known, open)
    lines <- unlist(lapply(file.path(core, open), readLines, warn = FALSE))
    found <- sub('^#include "([^"]*)".*$', "\\1", grep('^#include "', lines, value = TRUE))
    found <- unique(c(found, sub("[.]h$", ".cpp", found)))
    open <- setdiff(found[file.exists(file.path(core, found))], known)
  }
  known
}

#' The lines of C++ files without comments and blanks
code_of <- function(files) {
  text <- vapply(files, function(file) paste(readLines(file, warn = FALSE), collapse = "\n"), "")
  text <- gsub("//[^\n]*", "", text)
  text <- gsub("(?s)/[*].*?[*]/", "", text, perl = TRUE)
  gsub("[[:space:]]+", " ", text)
}

#' The checksum of the code that a results file is computed with
checksum_of_sources <- function(file, core) {
  files <- sort(unique(unlist(lapply(models_of(file), files_of_model, core = core))),
    method = "radix"
  )
  written <- tempfile()
  on.exit(unlink(written))
  writeLines(c(files, code_of(file.path(core, files))), written)
  substr(unname(tools::md5sum(written)), 1L, 12L)
}

#' The results files whose times and memory are those of other code than that of a tree
#'
#' @param results The folder with SOURCES, which has the checksum and the name of each file; it is
#'   "none" for files in whose computation the core took no part.
void_times <- function(results, core) {
  lines <- strsplit(readLines(file.path(results, "SOURCES")), "  ", fixed = TRUE)
  stored <- vapply(lines, `[`, "", 1L)
  files <- vapply(lines, `[`, "", 2L)
  key <- vapply(files, function(file) toString(models_of(file)), "")
  now <- vapply(files[!duplicated(key)], checksum_of_sources, "", core = core)
  names(now) <- key[!duplicated(key)]
  files[stored != "none" & stored != now[key]]
}
