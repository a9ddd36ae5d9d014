# Rows that come in chunks, as from a file that is too large to read at once.
library(gpsieve)

file <- tempfile(fileext = ".csv")
set.seed(1)
x <- runif(5000, -3, 3)
write.csv(data.frame(x = x, y = sin(2 * x) + rnorm(5000, sd = 0.2)), file, row.names = FALSE)

connection <- file(file, "r")
first <- read.csv(connection, nrows = 1000)
fit <- online_gp(first["x"], first$y, budget = 50, seed = 1)
repeat {
  chunk <- read.csv(connection, nrows = 1000, header = FALSE, col.names = names(first))
  if (nrow(chunk) == 0) break
  fit <- update(fit, chunk["x"], chunk$y)
}
close(connection)
fit
sqrt(mean((predict(fit, data.frame(x = -3:3)) - sin(2 * -3:3))^2))

# The same file as a source of rows: it is read block by block, again in every epoch, and the fit
# needs memory for one window of rows. The state is written to a file every minute.
source <- rows_from_files(file, block_rows = 1000)
state <- tempfile(fileext = ".rds")
fit <- ep_gp(y ~ x, source,
  inducing = 20, batch_size = 100, epochs = 4, seed = 1,
  control = control_ep(window = 1000, checkpoint = state, every = 60)
)
fit
sqrt(mean((predict(fit, data.frame(x = -3:3)) - sin(2 * -3:3))^2))

# Predictions for the rows of a source go to a file, block by block.
answers <- predict(fit, source, into = tempfile(fileext = ".csv"))
head(read.csv(answers))
