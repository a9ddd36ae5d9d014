# Rows of results: made, printed, saved, and turned into Markdown.

#' Share of wrong classes, or the mean squared error of numbers divided by their variance
error_of <- function(predicted, truth) {
  if (is.null(predicted)) return(NA_real_)
  if (is.numeric(truth)) return(mean((predicted - truth)^2) / stats::var(truth))
  mean(as.character(predicted) != as.character(truth))
}

#' Root mean squared error, NA for classes
rmse_of <- function(mean, truth) if (is.null(mean)) NA_real_ else sqrt(base::mean((mean - truth)^2))

#' The share of numbers within their intervals of 90 %, NA where there are none
coverage_of <- function(prediction, truth) {
  if (is.null(prediction$lower)) return(NA_real_)
  mean(prediction$lower <= truth & truth <= prediction$upper)
}

#' Mean negative log density of numbers and mean CRPS, of normal distributions with the standard
#' deviations of a prediction; NULL where there are none
scores_of <- function(prediction, truth) {
  sd <- prediction$sd
  if (is.null(sd)) return(NULL)
  z <- (truth - prediction$mean) / sd
  list(
    density = -mean(stats::dnorm(truth, prediction$mean, sd, log = TRUE)),
    crps = mean(sd * (z * (2 * stats::pnorm(z) - 1) + 2 * stats::dnorm(z) - 1 / sqrt(pi))),
    mae = mean(abs(truth - prediction$mean))
  )
}

#' Negative log probability of the true class; NULL probabilities give NA
losses <- function(probability, truth) {
  if (is.null(probability)) return(rep(NA_real_, length(truth)))
  chosen <- probability[cbind(seq_along(truth), match(truth, colnames(probability)))]
  -log(pmax(chosen, 1e-300))
}

log_loss <- function(probability, truth) mean(losses(probability, truth))

#' One row of results from the result of a child process
result_row <- function(job, data, result) {
  loss <- losses(result$prediction$probability, data$test_y)
  work <- result$work
  row <- data.frame(
    case = job$case, problem = job$problem$name, engine = job$engine, seed = job$seed,
    n = nrow(data$x), p = ncol(data$x), size = result$size,
    cpu = result$fit$cpu, main_cpu = result$fit$main, wall = result$fit$wall,
    peak_mb = result$fit$peak, base_mb = result$fit$base, predict_cpu = result$predict_cpu,
    error = error_of(result$prediction$class, data$test_y),
    rmse = rmse_of(result$prediction$mean, data$test_y),
    covered = coverage_of(result$prediction, data$test_y),
    log_loss = mean(loss),
    log_loss_sd = if (is.null(data$split)) NA_real_ else stats::sd(tapply(loss, data$split, mean)),
    splits = max(1L, data$split), steps = if (is.null(work)) NA_real_ else work$steps,
    gflop = if (is.null(work)) NA_real_ else work$gflop,
    gflops_blas = result$rates[["blas"]], gflops_core = result$rates[["core"]],
    threads = job$threads
  )
  scores <- scores_of(result$prediction, data$test_y)
  row[names(scores)] <- scores
  if (!is.null(result$estimate)) row$estimate_mb <- result$estimate
  if (is.null(result$profile)) row else cbind(row, result$profile)
}

#' One row of results for each stage of a fit, with the name of the stage after that of the problem
stage_rows <- function(row, stages) {
  lapply(seq_len(NROW(stages)), function(i) {
    own <- setdiff(names(stages), "stage")
    row[own] <- stages[i, own]
    row$problem <- paste0(row$problem, ", ", stages$stage[i])
    row
  })
}

columns <- list(
  case = "%-13s", problem = "%-22s", engine = "%-20s", n = "%6.0f", size = "%6.0f", cpu = "%9.2f",
  wall = "%9.2f", peak_mb = "%8.0f", error = "%7.4f", rmse = "%8.5f", log_loss = "%9.4f",
  gflops_blas = "%7.1f", gflops_core = "%7.1f"
)
titles <- c(
  case = "case", problem = "problem", engine = "engine", n = "n", size = "size", cpu = "CPU s",
  wall = "wall s", peak_mb = "peak MB", error = "error", rmse = "rmse", log_loss = "log loss",
  gflops_blas = "GF BLAS", gflops_core = "GF core"
)

print_row <- function(row, first = FALSE) {
  if (first) {
    text <- gsub("([0-9]+)[.]?[0-9]*[sdf]$", "\\1s", columns)
    cat(paste(sprintf(text, titles[names(columns)]), collapse = " "), "\n", sep = "")
  }
  cells <- unlist(Map(sprintf, columns, row[names(columns)]))
  cat(paste(cells, collapse = " "), "\n", sep = "")
}

