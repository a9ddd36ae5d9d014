# Plain default calls of every model and of gpsieve() beside peers called in the same way: nothing
# but the data. Engines are compared by their losses on the same test rows.

# No probability counts as less: one row must not decide over a set.
least_probability <- 1e-4

#' What an engine says about the test rows, judged: list(loss, error, stated, right) for classes,
#' list(loss, rmse, covered, width) for numbers
#'
#' `loss` has a number for each row: -log P(true class), or the squared error divided by the
#' variance of the training responses. `stated` is the probability of the most probable class of
#' each row, and `right` whether that class is the true one.
judge_answer <- function(said, data) {
  y <- data$test_y
  if (is.factor(y)) {
    p <- said[, levels(y), drop = FALSE]
    true <- p[cbind(seq_along(y), as.integer(y))]
    said_first <- max.col(p, "first")
    right <- said_first == as.integer(y)
    return(list(
      loss = -log(pmin(pmax(true, least_probability), 1)), error = mean(!right),
      stated = p[cbind(seq_along(y), said_first)], right = right
    ))
  }
  list(
    loss = (said$mean - y)^2 / stats::var(data$y), rmse = sqrt(mean((said$mean - y)^2)),
    covered = if (!is.null(said$lower)) mean(said$lower <= y & y <= said$upper),
    width = if (!is.null(said$lower)) mean(said$upper - said$lower) / stats::sd(data$y)
  )
}

#' One engine on one split; a failure is said and counts as no answer
run_engine <- function(engine, data, seed) {
  # The first use of a package loads it.
  start <- proc.time()
  said <- tryCatch(suppressWarnings(engine(data, seed)), error = function(e) {
    message("  failed: ", conditionMessage(e))
    NULL
  })
  taken <- sum((proc.time() - start)[c("user.self", "sys.self")])
  if (is.null(said)) NULL else c(judge_answer(said, data), cpu = taken)
}

#' The judgement of one engine on one split, from the cache where it is there
cached_run <- function(name, set, seed, data, cache) {
  file <- file.path(cache, sprintf("%s-%d-%s.rds", set, seed, gsub("[^a-z_]", "", name)))
  if (file.exists(file)) return(readRDS(file))
  found <- run_engine(defaults_engines()[[name]], data(), seed)
  saveRDS(found, file)
  found
}

#' All judgements of a set: a list over engines of lists over seeds
run_set <- function(set, seeds, engines, cache) {
  runs <- stats::setNames(vector("list", length(engines)), engines)
  for (seed in seeds) {
    data <- NULL
    lazily <- function() {
      if (is.null(data)) data <<- defaults_split(set, seed)
      data
    }
    for (engine in engines) {
      run <- cached_run(engine, set, seed, lazily, cache)
      if (is.null(run)) next
      runs[[engine]][[as.character(seed)]] <- run
      cat(sprintf("%-10s %3d  %-13s %7.4f %8.1f s\n", set, seed, engine, mean(run$loss), run$cpu))
    }
  }
  Filter(length, runs)
}

#' Mean and standard error of the losses of one engine minus those of another on the same rows
paired_gap <- function(a, b) {
  both <- intersect(names(a), names(b))
  difference <- unlist(lapply(both, function(seed) a[[seed]]$loss - b[[seed]]$loss))
  c(mean(difference), stats::sd(difference) / sqrt(length(difference)))
}

#' How far stated probabilities are from frequencies: rows in ten groups of equal size by what was
#' stated, and the mean over the rows of the distance, in their group, of the mean probability from
#' the share of the rows where the most probable class is right
calibration_error <- function(stated, right) {
  group <- ceiling(10 * rank(stated, ties.method = "first") / length(stated))
  distance <- abs(tapply(stated, group, mean) - tapply(right, group, mean))
  sum(distance * tabulate(group, 10L)) / length(stated)
}

#' The calibration error of one engine over the test rows of all splits, and its mean over 200 draws
#' of which rows are right where what is stated is true; NA for numbers
calibration_of <- function(runs) {
  stated <- unlist(lapply(runs, `[[`, "stated"))
  if (is.null(stated)) return(c(NA_real_, NA_real_))
  set.seed(1)
  drawn <- replicate(200L, calibration_error(stated, stats::runif(length(stated)) < stated))
  c(calibration_error(stated, unlist(lapply(runs, `[[`, "right"))), mean(drawn))
}

