# Measures the package and other packages. README.md describes the cases.
#
#   Rscript bench/run.R CASE... [--quick] [--seeds=1,2,3] [--threads=1] [--only=text] [--json=file]
#                               [--largest=n] [--engines=a,b] [--cache=folder] [--profile]
#   Rscript bench/run.R --list             the cases
#   Rscript bench/run.R --table file...    results saved by --json, as Markdown tables
#
# Every engine runs in its own R process, so that its peak memory can be measured. The process reads
# the data from a file, measures the speed of matrix products, fits, and writes its result to a
# file. This script runs in both processes; the child process is called with --job=folder. The
# linear algebra cases run the program in core/ instead.

here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(FALSE), value = TRUE)[1L]))
source(file.path(here, "sources.R"))

# --- one engine, in the child ------------------------------------------------------------------

run_job <- function(folder) {
  job <- readRDS(file.path(folder, "job.rds"))
  engine <- cases[[job$case]]$engines(job$problem)[[job$engine]]
  data <- readRDS(file.path(folder, "data.rds"))
  suppressPackageStartupMessages(lapply(engine$packages, library, character.only = TRUE))
  rates <- gemm_rates()
  estimate <- if (!is.null(engine$estimate)) engine$estimate(data, job)
  end_profile <- if (isTRUE(job$profile)) start_profile()
  fitted <- measure(engine$fit(data, job))
  profile <- if (isTRUE(job$profile)) end_profile()
  if (!is.null(engine$measured)) {
    own <- engine$measured(fitted$value)
    fitted[names(own)] <- own
  }
  predicted <- measure(engine$predict(fitted$value, data))
  saveRDS(
    list(
      fit = fitted[c("cpu", "main", "wall", "peak", "base")], predict_cpu = predicted$cpu,
      profile = profile, estimate = estimate,
      prediction = predicted$value, rates = rates, size = engine$size(fitted$value),
      work = engine$work, stages = if (!is.null(engine$stages)) engine$stages(fitted$value)
    ),
    file.path(folder, "result.rds")
  )
}

# --- all engines of a case, in the parent ------------------------------------------------------

run_child <- function(job, data_file, blas = NULL) {
  # Threads that wait must not count as threads that compute.
  if (job$threads > 1L) Sys.setenv(OMP_WAIT_POLICY = "passive")
  folder <- tempfile("bench")
  dir.create(folder)
  on.exit(unlink(folder, recursive = TRUE))
  saveRDS(job, file.path(folder, "job.rds"))
  file.symlink(data_file, file.path(folder, "data.rds"))
  arguments <- c(shQuote(file.path(here, "run.R")), paste0("--job=", shQuote(folder)))
  preload <- if (!is.null(blas)) paste0(c("LD_PRELOAD=", "OPENBLAS_NUM_THREADS="), c(blas, 1))
  status <- system2(file.path(R.home("bin"), "Rscript"), arguments, env = as.character(preload))
  if (status != 0) stop("engine ", job$engine, " of ", job$case, " failed", call. = FALSE)
  readRDS(file.path(folder, "result.rds"))
}

#' The problems of a case, or those whose name matches `--only`
chosen_problems <- function(case, options) {
  problems <- case$problems(options$quick)
  if (is.null(options$only)) return(problems)
  Filter(function(problem) grepl(options$only, problem$name), problems)
}

#' The names of the engines, or of those that `--engines` lists
chosen_engines <- function(engines, options) {
  if (is.null(options$engines)) return(names(engines))
  intersect(strsplit(options$engines, ",")[[1L]], names(engines))
}