#' Medians over seeds, one row per problem and engine in the order they were run
medians <- function(rows) {
  key <- interaction(rows$case, rows$problem, rows$engine, rows$threads, drop = TRUE)
  key <- factor(key, levels = unique(as.character(key)))
  groups <- split(rows, key)
  out <- do.call(rbind, lapply(groups, function(group) {
    first <- group[1L, ]
    numbers <- setdiff(names(group)[vapply(group, is.numeric, NA)], c("seed", "threads", "n", "p"))
    first[numbers] <- lapply(group[numbers], stats::median)
    first$seeds <- nrow(group)
    first
  }))
  rownames(out) <- NULL
  out
}

print_summary <- function(rows) {
  middle <- medians(rows)
  if (any(middle$seeds > 1L)) {
    cat("\nMedian of", max(middle$seeds), "seeds\n")
    for (i in seq_len(nrow(middle))) print_row(middle[i, ], first = i == 1L)
  }
  slopes <- case_slopes(middle)
  if (!is.null(slopes)) {
    cat("\nGrowth: exponent of the cost in each size (least squares, log-log)\n")
    print(slopes, row.names = FALSE, digits = 2)
  }
  cat("\n")
}

#' Slopes on log-log scales for the case that varies one size at a time
#'
#' The memory of the process before the fit is subtracted.
case_slopes <- function(middle) {
  varied <- sub(" .*", "", middle$problem)
  wanted <- middle$case == "ivm-scaling"
  if (!any(wanted)) return(NULL)
  size_of <- c(n = "n", d = "size", p = "p")
  pairs <- unique(data.frame(varied, engine = middle$engine)[wanted, ])
  out <- do.call(rbind, lapply(seq_len(nrow(pairs)), function(i) {
    rows <- middle[wanted & varied == pairs$varied[i] & middle$engine == pairs$engine[i], ]
    if (nrow(rows) < 2L) return(NULL)
    size <- log(rows[[size_of[[pairs$varied[i]]]]])
    slope <- function(cost) {
      if (any(is.na(cost) | cost <= 0)) return(NA_real_)
      stats::coef(stats::lm(log(cost) ~ size))[[2L]]
    }
    data.frame(
      varied = pairs$varied[i], engine = pairs$engine[i], cpu = slope(rows$cpu),
      memory = slope(rows$peak_mb - rows$base_mb)
    )
  }))
  out
}

# --- files -------------------------------------------------------------------------------------

#' Processor, number of cores, system, and the versions of R, BLAS and the package
machine <- function() {
  info <- "/proc/cpuinfo"
  model <- if (file.exists(info)) grep("^model name", readLines(info), value = TRUE)
  list(
    cpu = if (length(model)) sub("^[^:]*: *", "", model[1L]) else Sys.info()[["machine"]],
    cores = parallel::detectCores(), system = Sys.info()[["sysname"]],
    r = as.character(getRversion()), blas = basename(extSoftVersion()[["BLAS"]]),
    gpsieve = as.character(utils::packageVersion("gpsieve")),
    core = system2(file.path(here, "..", "tools", "core-version.sh"), stdout = TRUE)
  )
}

#' `parts`: rows of fits, rates of linear algebra, the comparison of default calls and timings, any
#' of them NULL
write_results <- function(parts, options, file) {
  results <- list(machine = machine(), quick = options$quick)
  results <- c(results, Filter(Negate(is.null), parts))
  dir.create(dirname(file), recursive = TRUE, showWarnings = FALSE)
  text <- jsonlite::toJSON(results, auto_unbox = TRUE, digits = 6, pretty = TRUE, na = "null")
  writeLines(text, file)
}

#' The plain calls that a file has, to go on with; NULL for none
calls_before <- function(file) if (!is.null(file) && file.exists(file)) read_results(file)$calls

read_results <- function(file) {
  results <- jsonlite::fromJSON(file)
  if (is.null(results$rows)) return(results)
  # Older files do not have these columns.
  later <- c("main_cpu", "rmse", "log_loss_sd", "splits", "steps", "gflop")
  results$rows[setdiff(later, names(results$rows))] <- NA
  numbers <- setdiff(names(results$rows), c("case", "problem", "engine"))
  # A column whose values are all null is read as logical.
  results$rows[numbers] <- lapply(results$rows[numbers], as.numeric)
  results
}

