# Active learning: ask for the label that tells most.
library(gpsieve)

set.seed(1)
pool <- matrix(runif(400, -2, 2), 200, dimnames = list(NULL, c("a", "b")))
label <- function(x) factor(sin(2 * x[, 1]) > x[, 2], c(FALSE, TRUE))
known <- 1:10
fit <- online_gp(pool[known, ], label(pool[known, ]), seed = 1)
for (step in 1:20) {
  rest <- setdiff(seq_len(nrow(pool)), known)
  ask <- rest[which.max(query_score(fit, pool[rest, ], "bald"))]
  fit <- update(fit, pool[ask, , drop = FALSE], label(pool[ask, , drop = FALSE]))
  known <- c(known, ask)
}
mean(predict(fit, pool) == label(pool))
