# gpsieve(): longitude and latitude are seen, and a kernel of places on the globe is offered.

places <- with_own_seed(5, data.frame(
  lon = runif(30, -180, 180), lat = runif(30, -80, 80), day = runif(30)
))
places$y <- sin(places$lat / 30) + cos(places$lon / 60)

offered <- function(formula, data, ...) {
  said <- list()
  withCallingHandlers(gpsieve(formula, data, ..., seed = 1, verbose = FALSE),
    gpsieve_advice = function(m) {
      said <<- c(said, list(conditionMessage(m)))
      rlang::cnd_muffle(m)
    })
  gsub("\\s+", " ", unlist(said))
}

test_that("places on the globe are offered as a candidate, which can be typed as it stands", {
  line <- offered(y ~ lon + lat + day, places)
  expect_length(line, 1L)
  expect_match(line, "lon and lat are taken for a plane", fixed = TRUE)
  code <- sub("^.*?(list[(].*[)]) compares places.*$", "\\1", line)
  candidates <- eval(parse(text = code))
  expect_length(candidates, 2L)
  expect_silent(fit <- gpsieve(y ~ lon + lat + day, places, candidates = candidates, seed = 1,
    verbose = FALSE))
  expect_true(any(grepl("great_circle", choice(fit)$kernel)))
  # Without other inputs the kernel has no product.
  expect_no_match(offered(y ~ lon + lat, places), "*", fixed = TRUE)
})

test_that("nothing is offered where a plane is as good, or the columns are no places", {
  near <- transform(places, lon = lon / 100, lat = 45 + lat / 100)
  expect_length(offered(y ~ lon + lat, near), 0L)
  expect_length(offered(y ~ lon + lat, transform(places, lat = 2 * lat)), 0L)
  expect_length(offered(y ~ lon + day, places), 0L)
  expect_length(offered(y ~ lon + lat, places, kernel = kernel_rich()), 0L)
})

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
