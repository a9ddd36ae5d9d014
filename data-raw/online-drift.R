# A stream whose lengthscale and noise change at once, and one whose function changes slowly, with
# fixed hyper-parameters, with hyper-parameters that follow, and with forgetting, for
# vignettes/online.Rmd. From the root of the repository:
#
#   Rscript data-raw/online-drift.R
#
# Needs the package installed. Writes vignettes/results/online-drift.csv; about five minutes on one
# core.

suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")
store <- open_store("online-drift")

rows <- 3000
change <- 1500
block <- 50

draw_function <- function(x, lengthscale) {
  k <- kernel_matrix(kernel_rbf(1, lengthscale), matrix(x))
  drop(crossprod(chol(k + diag(1e-6, length(x))), stats::rnorm(length(x))))
}

#' From row `change` on another function, with a shorter lengthscale and more noise
sudden <- function(seed) {
  set.seed(seed)
  x <- stats::runif(rows, -3, 3)
  before <- seq_len(change)
  y <- c(
    draw_function(x[before], 1.5) + stats::rnorm(change, sd = 0.1),
    draw_function(x[-before], 0.3) + stats::rnorm(rows - change, sd = 0.4)
  )
  list(x = matrix(x), y = y)
}

#' A function of the input that moves along it as the rows pass
slow <- function(seed) {
  set.seed(seed)
  x <- stats::runif(rows, -3, 3)
  phase <- stats::runif(1, 0, 2 * pi) + seq_len(rows) / 300
  list(x = matrix(x), y = sin(2 * x + phase) + stats::rnorm(rows, sd = 0.1))
}

ways <- list(
  fixed = control_online(), follow = control_online(learn_every = 100, learn_window = 300),
  forget = control_online(forget = 500),
  both = control_online(learn_every = 100, learn_window = 300, forget = 500)
)

# The evidence grows by the log density of every row before it is absorbed.
one_stream <- function(name, seed, way) {
  unit(store, paste(name, seed, way, sep = "-"), function() {
    data <- if (name == "sudden") sudden(seed) else slow(seed)
    take <- function(from, to) {
      list(data$x[from:to, , drop = FALSE], data$y[from:to])
    }
    first <- take(1, 300)
    time <- system.time({
      fit <- online_gp(first[[1]], first[[2]], budget = 60, control = ways[[way]], seed = seed,
        shuffle = FALSE, standardise = FALSE, verbose = FALSE
      )
      table <- NULL
      for (from in seq(301, rows, by = block)) {
        new <- take(from, from + block - 1)
        before <- evidence(fit)$value
        fit <- update(fit, new[[1]], new[[2]], verbose = FALSE)
        table <- rbind(table, data.frame(
          stream = name, seed = seed, way = way, row = from,
          loss = (before - evidence(fit)$value) / block,
          lengthscale = coef(fit)[["lengthscale"]], noise = coef(fit)[["likelihood.variance"]]
        ))
      }
    })
    cbind(table, cpu = sum(time[c("user.self", "sys.self")]))
  })
}

cases <- expand.grid(way = names(ways), seed = 1:10, name = c("sudden", "slow"),
  stringsAsFactors = FALSE
)
# Before the change, soon after it, and later, by the first row of each part.
starts <- c(301, change + 1, change + 301)
by_part <- function(blocks) {
  blocks$row <- starts[findInterval(blocks$row, starts)]
  stats::aggregate(cbind(loss, lengthscale, noise, cpu) ~ stream + way + seed + row, blocks, mean)
}
first_units("online-drift.csv" = by_part(one_stream("slow", 1, "fixed"))[1L, ])
blocks <- do.call(rbind, Map(one_stream, cases$name, cases$seed, cases$way))
store_results(by_part(blocks), "online-drift.csv")