#' A row for each engine: means over splits, and how far it is from the best default peer and from
#' the tuned support vector machine
summarise_set <- function(set, runs) {
  mean_of <- function(engine, field) {
    values <- unlist(lapply(runs[[engine]], function(run) mean(run[[field]])))
    if (length(values)) mean(values) else NA_real_
  }
  all_of <- function(field) vapply(names(runs), mean_of, 0, field = field)
  peers <- intersect(default_peers, names(runs))
  best <- if (length(peers)) peers[which.min(vapply(peers, mean_of, 0, field = "loss"))]
  gaps <- function(other) {
    vapply(names(runs), function(engine) {
      if (is.null(other) || is.null(runs[[other]])) c(NA, NA)
      else paired_gap(runs[[engine]], runs[[other]])
    }, c(0, 0))
  }
  of_best <- gaps(best)
  of_tuned <- gaps("tuned svm")
  calibration <- vapply(runs, calibration_of, c(0, 0))
  first <- defaults_split(set, as.integer(names(runs[[1L]])[1L]))
  data.frame(
    set = set, rows = length(first$y), engine = names(runs), splits = lengths(runs),
    loss = all_of("loss"),
    error = all_of("error"), rmse = all_of("rmse"), covered = all_of("covered"),
    width = all_of("width"), calibration = calibration[1L, ],
    calibration_by_chance = calibration[2L, ], cpu = all_of("cpu"),
    best_peer = if (is.null(best)) NA_character_ else best, gap = of_best[1L, ],
    gap_se = of_best[2L, ], gap_tuned = of_tuned[1L, ], gap_tuned_se = of_tuned[2L, ],
    row.names = NULL
  )
}

# The splits that are reported: five of sets of less than 5000 rows, two of the letters, one where
# the test rows are given. Settings were tried on splits with other seeds.
defaults_seeds <- function(set) {
  if (set %in% c("parity", "wide")) 1L
  else if (set == "letters") 1:2
  else c(1:2, 6:8)
}

compare_defaults <- function(options, sets = c(defaults_sets, defaults_large_sets)) {
  for (package in c("gpsieve", "e1071", "ranger", "kernlab", "mgcv", "mlbench", "nnet", "MASS",
    "glmnet", "jsonlite")) {
    loadNamespace(package)
  }
  cache <- if (is.null(options$cache)) tempfile("defaults") else options$cache
  dir.create(cache, recursive = TRUE, showWarnings = FALSE)
  if (options$quick) sets <- sets[1L]
  if (!is.null(options$only)) sets <- grep(options$only, sets, value = TRUE)
  do.call(rbind, lapply(sets, function(set) {
    seeds <- if (is.null(options$seeds)) defaults_seeds(set) else options$seeds
    engines <- engines_of(set)
    if (!is.null(options$engines)) {
      asked <- strsplit(options$engines, ",")[[1L]]
      engines <- intersect(asked, c(engines, names(reduced_engines)))
    }
    runs <- run_set(set, seeds, engines, cache)
    if (length(runs)) summarise_set(set, runs)
  }))
}

defaults_case <- list(
  about = "Default calls of every model and of gpsieve() beside default and tuned peers",
  shows = paste(
    "Every function of the package, called with nothing but the data, beside `e1071::svm` (as it",
    "comes, and tuned over three costs and three widths by five folds), `ranger`,",
    "`kernlab::gausspr`, `lm()`, `glm()` or `nnet::multinom()`, and `mgcv::gam()`. The sets are",
    "read or drawn by `bench/cases/defaults-sets.R`; a quarter of the rows is the test. All",
    "engines run in one process after each other, on one thread. `--engines=a,b` chooses engines;",
    "the losses of every test row are kept in the folder that `--cache` names, and what is there",
    "is not run again. Rows of `gpsieve()` are of later builds than those of other functions of",
    "the package. On sets of less than 1000 rows, but boston, its best peer and the tuned",
    "machine ran again and had the same losses; on boston and on larger sets the",
    "standard errors of differences are those of the earlier build. The case needs e1071, ranger,",
    "kernlab, mgcv,",
    "glmnet, mlbench, nnet and MASS, and of Python xgboost and scikit-learn. The loss is",
    "-log P(true class), where no probability counts as less than 1e-4, and for numbers the",
    "squared error divided by the",
    "variance of the training responses. Differences of losses are taken on the same test rows,",
    "those of all splits together, and their standard errors are those of the mean of so many",
    "independent differences. The splits of a set share rows, so that the true errors are",
    "somewhat larger. The best peer is the one with the smallest loss on the test rows among",
    "those that are called as they come. \"Last\" counts sets on which the loss is the largest of",
    "all engines. The splits of the table have the seeds 1, 2, 6, 7 and 8; those of `letters`",
    "have 1 and 2, and the test rows of `parity` and `wide` are given. Settings of the defaults",
    "were tried on splits with other seeds. Other functions and peers on `parity`, `letters` and",
    "`wide` were measured by an earlier core on a faster computer. \"slow xgboost\" has 300 trees",
    "of depth 5 and the rate 0.05. CPU seconds of boosted trees, which run in a process of their",
    "own, are not counted."
  ),
  flags = "--cache=folder",
  compare = compare_defaults
)

