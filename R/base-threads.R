# The number of threads and the seed of a fit. Results do not depend on the number of threads.

# The number of threads: the argument, or the option, or the environment variable, or one
resolve_threads <- function(threads) {
  if (!is.null(threads)) return(as.integer(check_threads(threads, "threads")))
  option <- getOption("gpsieve.threads")
  if (!is.null(option)) return(as.integer(check_threads(option, "options(gpsieve.threads)")))
  variable <- Sys.getenv("GPSIEVE_THREADS")
  if (!nzchar(variable)) return(1L)
  number <- suppressWarnings(as.numeric(variable))
  as.integer(check_threads(if (is.na(number)) variable else number, "GPSIEVE_THREADS"))
}

check_threads <- function(threads, arg) check_count(threads, arg, max = 1024)

# One integer from R's generator, so that set.seed() governs the fit; a given seed is kept
resolve_seed <- function(seed) {
  if (is.null(seed)) return(sample.int(.Machine$integer.max, 1L))
  as.integer(check_number(seed, "seed", min = 0, max = .Machine$integer.max, whole = TRUE))
}
