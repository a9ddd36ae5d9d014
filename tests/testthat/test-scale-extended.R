# Part of the extended tests: processes that are killed, and a database server that is stopped.

skip_unless_extended <- function() {
  skip_if(!nzchar(Sys.getenv("GPSIEVE_EXTENDED")), "part of the extended tests")
  skip_on_os("windows")
}

# A fit that takes a second or two, as text, so that another process can make it.
long_fit <- function(path, resume = NULL, method = "sep") {
  bquote({
    x <- matrix(sin(seq_len(8000)^1.5), 4000)
    colnames(x) <- c("a", "b")
    y <- factor(x[, 1] + x[, 2]^2 + cos(seq_len(4000)^2) > 0.5)
    suppressWarnings(gpsieve::ep_gp(x, y,
      inducing = 30, method = .(method), batch_size = 50, epochs = 16, seed = 1, resume = .(resume),
      threads = 1, verbose = FALSE,
      control = gpsieve::control_ep(checkpoint = .(path), every = 0.02, warm_rows = 0)
    ))
  })
}

# The number of a new R process that runs a script.
start_script <- function(script) {
  answer <- withr::local_tempfile()
  r <- file.path(R.home("bin"), "Rscript")
  command <- sprintf("%s %s > /dev/null 2>&1 & echo $! > %s", shQuote(r), shQuote(script), answer)
  system(command)
  as.integer(readLines(answer))
}

test_that("kill -9 at random moments: every resume ends with the same bits", {
  skip_unless_extended()
  path <- withr::local_tempfile(fileext = ".rds")
  script <- withr::local_tempfile(fileext = ".R")
  for (method in c("sep", "ep")) {
    reference <- eval(long_fit(NULL, method = method))
    taken <- system.time(eval(long_fit(path, method = method)))[["elapsed"]]
    unlink(c(path, paste0(path, ".previous")))
    # Moments after the first checkpoint, of which most are before the end of the fit.
    moments <- with_own_seed(1, runif(16, 0, 0.6)) * taken
    in_time <- 0
    for (moment in moments) {
      writeLines(deparse(long_fit(path, NULL, method)), script)
      process <- start_script(script)
      begun <- Sys.time()
      while (!file.exists(path) && difftime(Sys.time(), begun, units = "secs") < 60) Sys.sleep(0.01)
      Sys.sleep(moment)
      in_time <- in_time + tools::pskill(process, tools::SIGKILL)
      found <- eval(long_fit(path, path, method))
      expect_identical(found$posteriors, reference$posteriors)
      expect_identical(evidence(found), evidence(reference))
      unlink(c(path, paste0(path, ".previous")))
    }
    expect_gt(in_time, 12)
  }
})

# A fit of many leaves that takes a second or two, as text.
long_fit_of_leaves <- function(path, resume = NULL) {
  bquote({
    x <- matrix(sin(seq_len(48000)^1.5), 24000)
    data <- data.frame(x, y = factor(x[, 1] + x[, 2]^2 + cos(seq_len(24000)^2) > 0.5))
    block <- 0
    rows <- gpsieve::rows_from_function(function(reset) {
      block <<- if (reset) 0 else block + 1
      if (!reset && block <= 6) data[(block - 1) * 4000 + 1:4000, ]
    })
    gpsieve::ivm(y ~ ., rows, gpsieve::kernel_rbf(1, 0.5),
      n_active = 60, leaf_rows = 500, optimise = FALSE, seed = 1, resume = .(resume), threads = 1,
      verbose = FALSE, control = gpsieve::control_ivm(checkpoint = .(path))
    )
  })
}

test_that("kill -9 at random moments: a fit of leaves goes on with the same bits", {
  skip_unless_extended()
  path <- withr::local_tempfile(fileext = ".log")
  script <- withr::local_tempfile(fileext = ".R")
  reference <- eval(long_fit_of_leaves(NULL))
  taken <- system.time(eval(long_fit_of_leaves(path)))[["elapsed"]]
  in_time <- 0
  for (moment in with_own_seed(1, runif(8, 0, 0.6)) * taken) {
    unlink(path)
    writeLines(deparse(long_fit_of_leaves(path)), script)
    process <- start_script(script)
    begun <- Sys.time()
    while (!file.exists(path) && difftime(Sys.time(), begun, units = "secs") < 60) Sys.sleep(0.01)
    Sys.sleep(moment)
    in_time <- in_time + tools::pskill(process, tools::SIGKILL)
    found <- eval(long_fit_of_leaves(path, path))
    expect_identical(found$posteriors, reference$posteriors)
    expect_identical(evidence(found), evidence(reference))
  }
  expect_gt(in_time, 5)
})

