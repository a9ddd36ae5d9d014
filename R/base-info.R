# What the compiled core of this computer has.

#' What the compiled core has and how fast its linear algebra is on this computer
#'
#' R compiles packages for the oldest processors of a family. The matrix products of this package
#' are also compiled for newer instruction sets, and the best one that the processor has is chosen
#' when the package is loaded. `options(gpsieve.isa = )`, set before loading, selects `"avx512"` or
#' `"avx2"` (x86-64), `"neon"` (arm64) or `"portable"` instead. The products and kernel values of
#' the first three are identical to the last bit.
#'
#' @param size Size of the square matrices that are multiplied to measure the rate.
#' @return A list of class `gpsieve_info`: `version`, `isa`, `threads` (the default), `threading`
#'   (what runs them: `"OpenMP"`, or `"std::thread"` where the compiler has no OpenMP), `gemm` and
#'   `blas_gemm` (GFlop per second of the package's matrix product on one thread, and of R's own per
#'   second of CPU time), `blas`, R's BLAS library, and `kernels` and `likelihoods`, the names by
#'   which the core knows kernels, with their sums and products, and likelihoods.
#' @examples
#' gpsieve_info(size = 200)
#' @export
gpsieve_info <- function(size = 1000) {
  size <- check_count(size, max = 5000)
  structure(
    list(
      version = as.character(utils::packageVersion("gpsieve")), isa = call_core(core_isa),
      threads = resolve_threads(NULL), threading = call_core(core_threading),
      gemm = call_core(core_gemm_rate, size),
      blas_gemm = blas_gemm_rate(size), blas = utils::sessionInfo()$BLAS,
      kernels = call_core(core_kernels), likelihoods = call_core(core_likelihoods)
    ),
    class = "gpsieve_info"
  )
}

blas_gemm_rate <- function(size) {
  x <- matrix(0.5, size, size)
  seconds <- sum(system.time(x %*% x, gcFirst = FALSE)[1:2])
  2e-9 * size^3 / max(seconds, 1e-3)
}

#' @export
print.gpsieve_info <- function(x, ...) {
  cat("gpsieve ", x$version, ", instructions ", x$isa, ", threads ", x$threads,
    " (", x$threading, ")\n", sep = "")
  cat("  matrix products ", number_text(x$gemm, 3), " GFlop/s; R's BLAS ",
    number_text(x$blas_gemm, 3), "\n", sep = "")
  for (part in c("kernels", "likelihoods")) {
    cat(strwrap(paste0(part, ": ", paste(x[[part]], collapse = ", ")), indent = 2, exdent = 4),
      sep = "\n")
  }
  invisible(x)
}
