# How the kernel of tools/demo.R was chosen: a small grid, on training rows alone. The first 12,000
# training rows are fitted with 300 active points per class, the other 4,000 judge. Variance 100 and
# lengthscale 2.83 have the smallest error, and a log loss within a hundredth of the smallest. About
# two minutes of CPU.

suppressPackageStartupMessages(library(gpsieve))
utils::data("LetterRecognition", package = "mlbench")
fitted_rows <- LetterRecognition[1:12000, ]
judging_rows <- LetterRecognition[12001:16000, ]

judge <- function(variance, lengthscale) {
  fit <- ivm(lettr ~ ., fitted_rows,
    kernel = kernel_rbf(variance = variance, lengthscale = lengthscale), n_active = 300,
    optimise = FALSE, seed = 1, threads = 2
  )
  probability <- predict(fit, judging_rows, type = "prob", threads = 2)
  truth <- as.integer(judging_rows$lettr)
  row <- data.frame(
    variance = variance, lengthscale = lengthscale,
    log_loss = -mean(log(probability[cbind(seq_along(truth), truth)])),
    error = mean(max.col(probability, "first") != truth)
  )
  cat(sprintf("variance %5.0f  lengthscale %4.2f  log loss %.4f  error %.2f %%\n",
    variance, lengthscale, row$log_loss, 100 * row$error
  ))
  row
}

grid <- expand.grid(variance = c(10, 100, 1000), lengthscale = c(2, 2.83, 4))
rows <- do.call(rbind, Map(judge, grid$variance, grid$lengthscale))
cat("\nBest first, by log loss\n")
print(rows[order(rows$log_loss), ], row.names = FALSE, digits = 4)
