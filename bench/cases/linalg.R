# The dense linear algebra of the core compared with Eigen, R's BLAS and OpenBLAS, by the program in
# bench/core, which is compiled with -O2 as R compiles the package. rates.R prints the results.

linalg_cases <- c(
  gemm = "Matrix products, plain and with the left factor transposed",
  syrk = "A matrix times its transpose, lower triangle",
  trsm = "Triangular solves, from the left and from the right",
  chol = "Cholesky factors",
  gram = "RBF kernel values of n and n / 2 points with 169 inputs; flops of the product only",
  exp = "Exponentials of n^2 numbers; values instead of flops"
)

# What all of them show.
linalg_shows <- paste(
  "The dense linear algebra of the core by itself, on every instruction set and for sizes 4 to",
  "4000, beside Eigen with the same flags, R's BLAS (to size 1000) and OpenBLAS under each of",
  "several `OPENBLAS_CORETYPE`s. The cases run `bench/core/linalg_bench`, which `make -C",
  "bench/core` compiles with -O2 and without options for a special processor, as R compiles the",
  "package. They use one thread and measure CPU time. The engines run in turn within one process,",
  "and the median of five rounds is reported (of three rounds if one call takes a second), so",
  "that other work on the computer slows all columns alike. OpenBLAS is Debian's",
  "`libopenblas0-pthread`, downloaded by `apt-get download` and unpacked into R's temporary",
  "folder, which leaves the BLAS of the system unchanged. Rates are 1e9 floating-point operations",
  "per second; `gram` counts only the operations of the product of the inputs, and `exp` counts",
  "values. Routines that overwrite their argument start from a new copy of it; the time of the",
  "copy is included in every column."
)

#' Every engine alone, then the best instruction set together with each BLAS
#'
#' The two sides of a comparison run in turn in one process, so that other work on the computer
#' slows both alike.
linalg_rates <- function(name, options) {
  program <- build_linalg_bench()
  sizes <- c(16, 32, 64, 100, 200, 500, 1000, 2000, 4000)
  sizes <- sizes[sizes <= min(options$largest, if (options$quick) 200)]
  own <- run_linalg_bench(program, name, c(4, 5, 6, 8, 12, sizes), "portable,avx2,avx512,Eigen")
  rates <- list(data.frame(blas = "", own))
  if (name %in% c("gemm", "syrk", "trsm", "chol")) {
    for (blas in blas_choices()) {
      fitting <- sizes[sizes <= blas$largest]
      found <- run_linalg_bench(program, name, fitting, "best,BLAS", blas$libraries, blas$type)
      rates <- c(rates, list(data.frame(blas = blas$name, found)))
    }
  }
  do.call(rbind, rates)
}

build_linalg_bench <- function() {
  folder <- file.path(here, "core")
  if (system2("make", c("-s", "-C", shQuote(folder), "build/linalg_bench"), stderr = FALSE) != 0) {
    stop("bench/core does not build; try make -C ", folder, call. = FALSE)
  }
  file.path(folder, "build", "linalg_bench")
}

run_linalg_bench <- function(program, cases, sizes, engines, libraries = NULL, type = "") {
  arguments <- c(
    paste0("--cases=", cases), paste0("--sizes=", paste(sizes, collapse = ",")),
    paste0("--engines=", engines),
    if (length(libraries)) shQuote(paste0("--blas=", paste(libraries, collapse = ",")))
  )
  threads <- c("OPENBLAS_NUM_THREADS=1", "OMP_NUM_THREADS=1")
  type <- if (nzchar(type)) paste0("OPENBLAS_CORETYPE=", type)
  lines <- system2(program, arguments, stdout = TRUE, env = c(threads, type))
  utils::read.csv(text = lines)
}

#' The BLAS libraries: R's BLAS and LAPACK (to size 1000, because the reference BLAS takes a minute
#' for 4000), and OpenBLAS with the kernels it selects and with those of several other processors
blas_choices <- function() {
  own <- list(
    name = "R's", libraries = unname(c(extSoftVersion()[["BLAS"]], La_library())), type = "",
    largest = 1000
  )
  open <- open_blas()
  types <- c("", "Prescott", "Sandybridge", "Haswell", "Zen", "SkylakeX")
  choices <- lapply(if (is.null(open)) character() else types, function(type) {
    name <- paste("OpenBLAS", if (nzchar(type)) type else "as detected")
    list(name = name, libraries = open, type = type, largest = Inf)
  })
  c(list(own), choices)
}

#' Unpacks Debian's OpenBLAS into the temporary folder of the R session; NULL if that fails
#'
#' The BLAS of the system is not changed.
open_blas <- function() {
  folder <- file.path(tempdir(), "openblas")
  found <- function() {
    list.files(folder, "^libopenblasp.*[.]so$", recursive = TRUE, full.names = TRUE)
  }
  if (!length(found()) && nzchar(Sys.which("apt-get")) && nzchar(Sys.which("dpkg"))) {
    dir.create(folder, showWarnings = FALSE)
    before <- setwd(folder)
    on.exit(setwd(before))
    system2("apt-get", c("download", "libopenblas0-pthread"), stdout = FALSE, stderr = FALSE)
    for (package in Sys.glob("*.deb")) system2("dpkg", c("-x", package, "."))
  }
  if (length(found())) return(found()[[1L]])
  message("OpenBLAS: left out, libopenblas0-pthread cannot be downloaded")
  NULL
}