# gpsieve() and peers that end within minutes, on sets with many columns and of some thousand rows.
wider_case <- list(
  about = "gpsieve() beside peers on sets of many columns and of 1,500 to 4,830 rows",
  shows = paste(
    "Three sets of molecules with 228 to 342 columns (`cox2`, `mdrr`, `dhfr` of package `caret`),",
    "and five with 1,500 to 4,830 rows that learn (`DNA` and `Satellite` of `mlbench`, `cells`,",
    "`mlc_churn` and the logarithm of the prices of `ames` of `modeldata`), one split, beside",
    "peers that end within minutes. `dna` showed that the plan of the time left out what many",
    "columns cost; nothing else was chosen on these sets."
  ),
  flags = "--cache=folder",
  compare = function(options) {
    if (is.null(options$engines)) {
      options$engines <- "gpsieve,tuned svm,svm,ranger,xgboost,slow xgboost,elastic net"
    }
    if (is.null(options$seeds)) options$seeds <- 1L
    compare_defaults(options, defaults_wider_sets)
  }
)

# gpsieve() beside the peers on sets that took no part in any choice of settings.
fresh_case <- list(
  about = "gpsieve() beside peers on 24 sets that were kept aside",
  shows = paste(
    "The complete rows of 24 sets of modeldata, carData, MASS, mlbench, caret and kernlab that",
    "took no part in any choice of settings (`bench/cases/defaults-sets.R` has their responses),",
    "two splits, beside the peers of the first table. Which sets belong to the list did not",
    "depend on results; all are reported. `gausspr()` is left out of `credit` and `incomes`,",
    "where it takes minutes. CPU seconds of boosted trees are not counted."
  ),
  flags = "--cache=folder",
  compare = function(options) {
    if (is.null(options$engines)) {
      options$engines <- paste(c("gpsieve", "tuned svm", default_peers), collapse = ",")
    }
    if (is.null(options$seeds)) options$seeds <- 1:2
    compare_defaults(options, defaults_fresh_sets)
  }
)

# gpsieve() beside the peers on the sets of classes with less than 1000 rows. Its table is that of
# calibration errors.
calibration_case <- list(
  about = "How far probabilities of gpsieve() and of peers are from frequencies",
  shows = paste(
    "The twelve sets of classes of the first table that have less than 1000 rows, with its five",
    "splits. The test rows of all splits are put into ten groups of equal size by the probability",
    "of the most probable class; the number is the mean over the rows of the distance, in their",
    "group, of the mean probability from the share of rows where that class is the true one.",
    "\"Best peer\" is the one with the smallest loss on the set. \"By chance\" is what the number",
    "is, in the mean over 200 draws, if the rows that are right are drawn from the probabilities",
    "of `gpsieve()`."
  ),
  flags = "--cache=folder",
  compare = function(options) {
    if (is.null(options$engines)) {
      options$engines <- paste(c("gpsieve", "tuned svm", default_peers), collapse = ",")
    }
    compare_defaults(options, c("heart", "crabs", "sonar", "ionosphere", "pima", "pima-mass",
      "breast", "australian", "iris", "glass", "vehicle", "vowel"
    ))
  }
)

# gpsieve() with parts of its choice left out, and its peers, on the sets below 5000 rows.
ablation_case <- list(
  about = "gpsieve() without parts of its choice, beside peers",
  shows = paste(
    "The sets of the default calls below 5000 rows, three of its splits, by `gpsieve()` as it",
    "comes; with one function, the rich one, learned from all rows, so that nothing is compared",
    "but likelihoods; with a linear function alone; and without robust likelihoods. Boosted trees",
    "and the elastic net are among the peers, \"slow xgboost\" with 300 trees of depth 5 and the",
    "rate 0.05. CPU seconds of boosted trees, which run in a process of their own, are not",
    "counted."
  ),
  flags = "--seeds=1,2,6 --cache=folder",
  compare = function(options) {
    options$engines <- paste(collapse = ",",
      c("gpsieve", names(reduced_engines), "tuned svm", default_peers)
    )
    compare_defaults(options, defaults_sets)
  }
)