#' Results files as Markdown, medians over seeds
print_tables <- function(files) {
  if (!length(files)) stop("--table needs a file written by --json", call. = FALSE)
  for (file in files) {
    results <- read_results(file)
    machine <- results$machine
    cat(
      machine$cpu, ", ", machine$cores, " cores, ", machine$system, ", R ", machine$r, " with ",
      machine$blas, ", gpsieve ", machine$gpsieve,
      if (isTRUE(results$quick)) ". A quick trial on a twentieth of the rows", ".\n\n", sep = ""
    )
    if (!is.null(results$rates)) print_rates(results$rates)
    if (!is.null(results$compared)) cat(markdown_comparison(results$compared), sep = "\n")
    if (!is.null(results$timings)) cat(markdown_timings(results$timings), sep = "\n")
    if (!is.null(results$calls)) cat(markdown_calls(results$calls), sep = "\n")
    if (is.null(results$rows)) next
    middle <- medians(results$rows)
    cat(markdown(middle), sep = "\n")
    stepped <- middle[!is.na(middle$steps), ]
    if (nrow(stepped)) cat("", markdown_steps(stepped), sep = "\n")
    slopes <- case_slopes(middle)
    if (!is.null(slopes)) {
      cat("\n| varied | engine | CPU exponent | memory exponent |\n|---|---|---|---|\n")
      row <- "| %s | %s | %.2f | %.2f |\n"
      cat(sprintf(row, slopes$varied, slopes$engine, slopes$cpu, slopes$memory), sep = "")
    }
    cat("\n")
  }
}

decimals <- function(value, digits) {
  ifelse(is.na(value), "", formatC(value, digits, format = "f"))
}

markdown_table <- function(cells) {
  row <- function(values) paste0("| ", paste(trimws(values), collapse = " | "), " |")
  columns <- unname(lapply(cells, as.character))
  rows <- vapply(seq_along(columns[[1L]]), function(i) row(vapply(columns, `[[`, "", i)), "")
  c(row(names(cells)), row(rep("---", length(cells))), rows)
}

# Two decimals, or two significant digits if the number is so small that two decimals show only 0.
percent <- function(share) {
  small <- !is.na(share) & share > 0 & share < 1e-3
  ifelse(small, sprintf("%.2g", 100 * share), decimals(100 * share, 2))
}

markdown <- function(middle) {
  loss <- decimals(middle$log_loss, 4)
  spread <- !is.na(middle$log_loss_sd)
  loss[spread] <- sprintf(
    "%s (sd %.2f, %d splits)", loss[spread], middle$log_loss_sd[spread],
    as.integer(middle$splits[spread])
  )
  markdown_table(data.frame(
    check.names = FALSE, "case" = middle$case, "problem" = middle$problem,
    "engine" = middle$engine, "seeds" = middle$seeds, "n" = format_count(middle$n),
    "size" = format_count(middle$size), "CPU s" = decimals(middle$cpu, 2),
    "wall s" = decimals(middle$wall, 1), "peak MB" = decimals(middle$peak_mb, 0),
    "error %" = percent(middle$error), "RMSE" = decimals(middle$rmse, 5),
    "log loss" = loss,
    "GF/s BLAS / core" = paste(
      decimals(middle$gflops_blas, 1), decimals(middle$gflops_core, 1), sep = " / "
    )
  ))
}

#' Plain calls: means over seeds beside what is published, and every call
markdown_calls <- function(calls) {
  published <- rbind(published_tables, kept_tables[names(published_tables)])
  published <- published[published$table %in% calls$table, ]
  of <- function(column, summary = mean) {
    values <- tapply(calls[[column]], factor(calls$table, published$table), summary)
    unname(as.vector(values))
  }
  digits <- function(value) ifelse(is.na(value), "", formatC(value, digits = 4, format = "fg"))
  three <- function(value) decimals(value, 3)
  means <- data.frame(
    check.names = FALSE, table = published$table, rows = of("rows"), seeds = of("seed", length),
    "error" = digits(of("error")), "least published" = digits(published$best),
    "of" = published$method, "over it" = decimals(of("error") / published$best, 2),
    "XGBoost" = digits(published$xgboost), "CatBoost" = digits(published$catboost),
    "loss" = three(of("loss")), "covered" = three(of("covered")), "CPU s" = decimals(of("cpu"), 1)
  )
  calls <- calls[order(match(calls$table, published$table), calls$seed), ]
  each <- data.frame(
    check.names = FALSE, table = calls$table, seed = calls$seed, "error" = digits(calls$error),
    "loss" = three(calls$loss), "covered" = three(calls$covered),
    "answered" = decimals(calls$answered, 2), "CPU s" = decimals(calls$cpu, 1),
    chosen = calls$chosen
  )
  c(markdown_table(means), "", markdown_table(each))
}

#' The losses of the comparison of default calls, and what they come to, a row for each engine
markdown_comparison <- function(compared) {
  losses <- by_set_and_engine(compared, "loss")
  c(markdown_table(losses), "", markdown_table(compared_summary(compared)), "",
    markdown_table(front_door(compared))
  )
}

