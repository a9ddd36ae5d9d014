# Writes the parts of RESULTS.md and results/README.md that come from stored results, and those of
# CASES.md that come from the cases, between lines
#
#   <!-- begin NAME -->  and  <!-- end NAME -->
#
#   Rscript bench/readme.R            writes them (make bench-table)
#   Rscript bench/readme.R --check    ends with status 1 if they are not what would be written

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(here, "sources.R"))

result_files <- sort(Sys.glob(file.path(here, "results", "*.json")))

#' The results that a case wrote, or NULL where it has not been run
results_of <- function(case) {
  file <- file.path(here, "results", paste0(case, ".json"))
  if (file.exists(file)) read_results(file)
}

#' The rows of all results, medians over the seeds of a file; only rows of one file are compared
all_rows <- function() {
  tables <- lapply(result_files, function(file) {
    rows <- read_results(file)$rows
    if (!is.null(rows)) cbind(medians(rows), file = basename(file))
  })
  columns <- unique(unlist(lapply(tables, names)))
  do.call(rbind, lapply(Filter(Negate(is.null), tables), function(rows) {
    rows[setdiff(columns, names(rows))] <- NA
    rows[columns]
  }))
}

# --- this package beside others ----------------------------------------------------------------

# The engines that represent this package in a case.
own_representatives <- list(
  "ivm-mnist9" = "ivm", "ivm-table1" = "ivm", "ivm-letter" = "ivm d=500 refine=3",
  "mf-spam" = "tap",
  "rvm-mackeyglass" = c("ssem", "ssem, 2 sweeps"), "sep-peers" = c("ep", "sep"),
  "sep-flights" = "sep, 1 epoch", "many-rows" = "gpsieve", "other-rows" = "gpsieve",
  corners = c("greedy_gp", "meanfield_gp", "rvm", "ivm", "online_gp")
)
peer_engines <- c(
  "svm", "svm, default call", "svm, cache 650 MB", "svm, Platt", "gausspr", "csi 200", "kernlab",
  "gplite", "gplite, OpenBLAS", "glm", "bam", "xgboost", "histogram"
)

#' The algorithms of this package that are compared with each other
own_comparisons <- list(
  "rvm-mnist1" = list(c("ssem tap", "batch em tap"), c("ssem laplace", "batch em laplace"),
    c("ssem laplace, em rule", "batch laplace, em rule")
  ),
  "rvm-fig3" = list(c("ssem", "batch em"))
)

#' A table with a row for each pair of an engine of this package and another on the same problem
comparison_table <- function(rows) {
  pairs <- do.call(rbind, c(
    lapply(names(own_representatives), pairs_with_peers, rows = rows),
    lapply(names(own_comparisons), pairs_of_own, rows = rows)
  ))
  ours <- rows[pairs$ours, ]
  other <- rows[pairs$other, ]
  markdown_table(data.frame(
    check.names = FALSE, case = ours$case, problem = ours$problem, gpsieve = ours$engine,
    "CPU s" = decimals(ours$cpu, 2), result = accuracy(ours), other = other$engine,
    "CPU s " = decimals(other$cpu, 2), "result " = accuracy(other),
    "other / gpsieve" = signif(other$cpu / ours$cpu, 2), "share of product rate" = rate_share(ours)
  ))
}

pairs_with_peers <- function(case, rows) {
  of_case <- which(rows$case == case)
  ours <- of_case[rows$engine[of_case] %in% own_representatives[[case]]]
  others <- of_case[rows$engine[of_case] %in% peer_engines]
  grid <- expand.grid(other = others, ours = ours)
  place <- paste(rows$file, rows$problem)
  grid[place[grid$ours] == place[grid$other], c("ours", "other")]
}

pairs_of_own <- function(case, rows) {
  of_case <- which(rows$case == case)
  do.call(rbind, lapply(own_comparisons[[case]], function(engines) {
    ours <- of_case[rows$engine[of_case] == engines[1L]]
    other <- of_case[rows$engine[of_case] == engines[2L]]
    data.frame(ours, other = other[match(rows$problem[ours], rows$problem[other])])
  }))
}

#' Error or RMSE, and log loss, where there are any
accuracy <- function(rows) {
  error <- ifelse(is.na(rows$error), "", paste(percent(rows$error), "%"))
  error <- ifelse(is.na(rows$rmse), error, paste("RMSE", signif(rows$rmse, 3)))
  ifelse(is.na(rows$log_loss), error, paste0(error, ", ", decimals(rows$log_loss, 3)))
}

#' The rate of the operations that were counted, over the core's rate of products; where they were
#' not counted the share of the CPU time in the register tiles of products, if it was sampled
rate_share <- function(rows) {
  counted <- rows$gflop / rows$cpu / rows$gflops_core
  sampled <- rows[["share of register tiles of products"]]
  if (is.null(sampled)) sampled <- NA
  decimals(ifelse(is.na(counted), sampled, counted), 2)
}

