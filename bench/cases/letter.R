# mlbench::LetterRecognition: 26 classes, 16 inputs, the first 16000 rows for training as in the
# documentation of the data set.

#' The kernel that tools/demo-grid.R selects, for standardised inputs
letter_kernel <- function() gpsieve::kernel_rbf(variance = 100, lengthscale = 2.83)

letter_case <- list(
  about = "LetterRecognition, 26 classes: IVM plain and refined beside LIBSVM with probabilities",
  shows = paste(
    "26 classes of `mlbench::LetterRecognition`, 16000 / 4000 rows: d = 300 and 500, plain and",
    "refined by three passes, kernel `kernel_rbf(100, 2.83)`; beside LIBSVM with Platt's",
    "probabilities (cost 10, gamma 1/16, which is the same kernel). What refinement does to log",
    "loss with many classes."
  ),
  packages = c("gpsieve", "e1071", "mlbench"),
  seeds = 1:3,
  problems = function(quick) {
    share <- if (quick) 20 else 1
    list(list(
      name = "26 letters", train = 16000 / share, test = 4000 / share,
      sizes = if (quick) c(60, 100) else c(300, 500)
    ))
  },
  data = function(problem, seed) {
    folder <- new.env()
    utils::data("LetterRecognition", package = "mlbench", envir = folder)
    letters <- folder$LetterRecognition
    x <- as.matrix(letters[-1L])
    train <- seq_len(problem$train)
    test <- 16000L + seq_len(problem$test)
    list(x = x[train, ], y = letters$lettr[train], test_x = x[test, ], test_y = letters$lettr[test])
  },
  engines = function(problem) {
    grid <- expand.grid(refine = c(0, 3), n_active = problem$sizes)
    machines <- Map(
      function(n_active, refine) ivm_engine(letter_kernel, n_active, refine, standardise = TRUE),
      grid$n_active, grid$refine
    )
    names(machines) <- sprintf("ivm d=%.0f refine=%d", grid$n_active, grid$refine)
    c(machines, list("svm, Platt" = svm_engine(cost = 10, probability = TRUE)))
  }
)
