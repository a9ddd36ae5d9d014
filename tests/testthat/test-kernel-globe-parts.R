# gpsieve() with places on the globe: folds of whole blocks, sums and products on parts of the rows.

places <- with_own_seed(5, data.frame(
  lon = runif(30, -180, 180), lat = runif(30, -80, 80), day = runif(30)
))
places$y <- sin(places$lat / 30) + cos(places$lon / 60)

test_that("folds of whole blocks are those of the recipe", {
  block <- interaction(floor(places$lon / 60), floor(places$lat / 40), drop = TRUE)
  fold <- as.integer(block) %% 3
  expect_silent(fit <- gpsieve(y ~ lon + lat, places, kernel = kernel_rich(), folds = fold,
    seed = 1, verbose = FALSE))
  expect_identical(fit$choice$held_out[["rows"]], 30)
})

test_that("sums and products of places and times are fitted on parts of the rows", {
  many <- with_own_seed(6, data.frame(
    lon = runif(900, -180, 180), lat = runif(900, -80, 80), day = runif(900)
  ))
  many$y <- sin(many$lat / 30) + cos(many$lon / 60) + many$day
  globe <- kernel_great_circle(c("lon", "lat"), nu = 0.5)
  fit <- gpsieve(y ~ ., many, seed = 1, verbose = FALSE,
    kernel = globe * kernel_on(kernel_matern(0.5), "day") + globe + kernel_constant(),
    control = control_gpsieve(dense_rows = 300, leaf_rows = 200))
  expect_true(any(grepl("in parts", choice(fit)$label)))
  new <- data.frame(lon = c(-179.99, 179.99), lat = 10, day = 0.5)
  expect_lt(diff(range(predict(fit, new))), 0.05)
})