# --- linear algebra ----------------------------------------------------------------------------

#' Rates of the widest instruction set at size 1000 and beside Eigen
linalg_table <- function(rates) {
  alone <- rates[rates$blas == "", ]
  of <- function(case, engine, size) {
    alone$rate[match(paste(case, engine, size), paste(alone$case, alone$engine, alone$size))]
  }
  product <- of("gemm", "avx512", 1000)
  cells <- lapply(unique(alone$case), function(case) {
    own <- alone[alone$case == case & alone$engine == "avx512", ]
    over <- own$rate / of(case, "Eigen", own$size)
    rate <- of(case, "avx512", 1000)
    data.frame(
      check.names = FALSE, case = case, "rate at size 1000" = decimals(rate, 1),
      "over that of gemm" = if (case == "exp") "" else decimals(rate / product, 2),
      "over Eigen" = decimals(rate / of(case, "Eigen", 1000), 2),
      "least over Eigen" = sprintf("%.2f (size %.0f)", min(over), own$size[which.min(over)])
    )
  })
  markdown_table(do.call(rbind, cells))
}

# --- growth, threads, profiles, compilation ----------------------------------------------------

growth_markdown <- function(results) {
  if (is.null(results)) return("Not measured.")
  slopes <- scaling_slopes(medians(results$rows))
  code <- function(expression) {
    paste0("`", gsub(" +", " ", paste(deparse(expression), collapse = "")), "`")
  }
  formulas <- data.frame(
    check.names = FALSE, model = names(scaling_models),
    "multiply-adds" = vapply(scaling_models, function(model) code(model$cost), ""),
    bytes = vapply(scaling_models, function(model) code(model$memory), "")
  )
  measured <- data.frame(
    check.names = FALSE, model = slopes$model, varied = slopes$varied, values = slopes$values,
    "CPU s" = slopes$seconds, "exponent of CPU" = decimals(slopes$cpu, 2),
    "by the formula" = decimals(slopes$cpu_formula, 2),
    "exponent of memory" = decimals(slopes$memory, 2),
    "by the formula " = ifelse(is.na(slopes$memory), "", decimals(slopes$memory_formula, 2))
  )
  c(markdown_table(formulas), "", markdown_table(measured))
}

estimates_markdown <- function(results) {
  if (is.null(results)) return("Not measured.")
  markdown_table(estimate_table(medians(results$rows)))
}

threads_markdown <- function(results) {
  if (is.null(results)) return("Not measured.")
  shares <- thread_shares(results$rows)
  markdown_table(data.frame(
    check.names = FALSE, fit = shares$problem, "CPU s" = decimals(shares$cpu, 1),
    "serial share" = decimals(shares$share, 3), "2 threads" = decimals(shares$two, 2),
    "16 threads" = decimals(shares$sixteen, 1), "64 threads" = decimals(shares$sixtyfour, 1)
  ))
}

#' A column for every profiled fit
profile_markdown <- function(rows) {
  parts <- profile_columns()
  if (!all(parts %in% names(rows))) return("Not measured.")
  rows <- rows[!is.na(rows[[parts[1L]]]) & !rows$engine %in% peer_engines, ]
  shares <- t(100 * as.matrix(rows[parts]))
  cells <- data.frame(names(profile_parts), formatC(shares, 0, format = "f"))
  fits <- sprintf("%s, %s (%.1f s)", rows$problem, rows$engine, rows$cpu)
  names(cells) <- c("% of the CPU time of", fits)
  markdown_table(cells)
}

compile_markdown <- function() {
  file <- file.path(here, "results", "compile.json")
  if (!file.exists(file)) return("Not measured.")
  results <- jsonlite::fromJSON(file)
  units <- results$compiled
  largest <- which.max(units$peak_mb)
  sprintf(paste(
    "Compiling the %d units of the package with R's default flags (%s, no ccache) took %.0f CPU",
    "seconds; the largest process, of unit `%s`, had %.0f MiB."
  ), nrow(units), results$compiler, sum(units$cpu), units$unit[largest], units$peak_mb[largest])
}

# --- default calls by the shape of the data ------------------------------------------------------

peer_of_shapes <- "svm, Platt"
# No default call should take more than so many times the peer and more than so many seconds.
most_times_peer <- 5
most_seconds <- 60

#' A row for every shape and a column for every engine, of a column of the results
by_shape <- function(rows, column, digits) {
  engines <- unique(rows$engine)
  shapes <- unique(rows$problem)
  at <- outer(shapes, engines, function(shape, engine) {
    match(paste(shape, engine), paste(rows$problem, rows$engine))
  })
  cells <- matrix(decimals(rows[[column]][at], digits), length(shapes))
  colnames(cells) <- engines
  markdown_table(data.frame(check.names = FALSE, "rows x columns, response" = shapes, cells))
}

