# Predictions of exported models by a program that knows no R.

# Compiled when first asked for; NULL where there is no compiler of C++17.
predicting_program <- function() {
  if (!is.null(fit_shelf$predicting_program)) return(fit_shelf$predicting_program)
  r <- file.path(R.home("bin"), "R")
  config <- function(name) suppressWarnings(system2(r, c("CMD", "config", name), stdout = TRUE))
  compiler <- paste(config("CXX17"), config("CXX17STD"))
  suffix <- if (.Platform$OS.type == "windows") ".exe"
  program <- file.path(tempdir(), paste0("predict_rows", suffix))
  include <- system.file("include", package = "gpsieve")
  call <- paste(compiler, "-O1 -Wall -Wextra -Werror -I", shQuote(include), "-o", shQuote(program),
    shQuote(test_path("fixtures", "predict_rows.cpp")))
  status <- suppressWarnings(system(call, ignore.stdout = TRUE))
  if (status == 0) fit_shelf$predicting_program <- program
  fit_shelf$predicting_program
}

# What the program says about the rows: list(mean, variance, of, probability, level).
program_predicts <- function(fit, rows) {
  program <- predicting_program()
  if (is.null(program)) testthat::skip("there is no compiler of C++17")
  model <- withr::local_tempfile(fileext = ".json")
  table <- withr::local_tempfile(fileext = ".txt")
  export_model(fit, model)
  text <- vapply(rows, function(x) is.factor(x) || is.character(x), NA)
  cells <- lapply(rows, function(x) {
    if (is.factor(x) || is.character(x)) as.character(x)
    else ifelse(is.na(x), NA, sprintf("%.17g", as.double(x)))
  })
  lines <- do.call(paste, c(lapply(cells, function(x) ifelse(is.na(x), "NA", x)), sep = "\t"))
  writeLines(enc2utf8(c(paste(names(rows), collapse = "\t"),
    paste(ifelse(text, "text", "number"), collapse = "\t"), lines)), table, useBytes = TRUE)
  said <- suppressWarnings(
    system2(program, c(shQuote(model), shQuote(table)), stdout = TRUE, stderr = TRUE)
  )
  if (!is.null(attr(said, "status"))) stop(said)
  numbers <- as.matrix(utils::read.table(text = said, sep = "\t", na.strings = "",
    colClasses = "character"))
  numbers <- matrix(as.numeric(gsub("-?nan", "NaN", numbers)), nrow(numbers))
  latents <- length(fit$posteriors)
  at <- function(columns) numbers[, columns, drop = FALSE]
  list(
    link = at(seq_len(latents)), variance = at(latents + seq_len(latents)),
    mean = at(2L * latents + 1L)[, 1L], of_response = at(2L * latents + 2L)[, 1L],
    prob = at(seq_len(ncol(numbers) - 1L)[-seq_len(2L * latents + 2L)]),
    level = at(ncol(numbers))[, 1L]
  )
}

# The largest difference of two sets of numbers, as a share of the largest of them in a column.
largest_share <- function(found, wanted) {
  found <- as.matrix(found)
  wanted <- as.matrix(wanted)
  absent <- function(x) unname(is.na(x))
  if (!identical(absent(found), absent(wanted))) return(Inf)
  sizes <- apply(abs(wanted), 2L, max, na.rm = TRUE)
  max(sweep(abs(found - wanted), 2L, pmax(sizes, .Machine$double.xmin), "/"), na.rm = TRUE)
}

# The same answers from the program and from predict(), as largest shares.
program_agrees <- function(fit, rows, given = rows, ...) {
  found <- program_predicts(fit, given)
  link <- predict(fit, rows, type = "link", se.fit = TRUE, ...)
  shares <- c(link = largest_share(found$link, link$fit),
    variance = largest_share(found$variance, link$se.fit^2))
  response <- predict(fit, rows, ...)
  if (is.numeric(response)) return(c(shares, mean = largest_share(found$mean, response)))
  prob <- predict(fit, rows, type = "prob", ...)
  same <- identical(levels(response)[replace(found$level, found$level == 0, NA)],
    as.character(response))
  c(shares, prob = largest_share(found$prob, prob), class = if (same) 0 else Inf)
}
