# Boosted trees of Debian's python3-xgboost and python3-sklearn, fitted in a process of their own
# by bench/boosting.py.

#' The Python that has a module, NULL if there is none
python_with <- function(module) {
  for (python in unique(c(Sys.which("python3"), "/usr/bin/python3"))) {
    if (!nzchar(python) || !file.exists(python)) next
    status <- system2(python, c("-c", shQuote(paste("import", module))),
      stdout = FALSE, stderr = FALSE
    )
    if (status == 0) return(python)
  }
  message(module, " for Python is not installed, its engine is left out")
  NULL
}

#' Columns of numbers as trees take them: the levels of ordered factors as numbers, an indicator for
#' each level of other factors
tree_columns <- function(x) {
  ordered <- vapply(x, is.ordered, NA)
  x[ordered] <- lapply(x[ordered], as.integer)
  factors <- vapply(x, is.factor, NA)
  whole <- lapply(x[factors], stats::contrasts, contrasts = FALSE)
  stats::model.matrix(~ . - 1, x, contrasts.arg = if (any(factors)) whole)
}

#' list(said, measured): what trees say about the test rows, a matrix of probabilities or numbers,
#' and list(cpu, wall, peak) of the fit
run_boosting <- function(data, name, python) {
  folder <- tempfile("boosting-")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  store <- function(numbers, file) writeBin(as.double(numbers), file.path(folder, file))
  x <- tree_columns(as.data.frame(data$x))
  # A class without rows is unknown to the trees.
  classes <- if (is.factor(data$y)) levels(droplevels(data$y))
  store(x, "train_x")
  store(if (is.null(classes)) data$y else match(data$y, classes) - 1, "train_y")
  store(tree_columns(as.data.frame(data$test_x)), "test_x")
  jsonlite::write_json(list(
    rows = nrow(x), columns = ncol(x), classes = length(classes), test_rows = nrow(data$test_x)
  ), file.path(folder, "task.json"), auto_unbox = TRUE)
  script <- normalizePath(file.path(here, "boosting.py"))
  status <- system2(python, c(shQuote(script), shQuote(folder), name), env = "OMP_NUM_THREADS=1")
  if (status != 0) stop(name, " failed", call. = FALSE)
  said <- readBin(file.path(folder, "said"), "double", nrow(data$test_x) * max(1, length(classes)))
  if (!is.null(classes)) {
    known <- matrix(said, ncol = length(classes), dimnames = list(NULL, classes))
    said <- matrix(0, nrow(known), nlevels(data$y), dimnames = list(NULL, levels(data$y)))
    said[, classes] <- known
  }
  list(said = said, measured = jsonlite::read_json(file.path(folder, "measured.json")))
}