#' The default calls that are above both limits, in words
above_limits <- function(rows) {
  peer <- rows[rows$engine == peer_of_shapes, ]
  times <- rows$cpu / peer$cpu[match(rows$problem, peer$problem)]
  above <- which(times > most_times_peer & rows$cpu > most_seconds)
  if (!length(above)) {
    return(sprintf("No call took more than %d times LIBSVM and more than %d seconds.",
      most_times_peer, most_seconds
    ))
  }
  calls <- sprintf("`%s()` on %s (%.2f s, %.1f times)", rows$engine[above], rows$problem[above],
    rows$cpu[above], times[above]
  )
  sprintf("More than %d times LIBSVM and more than %d seconds: %s.", most_times_peer, most_seconds,
    paste(calls, collapse = "; ")
  )
}

shapes_markdown <- function(results) {
  if (is.null(results)) return("Not measured.")
  rows <- medians(results$rows)
  rows$loss <- ifelse(is.na(rows$rmse), rows$log_loss, rows$rmse)
  c("CPU seconds of the fit:", "", by_shape(rows, "cpu", 1), "",
    strwrap(above_limits(rows), 100), "",
    "Log loss on 2000 other rows, of numbers the RMSE:", "", by_shape(rows, "loss", 3)
  )
}

# --- the cases -----------------------------------------------------------------------------------

#' The command that makes the stored results of a case; all cases of linear algebra have one
command_of <- function(name) {
  linalg <- !is.null(cases[[name]]$rates)
  file <- if (name == "defaults") "inst/extdata/defaults.json" else
    sprintf("bench/results/%s.json", if (linalg) "linalg" else name)
  names <- if (linalg) names(linalg_cases) else name
  paste(c("    Rscript bench/run.R", names, cases[[name]]$flags, paste0("--json=", file)),
    collapse = " ")
}

#' A section for each case, and one for those of linear algebra together
cases_markdown <- function() {
  own <- setdiff(names(cases), names(linalg_cases))
  text <- lapply(own, function(name) {
    c(paste0("## ", name), "", strwrap(paste0(cases[[name]]$about, "."), 100), "",
      command_of(name), "", strwrap(cases[[name]]$shows, 100), "")
  })
  linalg <- c(paste("##", toString(names(linalg_cases))), "",
    sprintf("* `%s`: %s.", names(linalg_cases), linalg_cases), "",
    command_of(names(linalg_cases)[1L]), "", strwrap(linalg_shows, 100))
  c(unlist(text), linalg)
}

# --- the file ----------------------------------------------------------------------------------

sections <- function() {
  rows <- all_rows()
  defaults <- file.path(here, "..", "inst", "extdata", "defaults.json")
  list(
    comparison = comparison_table(rows),
    linalg = linalg_table(results_of("linalg")$rates),
    compile = strwrap(compile_markdown(), 100),
    growth = growth_markdown(results_of("scaling")),
    estimates = estimates_markdown(results_of("memory")),
    threads = threads_markdown(results_of("threads")),
    profiles = profile_markdown(rows),
    shapes = shapes_markdown(results_of("shapes")),
    defaults = utils::capture.output(print_tables(defaults)),
    wider = utils::capture.output(print_tables(file.path(here, "results", "defaults-wider.json"))),
    fresh = utils::capture.output(
      print_tables(file.path(here, "results", "defaults-fresh.json"))
    ),
    tuned = markdown_calls(results_of("tuned-tables")$calls),
    kept = markdown_calls(results_of("kept-tables")$calls),
    calibration = calibration_markdown(results_of("calibration")),
    ablation = utils::capture.output(
      print_tables(file.path(here, "results", "choice-ablation.json"))
    )
  )
}

all_tables <- function() {
  files <- result_files[basename(result_files) != "compile.json"]
  list(tables = utils::capture.output(print_tables(files)))
}

#' The lines of a file with each section between its two markers replaced
with_sections <- function(lines, sections) {
  for (name in names(sections)) {
    begin <- which(lines == paste0("<!-- begin ", name, " -->"))
    end <- which(lines == paste0("<!-- end ", name, " -->"))
    if (length(begin) != 1L || length(end) != 1L || end < begin) {
      stop("the markers of section ", name, " are missing", call. = FALSE)
    }
    text <- sections[[name]]
    while (length(text) && text[length(text)] == "") text <- text[-length(text)]
    lines <- c(lines[seq_len(begin)], "", text, "", lines[end:length(lines)])
  }
  lines
}

#' Writes the sections into a file, or with --check says whether they stand there
write_sections <- function(file, sections) {
  lines <- readLines(file.path(here, file))
  written <- with_sections(lines, sections)
  if (!"--check" %in% commandArgs(TRUE)) {
    writeLines(written, file.path(here, file))
  } else if (!identical(lines, written)) {
    message("bench/", file, " is not what its results give: run make bench-table")
    quit(status = 1)
  }
}

write_sections("RESULTS.md", sections())
write_sections("results/README.md", all_tables())
write_sections("CASES.md", list(cases = cases_markdown()))
