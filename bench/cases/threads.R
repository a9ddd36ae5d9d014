# Two threads: which share of a fit only one thread can do. From CPU times of threads, which other
# work on the computer does not change; with --threads=2.

threads_problems <- function(quick) {
  large <- list(
    "ivm" = list(n = 32000, m = 1000, p = 64, classes = 2),
    "ep, 10 passes" = list(n = 16000, m = 600, p = 64, classes = 2),
    "sep, one epoch of 200 rows" = list(n = 32000, m = 300, p = 64, classes = 2),
    "meanfield, TAP" = list(n = 3000, m = 3000, p = 64, classes = 2),
    "greedy, numbers" = list(n = 16000, m = 300, p = 64, classes = 0),
    "greedy, classes" = list(n = 8000, m = 200, p = 64, classes = 2),
    "rvm, m centres" = list(n = 8000, m = 1000, p = 16, classes = 0),
    "rvm, m centres, classes" = list(n = 4000, m = 200, p = 16, classes = 4),
    "ep, 10 passes" = list(n = 4000, m = 200, p = 16, classes = 26),
    "sep, one epoch of 200 rows" = list(n = 8000, m = 200, p = 16, classes = 26)
  )
  problems <- Map(function(model, sizes) {
    what <- if (sizes$classes > 2) sprintf("%s, %d classes", model, sizes$classes) else model
    c(list(name = what, model = model), sizes)
  }, names(large), large)
  unname(if (quick) problems[1L] else problems)
}

threads_case <- list(
  about = "The share of a fit that only one thread can do (with --threads=2)",
  shows = paste(
    "The share of a fit that only one thread can do, from the CPU times of the threads, and what",
    "Amdahl's law makes of it for 2, 16 and 64 threads. OpenMP's loops, or threads of the",
    "standard library, share the work of one fit; machines of several classes run at the same",
    "time. The serial share of a fit is computed from the CPU times of its threads in a fit with",
    "two threads (`bench/cases/threads.R`); the speed-ups follow by Amdahl's law. They leave out",
    "what memory bandwidth and waiting take."
  ),
  flags = "--threads=2",
  packages = "gpsieve",
  seeds = 1L,
  problems = threads_problems,
  data = scaling_data,
  engines = function(problem) list("gpsieve" = scaling_engine(problem))
)

#' Speed-up with several threads by Amdahl's law, a row for each fit with two threads
#'
#' OpenMP's loops run on the main thread and others: with T threads its CPU time is that of the
#' serial part and a T-th of the rest. Machines of several classes run on other threads while the
#' main thread waits: its CPU time is that of the serial part. Waiting, memory bandwidth and threads
#' that get unequal shares are not in these numbers.
thread_shares <- function(rows) {
  others <- rows$cpu - rows$main_cpu
  helping <- rows$main_cpu < others / rows$threads
  serial <- ifelse(helping, rows$main_cpu, rows$main_cpu - others / (rows$threads - 1))
  share <- pmin(pmax(serial / rows$cpu, 0), 1)
  speed <- function(threads) 1 / (share + (1 - share) / threads)
  data.frame(
    problem = rows$problem, cpu = rows$cpu, share, two = speed(2), sixteen = speed(16),
    sixtyfour = speed(64)
  )
}
