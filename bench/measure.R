# CPU time, wall time, peak memory and the machine's speed, inside the process that is measured.

#' Runs an expression; list(value, cpu, wall, peak, base), seconds and MB
#'
#' `base` is the memory of the process just before, `peak` its largest memory meanwhile; NA where
#' the system does not tell (only Linux does).
measure <- function(expression) {
  gc(FALSE)
  reset_peak()
  base <- process_memory("VmRSS")
  before <- proc.time()
  value <- force(expression)
  taken <- proc.time() - before
  list(
    value = value, cpu = sum(taken[c("user.self", "sys.self")]), wall = taken[["elapsed"]],
    peak = process_memory("VmHWM"), base = base
  )
}

#' A field of /proc/self/status in MB
process_memory <- function(field) {
  status <- "/proc/self/status"
  if (!file.exists(status)) return(NA_real_)
  line <- grep(paste0("^", field, ":"), readLines(status), value = TRUE)
  if (!length(line)) return(NA_real_)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

#' Makes the peak of the memory so far (reading the data) forgotten, where the system lets one
reset_peak <- function() {
  switch <- "/proc/self/clear_refs"
  if (file.access(switch, 2) == 0) try(writeLines("5", switch), silent = TRUE)
}

#' Giga floating point operations per CPU second in a 1000 x 1000 product: c(blas, core)
#'
#' `blas` is R's, which the peers may use; `core` the package's own, NA where the installed
#' version does not offer to measure it.
gemm_rates <- function(size = 1000L) {
  a <- matrix(seq_len(size^2) %% 7, size)
  b <- matrix(seq_len(size^2) %% 11, size)
  seconds <- system.time(crossprod(a, b))
  core <- get0("core_gemm_rate", asNamespace("gpsieve"), mode = "function")
  c(
    blas = 2e-9 * size^3 / sum(seconds[c("user.self", "sys.self")]),
    core = if (is.null(core)) NA_real_ else tryCatch(core(size), error = function(e) NA_real_)
  )
}
