# CPU time, elapsed time, peak memory and speed of matrix products, measured in the same process.

#' Runs an expression; list(value, cpu, main, wall, peak, base), seconds and MB
#'
#' `main` is the CPU time of the main thread. `base` is the memory of the process before the
#' expression is evaluated, `peak` its largest memory during the evaluation. These three are NA on
#' systems other than Linux.
measure <- function(expression) {
  gc(FALSE)
  reset_peak()
  base <- process_memory("VmRSS")
  before <- proc.time()
  main <- main_thread_cpu()
  value <- force(expression)
  main <- main_thread_cpu() - main
  taken <- proc.time() - before
  list(
    value = value, cpu = sum(taken[c("user.self", "sys.self")]), main = main,
    wall = taken[["elapsed"]], peak = process_memory("VmHWM"), base = base
  )
}

#' CPU seconds of the thread that runs R
main_thread_cpu <- function() {
  status <- sprintf("/proc/self/task/%d/schedstat", Sys.getpid())
  if (!file.exists(status)) return(NA_real_)
  1e-9 * as.numeric(strsplit(readLines(status), " ")[[1L]][1L])
}

#' A field of /proc/self/status in MB
process_memory <- function(field) {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NA_real_)
  line <- grep(paste0("^", field, ":"), readLines(status), value = TRUE)
  if (!length(line)) return(NA_real_)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

#' Resets the peak memory of the process, so that it does not include the reading of the data
reset_peak <- function() {
  switch <- "/proc/self/clear_refs"
  if (file.access(switch, 2) == 0) try(writeLines("5", switch), silent = TRUE)
}

#' Giga floating point operations per CPU second in matrix products: c(blas, core)
#'
#' `blas` is the rate of R's BLAS, which other packages may use, for one product of size 1000.
#' `core` is that of this package, NA if the installed version has no function that measures it: the
#' best of fifty products or more of size 400, so short that other work interrupts few of them.
gemm_rates <- function(size = 1000L) {
  a <- matrix(seq_len(size^2) %% 7, size)
  b <- matrix(seq_len(size^2) %% 11, size)
  seconds <- system.time(crossprod(a, b))
  core <- get0("core_gemm_rate", asNamespace("gpsieve"), mode = "function")
  c(
    blas = 2e-9 * size^3 / sum(seconds[c("user.self", "sys.self")]),
    core = if (is.null(core)) NA_real_ else max(replicate(10, core(400L)))
  )
}
