# What only sources of rows have: blocks that differ, an order of their own, and queries.

test_that("blocks of a source may have time differences in units of their own", {
  d <- rows_of_law()
  d$wait <- as.difftime(30 * round(d$x * 4), units = "mins")
  blocks <- list(d[1:10, ], d[11:24, ])
  units(blocks[[2L]]$wait) <- "hours"
  at <- 0
  source <- rows_from_function(function(reset) {
    at <<- if (reset) 0 else at + 1
    if (!reset && at < 3) blocks[[at]]
  })
  fit <- function(data) {
    ep_gp(number ~ log1p(as.numeric(wait)), data, inducing = 6, optimise = FALSE, seed = 1)
  }
  expect_equal(predict(fit(source), d), predict(fit(d), d), tolerance = 1e-8)
})

test_that("the active set of a shuffled source has the numbers of its rows", {
  d <- rows_of_law()
  fit <- online_gp(number ~ x, rows_of_frame(d, 10), budget = 6, kernel = kernel_rbf(1, 0.7),
    optimise = FALSE, seed = 1)
  basis <- fit$basis * fit$inputs$scale + fit$inputs$center
  expect_equal(d$x[active_set(fit)], drop(unname(basis)), tolerance = 1e-12)
})

test_that("queries may end in a semicolon and have comments", {
  skip_if_not_installed("RSQLite")
  con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
  withr::defer(DBI::dbDisconnect(con))
  d <- rows_of_law()[c("x", "number")]
  DBI::dbWriteTable(con, "d", cbind(k = seq_len(nrow(d)), d))
  fit <- function(data) ep_gp(number ~ x, data, inducing = 6, optimise = FALSE, seed = 1)
  held <- predict(fit(d), d)
  for (query in c("SELECT * FROM d;", "-- all\nSELECT * FROM d ; -- of them",
    "(SELECT * FROM d) -- x; y", "/* a */ with e as (select * from d) select * from e;")) {
    for (key in list(NULL, "k")) {
      # SQLite takes no query in parentheses by itself.
      if (is.null(key) && startsWith(query, "(")) next
      expect_equal(predict(fit(rows_from_db(con, query, key = key, block_rows = 9)), d), held,
        tolerance = 1e-8)
    }
  }
})

test_that("offsets of counts and classes count in a source as they do in memory", {
  d <- rows_of_law()
  offset_of <- list(
    list(count ~ x + offset(shift), lik_poisson()), list(class ~ x + offset(shift), NULL),
    list(cbind(hits, 5 - hits) ~ x, lik_binomial()),
    list(cbind(hits, 5 - hits) ~ x + offset(shift), lik_binomial())
  )
  models <- list(
    function(...) ep_gp(..., inducing = 8),
    function(...) ep_gp(..., inducing = 8, batch_size = 5, control = control_ep(window = 7)),
    function(...) online_gp(..., budget = 8, shuffle = FALSE),
    function(...) ivm(..., n_active = 8, leaf_rows = 12)
  )
  for (model in models) for (one in offset_of) {
    fit <- function(data) {
      fit <- model(one[[1L]], data, kernel = kernel_rbf(1, 0.7), likelihood = one[[2L]],
        optimise = FALSE, seed = 1)
      latent <- predict(fit, d, type = "link", se.fit = TRUE)
      list(latent$fit, latent$se.fit, evidence(fit)$value)
    }
    source <- rows_of_frame(d, 10)
    held <- fit(d)
    expect_equal(fit(source), held, tolerance = 1e-10)
    copied <- source
    copied$copied <- TRUE
    expect_equal(fit(copied), held, tolerance = 1e-10)
  }
})
