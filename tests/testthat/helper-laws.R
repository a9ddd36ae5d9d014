# Rows with inputs and responses of all kinds, for the laws of how rows are read.

rows_of_law <- function(n = 24) {
  with_own_seed(5, {
    d <- data.frame(x = runif(n, 1, 9), kind = rep(c("a", "b", "c"), length.out = n))
    d$f <- sin(d$x) + (d$kind == "b")
    d$number <- d$f + rnorm(n, sd = 0.1)
    d$shift <- round(rnorm(n), 2)
    d$w <- rep(1:3, length.out = n)
    d$s <- runif(n, 0.1, 0.2)
    d$count <- rpois(n, exp(d$f))
    d$group <- factor(rep(c("g", "h"), length.out = n))
    d$class <- ifelse(d$f + rnorm(n, sd = 0.3) > 0, "yes", "no")
    d$many <- cut(d$f, c(-9, -0.3, 0.6, 9), labels = c("u", "v", "w"))
    d$grade <- factor(d$many, ordered = TRUE)
    d$flag <- d$class == "yes"
    d$hits <- rbinom(n, 5, plogis(d$f))
    d
  })
}
