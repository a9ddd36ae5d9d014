# A table in a database, read block by block; predictions go back into the database.
if (requireNamespace("RSQLite", quietly = TRUE)) {
  library(gpsieve)

  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  set.seed(1)
  x <- runif(5000, -3, 3)
  readings <- data.frame(id = seq_along(x), x = x, y = sin(2 * x) + rnorm(5000, sd = 0.2))
  DBI::dbWriteTable(con, "readings", readings)

  # With a key each block is a query of its own, in the order of the key.
  source <- rows_from_db(con, "readings", key = "id", block_rows = 1000)
  fit <- online_gp(y ~ x, source, budget = 40, seed = 1)
  print(fit)

  predict(fit, source, into = list(con, "predicted"))
  print(DBI::dbGetQuery(con, "SELECT * FROM predicted LIMIT 3"))
  DBI::dbDisconnect(con)
}
