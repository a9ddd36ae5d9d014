# What the scripts of this folder share: the kernel, the ratio of the normal density and
# distribution function, and reading, comparing and writing the files of reference values.

# variance exp(-sum_l (x_l - z_l)^2 / (2 lengthscale_l^2)) for the rows of x and z
golden_rbf <- function(x, z, variance, lengthscale) {
  x <- sweep(x, 2, lengthscale, "/")
  z <- sweep(z, 2, lengthscale, "/")
  d2 <- matrix(0, nrow(x), nrow(z))
  for (l in seq_len(ncol(x))) d2 <- d2 + outer(x[, l], z[, l], "-")^2
  variance * exp(-d2 / 2)
}

# With r = N(z) / Phi(z): log Phi(z), r, r + z and 1 - r (r + z), none of them a difference of
# nearly equal numbers. Below -5 they come from the continued fraction r = x + 1 / (x + 2 / (x +
# ...)) at x = -z.
normal_ratio <- function(z) {
  z <- as.vector(z)
  log_cdf <- pnorm(z, log.p = TRUE)
  r <- exp(dnorm(z, log = TRUE) - log_cdf)
  sum <- r + z
  slope <- 1 - r * sum
  far <- which(z < -5)
  if (length(far)) {
    x <- -z[far]
    tail <- x
    for (k in 120:3) tail <- x + k / tail
    second <- 2 / tail
    sum[far] <- 1 / (x + second)
    r[far] <- x + sum[far]
    slope[far] <- sum[far] * (second - sum[far])
  }
  list(log_cdf = log_cdf, r = r, sum = sum, slope = slope)
}

golden_file <- function(name) file.path("tests", "testthat", "golden", name)

read_golden <- function(name) {
  jsonlite::fromJSON(golden_file(paste0(name, ".json")), simplifyDataFrame = FALSE)
}

write_golden <- function(values, name, folder) {
  dir.create(folder, showWarnings = FALSE, recursive = TRUE)
  jsonlite::write_json(values, file.path(folder, paste0(name, ".json")),
    digits = I(17), auto_unbox = TRUE, null = "null"
  )
}

# The largest difference of two lists of numbers, relative to the largest number of a vector where
# that is above 1, with the place where it is. What is not a number must be identical.
largest_difference <- function(found, stored, place = "") {
  if (is.list(stored)) {
    keys <- if (is.null(names(stored))) seq_along(stored) else names(stored)
    worst <- list(difference = 0, place = place)
    if (length(found) != length(stored)) return(list(difference = Inf, place = place))
    for (key in keys) {
      here <- largest_difference(found[[key]], stored[[key]], paste0(place, "/", key))
      if (here$difference > worst$difference) worst <- here
    }
    return(worst)
  }
  difference <- if (length(found) != length(stored)) {
    Inf
  } else if (!is.numeric(stored)) {
    if (identical(as.vector(found), as.vector(stored))) 0 else Inf
  } else if (!length(stored)) {
    0
  } else {
    max(abs(as.vector(found) - as.vector(stored))) / max(1, abs(stored))
  }
  if (is.na(difference)) difference <- Inf
  list(difference = difference, place = place)
}
