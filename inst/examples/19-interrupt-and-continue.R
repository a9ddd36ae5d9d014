# A long fit: watch it, interrupt it, go on from where it was.
library(gpsieve)

set.seed(1)
x <- runif(20000, -3, 3)
data <- data.frame(x = x, y = sin(2 * x) + rnorm(20000, sd = 0.2))
blocks <- split(data, rep(1:20, each = 1000))

# The blocks as a source of rows. The fit reads all of them twice to know the columns, and learns in
# the third pass; this source fails in that pass at block `fails`, as Ctrl-C would stop it.
source_of_blocks <- function(fails = Inf) {
  at <- 0
  pass <- 0
  rows_from_function(function(reset = FALSE) {
    if (reset) {
      at <<- 0
      pass <<- pass + 1
      return(invisible(NULL))
    }
    at <<- at + 1
    if (pass > 2 && at == fails) stop("interrupted")
    if (at <= length(blocks)) blocks[[at]]
  })
}

# The state is written to the file after every window of rows; verbose = TRUE shows a progress bar.
state <- tempfile(fileext = ".rds")
learn <- function(source, ...) {
  online_gp(y ~ x, source, budget = 40, seed = 1, verbose = FALSE,
    control = control_online(window = 1000, checkpoint = state, every = 0), ...
  )
}
try(learn(source_of_blocks(fails = 12)))

# What was learned until then predicts already.
half <- readRDS(state)
nobs(half)

# The rest of the rows: the same bits as without the interruption.
fit <- learn(source_of_blocks(), resume = state)
nobs(fit)
whole <- learn(source_of_blocks())
identical(predict(fit, data[1:5, ]), predict(whole, data[1:5, ]))
plot(fit, "trace")
