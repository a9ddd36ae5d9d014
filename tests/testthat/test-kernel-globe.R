# Kernels of longitude and latitude. Their formula is compared in test-kernel-matrix.R.

places <- function() {
  rbind(
    c(180, 10), c(-180, 10), c(0, 90), c(77, 90), c(-30, -90), c(150, 90), c(10, 20), c(370, 20)
  )
}

test_that("meridians meet at the poles, and turns of 360 degrees change nothing", {
  kernels <- list(
    kernel_great_circle(nu = 2.5, lengthscale = 1000),
    kernel_great_circle(nu = 0.5, lengthscale = 1000, distance = "arc")
  )
  for (kernel in kernels) {
    k <- kernel_matrix(kernel, places())
    expect_equal(k[1, 2], 1, tolerance = 1e-10)
    expect_equal(k[3, 4], 1, tolerance = 1e-10)
    expect_equal(k[7, 8], 1, tolerance = 1e-10)
    expect_equal(k[3, ], k[6, ], tolerance = 1e-10)
  }
})

test_that("lengths are in the unit of the radius", {
  x <- matrix(c(0, 90, 180, 0, 0, 0), 3)
  radians <- kernel_great_circle(nu = 0.5, lengthscale = 1, distance = "arc", radius = 1)
  expect_equal(-log(kernel_matrix(radians, x)[1, ]), c(0, pi / 2, pi))
  chord <- kernel_matrix(kernel_great_circle(nu = 0.5, lengthscale = 6371), x)
  expect_equal(-log(chord[1, ]), c(0, sqrt(2), 2))
})

test_that("an open lengthscale is the median distance of the places", {
  set.seed(1)
  x <- cbind(runif(30, -180, 180), runif(30, -90, 90))
  in_space <- function(x) {
    a <- x * pi / 180
    cbind(cos(a[, 2]) * cos(a[, 1]), cos(a[, 2]) * sin(a[, 1]), sin(a[, 2]))
  }
  chords <- stats::dist(in_space(x))
  open <- function(...) kernel_resolve(kernel_great_circle(...), x)$values$lengthscale
  expect_equal(open(), 6371 * median(chords))
  expect_equal(open(nu = 0.5, distance = "arc", radius = 1), median(2 * asin(chords / 2)))
  same <- x[c(1, 1, 1), ]
  expect_equal(kernel_resolve(kernel_great_circle(), same)$values$lengthscale, 6371)
  expect_equal(kernel_resolve(kernel_great_circle(), x[1, , drop = FALSE])$values$lengthscale, 6371)
})

test_that("a fit does not depend on how its inputs are standardised", {
  data <- quakes[1:60, ]
  at <- quakes[101:110, ]
  # The response is on one scale in all fits.
  data$depth <- (data$depth - mean(data$depth)) / sd(data$depth)
  for (distance in c("chord", "arc")) {
    fit <- function(standardise) {
      meanfield_gp(depth ~ mag + long + lat, data, likelihood = lik_gaussian(0.1), seed = 1,
        kernel = kernel_great_circle(c("long", "lat"), nu = 0.5, distance = distance),
        standardise = standardise, optimise = FALSE
      )
    }
    plain <- fit(FALSE)
    for (standardise in list(TRUE, "common")) {
      expect_equal(predict(fit(standardise), at), predict(plain, at), tolerance = 1e-6)
      expect_equal(coef(fit(standardise)), coef(plain), tolerance = 1e-6)
    }
  }
})

test_that("a learned kernel is reported in kilometres and makes the same fit again", {
  data <- quakes[1:150, ]
  fit <- meanfield_gp(depth ~ long + lat, data, seed = 1,
    kernel = kernel_great_circle(c("long", "lat"))
  )
  # Earthquakes near Fiji: hundreds of kilometres, not degrees or radians.
  expect_gt(coef(fit)[["lengthscale"]], 100)
  expect_lt(coef(fit)[["lengthscale"]], 10000)
  said <- paste(utils::capture.output(print(summary(fit))), collapse = " ")
  expect_match(gsub(" +", " ", said), "lengths on the globe in the unit of its radius")
  expect_null(kernel_of(fit)$children[[1]]$degrees)
  expect_identical(eval(parse(text = format(kernel_of(fit), digits = 17))), {
    kernel <- kernel_of(fit)
    kernel$dims <- as.integer(kernel$dims)
    kernel
  })
  expect_equal(predict(update(fit, data = data, optimise = FALSE), quakes[151:160, ]),
    predict(fit, quakes[151:160, ]), tolerance = 1e-8
  )
  turned <- transform(quakes[151:160, ], long = long - 360)
  expect_equal(predict(fit, turned), predict(fit, quakes[151:160, ]), tolerance = 1e-8)
})

