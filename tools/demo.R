# What the package does, in a minute or two: 26 classes on two threads, with probabilities and a
# look at how far they can be believed. `make demo` runs it; it leaves demo.png behind.
#
# The data: 20,000 images of printed capital letters described by 16 numbers each. The first 16,000
# rows train and the last 4,000 test, as the data set's documentation has it.
#
# The kernel was chosen beforehand, on training rows alone, by tools/demo-grid.R: hence
# optimise = FALSE. The test rows played no part in it.

suppressPackageStartupMessages(library(gpsieve))
utils::data("LetterRecognition", package = "mlbench")
train <- LetterRecognition[1:16000, ]
test <- LetterRecognition[16001:20000, ]

say <- function(...) cat(sprintf(...), "\n", sep = "")
cpu <- function(time) sum(time[c("user.self", "sys.self")])

say("Letters: %d classes, %d inputs, %d training rows, %d test rows.",
  nlevels(train$lettr), ncol(train) - 1L, nrow(train), nrow(test))
say("The kernel, variance 100 and lengthscale 2.83 on standardised inputs, was chosen on training")
say("rows alone by the grid of tools/demo-grid.R.")
say("Fitting 26 machines of 500 active rows each, on two threads ...\n")

fit_time <- system.time(
  fit <- ivm(lettr ~ ., train,
    kernel = kernel_rbf(variance = 100, lengthscale = 2.83), n_active = 500, optimise = FALSE,
    seed = 1, threads = 2, verbose = TRUE
  )
)
print(fit)
say("The line `held out` leaves out one training row at a time, which flatters 26 machines")
say("together; the figures of the test rows follow.")

predict_time <- system.time({
  class <- predict(fit, test, threads = 2, verbose = TRUE)
  probability <- predict(fit, test, type = "prob", threads = 2, verbose = TRUE)
})
truth <- cbind(seq_len(nrow(test)), as.integer(test$lettr))
correct <- class == test$lettr
confidence <- apply(probability, 1L, max)
sure <- confidence >= stats::median(confidence)

say("\nOn the %d test rows", nrow(test))
say("  error         %.2f %%", 100 * mean(!correct))
say("  log loss      %.3f   (26 equal probabilities: %.3f)",
  -mean(log(probability[truth])), log(26))
say("  surest half   %.2f %% error", 100 * mean(!correct[sure]))
say("  time to fit   %.0f s CPU, %.0f s wall", cpu(fit_time), fit_time[["elapsed"]])
say("  to predict    %.0f s CPU, %.0f s wall", cpu(predict_time), predict_time[["elapsed"]])

grDevices::png("demo.png", width = 1600, height = 800, res = 160)
graphics::par(mfrow = c(1, 2), mar = c(4, 4, 2.5, 1), mgp = c(2.5, 0.7, 0))
plot(fit, "reject", newdata = test, main = "Set the least certain aside")
plot(fit, "reliability", newdata = test, main = "Are the probabilities right?")
invisible(grDevices::dev.off())
say("\ndemo.png has two pictures: the error among the rest when the least certain rows are set")
say("aside, and how often the predicted class is right against its probability. On the dashed")
say("line the probabilities are right, above it they are too modest, below it too bold.")