#' @param keep A function that is called with the rows so far after every engine.
run_case <- function(name, options, keep) {
  case <- cases[[name]]
  lacking <- Filter(function(package) !requireNamespace(package, quietly = TRUE), case$packages)
  if (length(lacking)) {
    message(name, ": skipped, needs ", toString(lacking))
    return(NULL)
  }
  seeds <- if (is.null(options$seeds)) case$seeds else options$seeds
  rows <- list()
  for (seed in seeds) {
    results <- list()
    for (problem in chosen_problems(case, options)) {
      data <- case$data(problem, seed)
      if (is.null(data)) {
        message(name, ": skipped")
        return(NULL)
      }
      file <- tempfile(fileext = ".rds")
      saveRDS(data, file, compress = FALSE)
      engines <- case$engines(problem)
      for (engine in chosen_engines(engines, options)) {
        replaces_blas <- !is.null(engines[[engine]]$blas)
        blas <- if (replaces_blas) engines[[engine]]$blas()
        if (replaces_blas && is.null(blas)) next
        job <- list(
          case = name, problem = problem, engine = engine, seed = seed, threads = options$threads,
          profile = options$profile
        )
        result <- run_child(job, file, blas)
        row <- result_row(job, data, result)
        for (part in c(stage_rows(row, result$stages), list(row))) {
          print_row(part, first = !length(rows))
          rows <- c(rows, list(part))
        }
        keep(do.call(rbind, rows))
        answer <- list(row = row, prediction = result$prediction, truth = data$label)
        results <- c(results, list(answer))
      }
      unlink(file)
    }
    if (!is.null(case$combine)) {
      combined <- case$combine(results)
      for (i in seq_len(nrow(combined))) print_row(combined[i, ])
      rows <- c(rows, list(combined))
    }
  }
  rows <- do.call(rbind, rows)
  print_summary(rows)
  rows
}

# --- the command line --------------------------------------------------------------------------

value_of <- function(args, name) {
  given <- grep(paste0("^--", name, "="), args, value = TRUE)
  if (length(given)) sub("^[^=]*=", "", given[length(given)])
}

main <- function(args) {
  folder <- value_of(args, "job")
  if (!is.null(folder)) return(run_job(folder))
  if ("--list" %in% args) return(list_cases())
  plain <- args[!grepl("^--", args)]
  if ("--table" %in% args) return(print_tables(plain))
  known <- paste0("^--(quick|profile|seeds=[0-9,]+|threads=[0-9]+|only=.+|json=.+|largest=[0-9]+|",
    "engines=.+|cache=.+)$"
  )
  unknown <- c(
    grep(known, setdiff(args, plain), invert = TRUE, value = TRUE), setdiff(plain, names(cases))
  )
  if (length(unknown)) {
    stop("unknown: ", toString(unknown), ". Cases are ", toString(names(cases)), call. = FALSE)
  }
  seeds <- value_of(args, "seeds")
  threads <- value_of(args, "threads")
  largest <- value_of(args, "largest") # size of the linear algebra cases
  options <- list(
    quick = "--quick" %in% args, profile = "--profile" %in% args,
    seeds = if (!is.null(seeds)) as.integer(strsplit(seeds, ",")[[1L]]),
    threads = if (is.null(threads)) 1L else as.integer(threads),
    largest = if (is.null(largest)) Inf else as.numeric(largest), only = value_of(args, "only"),
    engines = value_of(args, "engines"), cache = value_of(args, "cache")
  )
  chosen <- if (length(plain)) plain else names(cases)
  json <- value_of(args, "json")
  rows <- rates <- compared <- timings <- NULL
  calls <- calls_before(json)
  # Written after each engine, so that a run that is stopped keeps its results so far.
  keep <- function(rows) {
    parts <- list(
      rows = rows, compared = compared, rates = rates, timings = timings, calls = calls
    )
    if (!is.null(json)) write_results(parts, options, json)
  }
  for (name in chosen) {
    if (!is.null(cases[[name]]$compare)) {
      compared <- cases[[name]]$compare(options)
      cat(markdown_comparison(compared), sep = "\n")
    } else if (!is.null(cases[[name]]$timings)) {
      timings <- cases[[name]]$timings(options)
      cat(markdown_timings(timings), sep = "\n")
    } else if (!is.null(cases[[name]]$calls)) {
      calls <- cases[[name]]$calls(options, calls, function(new) {
        calls <<- new
        keep(rows)
      })
      cat(markdown_calls(calls), sep = "\n")
    } else if (is.null(cases[[name]]$rates)) {
      before <- rows
      rows <- rbind(before, run_case(name, options, function(new) keep(rbind(before, new))))
    } else {
      found <- cases[[name]]$rates(options)
      print_rates(found)
      rates <- rbind(rates, found)
    }
    keep(rows)
  }
}

main(commandArgs(TRUE))
