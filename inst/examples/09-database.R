# A table in a database, read block by block; predictions go back into the database. Then counts of
# words in texts, as a sparse matrix.
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

if (requireNamespace("Matrix", quietly = TRUE)) {
  library(gpsieve)

  # 2,000 texts with 10,000 words to choose from; about 40 words a text. Some words are of sports,
  # others of politics.
  set.seed(2)
  n <- 2000
  p <- 10000
  topic <- factor(sample(c("politics", "sports"), n, replace = TRUE))
  frequency <- 1 / (50 + seq_len(p))
  favours <- sample(c(0.5, 1, 2), p, replace = TRUE)
  counts <- do.call(rbind, lapply(seq_len(n), function(text) {
    bias <- if (topic[text] == "sports") favours else 1 / favours
    data.frame(text = text, word = sample.int(p, 40, replace = TRUE, prob = frequency * bias))
  }))
  texts <- Matrix::sparseMatrix(i = counts$text, j = counts$word, x = 1, dims = c(n, p))
  print(object.size(texts), units = "MB") # dense, it would take 160 MB

  # Counts compare with each other as they are. A linear kernel is the usual one for words.
  train <- 1:1500
  fit <- ivm(texts[train, ], topic[train],
    kernel = kernel_linear(), n_active = 200, standardise = FALSE, seed = 1
  )
  print(fit)
  print(mean(predict(fit, texts[-train, ]) == topic[-train]))
}