#' One number of the comparison, a row for each set and a column for each engine
by_set_and_engine <- function(compared, field) {
  engines <- unique(compared$engine)
  sets <- unique(compared$set)
  cells <- vapply(engines, function(engine) {
    own <- compared[match(paste(sets, engine), paste(compared$set, compared$engine)), ]
    decimals(own[[field]], 3)
  }, character(length(sets)))
  table <- data.frame(set = sets, matrix(cells, length(sets)), check.names = FALSE)
  names(table)[-1L] <- engines
  table
}

#' Calibration errors, and for each engine their mean and on how many sets gpsieve() has a smaller
#' one
calibration_markdown <- function(results) {
  compared <- results$compared
  own <- compared[compared$engine == "gpsieve", ]
  sums <- vapply(unique(compared$engine), function(engine) {
    of <- compared[compared$engine == engine, ]
    smaller <- sum(own$calibration[match(of$set, own$set)] < of$calibration)
    c(decimals(mean(of$calibration), 3), if (engine == "gpsieve") "" else smaller)
  }, character(2L))
  best <- compared[compared$engine == compared$best_peer, ]
  table <- by_set_and_engine(compared, "calibration")
  rows <- cbind(set = c("mean", "gpsieve smaller on"), as.data.frame(sums))
  table$"best peer" <- best$engine[match(table$set, best$set)]
  rows$"best peer" <- c(decimals(mean(best$calibration), 3),
    sum(own$calibration[match(best$set, own$set)] < best$calibration)
  )
  table$"by chance" <- decimals(own$calibration_by_chance[match(table$set, own$set)], 3)
  rows$"by chance" <- c(decimals(mean(own$calibration_by_chance), 3), "")
  markdown_table(rbind(table, rows))
}

#' gpsieve() on each set beside the best default peer and the tuned support vector machine
front_door <- function(compared) {
  of <- function(engine) compared[compared$engine == engine, ]
  own <- of("gpsieve")
  cpu <- function(engine) decimals(of(engine)$cpu[match(own$set, of(engine)$set)], 1)
  data.frame(
    check.names = FALSE, set = own$set, rows = own$rows, splits = own$splits,
    "error %" = percent(own$error),
    "best peer" = ifelse(is.na(own$best_peer), "", own$best_peer),
    "loss minus its" = decimals(own$gap, 3), "standard error" = decimals(own$gap_se, 3),
    "minus that of tuned svm" = decimals(own$gap_tuned, 3),
    "standard error " = decimals(own$gap_tuned_se, 3), "CPU s" = cpu("gpsieve"),
    "CPU s of tuned svm" = cpu("tuned svm")
  )
}

#' On how many sets an engine is within one and beyond two standard errors of the best default peer
#' and of the tuned support vector machine, on how many it is last, and its intervals' coverage
compared_summary <- function(compared) {
  last <- vapply(split(compared, compared$set), function(of_set) {
    if (nrow(of_set) < 8L) "" else of_set$engine[which.max(of_set$loss)]
  }, "")
  count <- function(good) paste(sum(good, na.rm = TRUE), "of", sum(!is.na(good)))
  least <- function(values) min(values, na.rm = TRUE)
  rows <- lapply(unique(compared$engine), function(engine) {
    own <- compared[compared$engine == engine, ]
    self <- ifelse(own$best_peer == engine, NA, 1)
    data.frame(
      check.names = FALSE, engine = engine,
      "within 1 SE of best peer" = count(own$gap * self <= own$gap_se),
      "worse by 2 SE" = count(own$gap * self > 2 * own$gap_se),
      "within 1 SE of tuned svm" = count(own$gap_tuned <= own$gap_tuned_se),
      "worse than it by 2 SE" = count(own$gap_tuned > 2 * own$gap_tuned_se),
      "last" = sum(last == engine), "coverage" = decimals(mean(own$covered, na.rm = TRUE), 3),
      "least coverage" = if (any(!is.na(own$covered))) decimals(least(own$covered), 3) else "",
      "CPU s" = decimals(sum(own$cpu), 1)
    )
  })
  do.call(rbind, rows)
}

format_count <- function(value) formatC(value, 0, format = "f")

#' The cost of one pass or minibatch, and its rate divided by the core's rate of matrix products
markdown_steps <- function(middle) {
  rate <- middle$gflop / middle$cpu
  markdown_table(data.frame(
    check.names = FALSE, "problem" = middle$problem, "engine" = middle$engine,
    "steps" = format_count(middle$steps),
    "CPU ms a step" = decimals(1000 * middle$cpu / middle$steps, 1),
    "GFlop a step" = decimals(middle$gflop / middle$steps, 2), "GFlop/s" = decimals(rate, 1),
    "share of core GF/s" = decimals(rate / middle$gflops_core, 2)
  ))
}

list_cases <- function() {
  for (name in names(cases)) cat(sprintf("%-14s %s\n", name, cases[[name]]$about))
}
