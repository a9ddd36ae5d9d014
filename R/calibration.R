# How far probabilities can be trusted: reject curves and reliability tables.

#' Reject curve and reliability table of class probabilities
#'
#' For two classes reliability concerns the probability of the second class, for more the
#' probability of the predicted class.
#' @param probabilities n x K matrix. @param truth factor or integer codes of its columns.
#' @return list(reject, reliability), of a size that does not grow with n.
#' @noRd
calibration_table <- function(probabilities, truth, bins = 10L, points = 101L) {
  truth <- as.integer(truth)
  known <- !is.na(truth) & !is.na(probabilities[, 1L])
  probabilities <- probabilities[known, , drop = FALSE]
  truth <- truth[known]
  predicted <- max.col(probabilities, "first")
  confidence <- probabilities[cbind(seq_along(predicted), predicted)]
  wrong <- predicted != truth
  if (ncol(probabilities) == 2L) {
    list(
      reject = reject_curve(confidence, wrong, points),
      reliability = reliability(probabilities[, 2L], truth == 2L, bins)
    )
  } else {
    list(
      reject = reject_curve(confidence, wrong, points),
      reliability = reliability(confidence, !wrong, bins)
    )
  }
}

#' Error among the rows kept when the least confident share is rejected
#' @noRd
reject_curve <- function(confidence, wrong, points) {
  n <- length(wrong)
  errors <- cumsum(wrong[order(-confidence)])
  rejected <- seq(0, 1, length.out = points)[-points]
  kept <- pmax(1, n - floor(rejected * n))
  data.frame(rejected = rejected, error = errors[kept] / kept)
}

reliability <- function(probability, happened, bins) {
  edges <- seq(0, 1, length.out = bins + 1L)
  bin <- factor(findInterval(probability, edges, rightmost.closed = TRUE), levels = seq_len(bins))
  mean_by <- function(v) as.vector(tapply(v, bin, mean))
  data.frame(
    lower = edges[-(bins + 1L)], upper = edges[-1L],
    predicted = mean_by(probability), observed = mean_by(as.numeric(happened)),
    count = as.vector(table(bin))
  )
}

#' The table of a fit's own leave-one-out probabilities, where the core returned them
#' @noRd
training_calibration <- function(problem, latents) {
  each <- lapply(latents, function(l) l$loo_probability)
  if (!is_classification(problem$response) || any(lengths(each) == 0L)) return(NULL)
  if (length(each) == 1L) {
    calibration_table(cbind(1 - each[[1L]], each[[1L]]), (problem$y[, 1L] + 3) / 2)
  } else {
    weights <- do.call(cbind, each)
    odds <- log(weights) - log1p(-weights)
    calibration_table(exp(normalise_log(odds)), max.col(problem$y, "first"))
  }
}