test_that("every model takes places, alone and times another input", {
  data <- transform(quakes[1:80, ], deep = factor(depth > 300))
  kernel <- kernel_great_circle(c("long", "lat")) * kernel_on(kernel_rbf(), "mag")
  for (name in names(model_specs())) {
    spec <- model_specs()[[name]]
    fit <- do.call(spec$fit, c(
      list(depth ~ long + lat + mag, data, kernel = kernel, seed = 1), spec$learning
    )) |> suppressWarnings(classes = "gpsieve_warning")
    expect_gt(cor(predict(fit, data), data$depth), 0.5, label = name)
    expect_gt(coef(fit)[["great_circle.lengthscale"]], 1, label = name)
  }
})

test_that("sums and products of every kernel divide rows among machines, with places or without", {
  set.seed(2)
  n <- 300
  data <- data.frame(lon = runif(n, -180, 180), lat = runif(n, -80, 80), t = runif(n),
    g = factor(rep(c("u", "v", "w"), n / 3)))
  data$y <- sin(data$lon / 60) + cos(data$lat / 40) + data$t + rnorm(n) / 10
  places <- kernel_great_circle(c("lon", "lat"))
  other <- kernel_on(kernel_rbf(), "t")
  kernels <- list(
    places + places + kernel_constant(), places + other, places * other + places,
    kernel_rich() + places, places * kernel_constant() + places * kernel_on(kernel_linear(), "t"),
    places * kernel_categorical("g") + other, kernel_categorical("g") + other + kernel_linear()
  )
  for (kernel in kernels) {
    fit <- suppressWarnings(gpsieve(y ~ ., data, kernel = kernel, seed = 1, verbose = FALSE,
      control = control_gpsieve(leaf_rows = 100, dense_rows = 50, folds = 2)))
    expect_gt(cor(predict(fit, data), data$y), 0.5, label = format(kernel))
  }
})

test_that("the prior and the cuts of machines know how long a degree is", {
  set.seed(1)
  x <- cbind(rnorm(400, 100, 2), rnorm(400, 60, 3))
  kernel <- kernel_resolve(kernel_great_circle(lengthscale = 500), x / 10,
    scale = c(10, 10), center = c(0, 60)
  )
  # At 60 degrees north a degree of longitude is half as long as one of latitude.
  degree <- 6371 * pi / 180
  expect_equal(kernel_rates(kernel, 2L)$rate, 10 * degree * c(0.5, 1) / 500)
  places <- kernel_resolve(kernel_great_circle(lengthscale = 6371, nu = 0.5), x)
  squared <- (6371 * log(kernel_matrix(places, x)))^2
  of_prior <- lengthscale_prior(kernel, 1L, apply(x / 10, 2, var), prior_weak())
  expect_equal(exp(of_prior$center), sqrt(mean(squared)), tolerance = 0.02)
  everywhere <- lengthscale_prior(kernel, 1L, c(100, 50), prior_weak())
  expect_equal(exp(everywhere$center), 6371 * sqrt(2))
})

test_that("what is no place on a sphere is refused", {
  data <- quakes[1:30, ]
  expect_snapshot(error = TRUE, {
    kernel_great_circle(nu = 1.5, distance = "arc")
    kernel_great_circle(lengthscale = c(1, 2))
    kernel_great_circle(radius = 0)
    kernel_great_circle(dims = 0)
    kernel_great_circle(distance = "straight")
    ivm(depth ~ lat + long, data, kernel = kernel_great_circle(c("lat", "long")))
    ivm(depth ~ lat + long + mag, data, kernel = kernel_great_circle())
    kernel_matrix(kernel_great_circle(), cbind(lon = 1:2, lat = c(0, 91)))
    kernel_matrix(kernel_great_circle(), matrix(0, 1, 2), matrix(c(0, -91), 1))
  })
})

test_that("kernels of places print as the expression that makes them", {
  kernels <- list(
    kernel_great_circle(), kernel_great_circle(c("long", "lat"), lengthscale = fixed(250)),
    kernel_great_circle(2:1, nu = 0.5, lengthscale = 0.5, distance = "arc", radius = 1)
  )
  for (kernel in kernels) expect_identical(eval(parse(text = format(kernel))), kernel)
  expect_snapshot(kernels)
})