# A PostgreSQL server on loopback, in a folder of its own; NULL if none is installed.
local_postgres <- function(env = parent.frame()) {
  bin <- sort(Sys.glob("/usr/lib/postgresql/*/bin"), decreasing = TRUE)[1]
  if (is.na(bin) || !requireNamespace("RPostgreSQL", quietly = TRUE)) return(NULL)
  folder <- withr::local_tempdir(.local_envir = env)
  port <- 20000 + Sys.getpid() %% 20000
  user <- if (Sys.info()[["user"]] == "root") "postgres" else Sys.info()[["user"]]
  run <- function(...) {
    line <- paste(file.path(bin, ...))
    if (user == "postgres") line <- paste("su postgres -c", shQuote(line))
    system(paste(line, "> /dev/null 2>&1"))
  }
  if (user == "postgres") {
    system(paste("chown -R postgres", folder, "&& chmod 755", dirname(folder)))
  }
  data <- file.path(folder, "data")
  run(paste("initdb -A trust -U tester -D", data))
  started <- run(paste0("pg_ctl -w -D ", data, " -o '-p ", port, " -k ", folder,
    " -c listen_addresses=127.0.0.1' -l ", folder, "/log start"))
  stop_it <- function() run(paste("pg_ctl -m immediate -D", data, "stop"))
  withr::defer(stop_it(), envir = env)
  if (started != 0) return(NULL)
  list(
    connect = function() {
      DBI::dbConnect(RPostgreSQL::PostgreSQL(),
        host = "127.0.0.1", port = port, user = "tester", dbname = "postgres"
      )
    },
    stop = stop_it
  )
}

test_that("PostgreSQL gives the fit of the rows in memory, and may stop in mid-fit", {
  skip_unless_extended()
  server <- local_postgres()
  skip_if(is.null(server), "PostgreSQL or RPostgreSQL is not installed")
  data <- toy_data("binary", n = 230)$data
  data$y <- factor(as.character(data$y))
  data[c("a", "b")] <- round(data[c("a", "b")], 6) # what the driver's text holds exactly
  data$id <- seq_len(nrow(data))
  con <- server$connect()
  DBI::dbWriteTable(con, "rows", transform(data, y = as.character(y)), row.names = FALSE)
  DBI::dbDisconnect(con)
  path <- withr::local_tempfile(fileext = ".rds")
  fit <- function(data, ...) {
    ep_gp(y ~ a + b, data,
      kernel = kernel_rbf(1, 1), inducing = matrix(sin(1:16), 8), batch_size = 20, epochs = 3,
      optimise = FALSE, seed = 1, verbose = FALSE, ...,
      control = control_ep(window = 60, warm_rows = 0, checkpoint = path, every = 0)
    )
  }
  reference <- fit(data)
  for (key in list(NULL, "id")) {
    rows <- rows_from_db(server$connect, "rows", key = key, block_rows = 37)
    expect_identical(fit(rows)$posteriors, reference$posteriors)
  }
  expect_length(DBI::dbListConnections(RPostgreSQL::PostgreSQL()), 0)
  # The server stops while the core asks for the third window of the second epoch.
  unlink(path)
  asked <- 0
  rows <- rows_from_db(server$connect, "SELECT * FROM rows ORDER BY id", block_rows = 37)
  stopping <- rows
  stopping$read <- function(reset) {
    asked <<- asked + 1
    if (asked == 28) server$stop()
    rows$read(reset)
  }
  expect_error(fit(stopping), "could not be read", class = "gpsieve_error_data")
  so_far <- readRDS(path)
  expect_length(predict(so_far, data), 230)
})
