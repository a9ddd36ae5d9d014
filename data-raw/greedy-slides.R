# The experiments of Smola's slides (ICML 2002) that vignettes/greedy.Rmd shows. From the root of
# the repository:
#
#   Rscript data-raw/greedy-slides.R [--quick] [--only=name]
#
# Needs the package installed, and abalone.csv in the folder named by GPSIEVE_DATA. Writes
#
#   vignettes/results/greedy-kernels.csv         number of functions when the published rule stops,
#                                                and the true excess of the objective then
#   vignettes/results/greedy-counts.csv          number of functions when the published rule stops,
#                                                by width, noise variance and draw
#   vignettes/results/greedy-bars.csv            number of functions for the error bar of one point
#   vignettes/results/greedy-convergence.csv     gap by number of functions and of candidates
#   vignettes/results/greedy-peer.csv            true excess after steps of conjugate gradients
#   vignettes/results/greedy-certificates.csv    bounds on the excess, and the true excess
#   vignettes/results/greedy-variances.csv       latent variances of one fit, and the exact ones
#   vignettes/results/greedy-logit.csv           bounds by selection rule, for two classes
#   vignettes/results/greedy-generalisation.csv  test errors of sparse and exact fits, 80 splits
#   vignettes/results/greedy-spectrum.csv        eigenvalues of the kernel matrix, by width
#   vignettes/results/greedy-newton.csv          objective along Newton's method as the slides print
#                                                its step, and with the identity that it lacks
#   vignettes/results/greedy-removed.csv         difference of predictions when small eigenvalues
#                                                of the kernel matrix are removed
#   vignettes/results/greedy-growth.csv          number of functions by number of rows, by width
#
# Exact minima on 4000 rows are computed from a Cholesky factor of the full matrix with R's BLAS.
# With the reference BLAS each takes about ten seconds, and the whole script six minutes. Those of
# the random splits are the package's, and are stored split by split (data-raw/units.R). --quick has
# 500 rows and writes nothing; --only computes one of the files.

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("data-raw/units.R")
source("bench/sources.R") # abalone() and the slides' kernels: bench/cases/greedy.R
source("data-raw/conjugate-gradients.R")

args <- commandArgs(TRUE)
unknown <- grep("^--(quick|only=[a-z]+)$", args, invert = TRUE, value = TRUE)
if (length(unknown)) stop("unknown: ", toString(unknown), call. = FALSE)
quick <- "--quick" %in% args
only <- sub("--only=", "", grep("^--only=", args, value = TRUE), fixed = TRUE)
all <- abalone()
m <- if (quick) 500 else 4000
widths <- as.numeric(names(slides_counts))
noise <- 0.05

#' Writes a file, unless `--only` names another one; `rows` is then not evaluated
save_results <- function(rows, name) {
  if (length(only) && only != name) return(invisible())
  if (quick) return(print(rows, digits = 3))
  store_results(rows, paste0("greedy-", name, ".csv"))
  cat(name, "\n")
}

#' A fit with given kernel and noise variance, without learning and standardising
plain_fit <- function(x, y, width, noise, ...) {
  greedy_gp(x, y, slides_kernel(width), lik_gaussian(noise),
    optimise = FALSE, standardise = FALSE, verbose = FALSE, ...
  )
}

#' The exact minimum of Q and the weights (K + noise I)^-1 y
exact_fit <- function(x, y, width, noise) {
  factor <- chol(kernel_matrix(slides_kernel(width), x) + diag(noise, nrow(x)))
  weights <- backsolve(factor, backsolve(factor, y, transpose = TRUE))
  # Q_min + noise Q*_min = -|y|^2 / 2 and Q*_min = -y'weights / 2
  list(weights = weights, q = -sum(y^2) / 2 + noise * sum(y * weights) / 2)
}

# --- kernel functions by width -----------------------------------------------------------------

x <- all$x[seq_len(m), ]
y <- all$y[seq_len(m)]
slides_rule <- control_greedy(stop = "duality_gap", dual_candidates = 59)

# The slides do not state the noise variance. Ten draws of the candidates for every width; the exact
# minimum takes ten seconds, so that the excess has one noise variance and five draws only.
seeds <- if (quick) 1:2 else 1:10
by_rule <- function(width, noise, seed, ...) {
  plain_fit(x, y, width, noise, control = slides_rule, seed = seed, ...)
}
#' Numbers of functions when the rule stops, by width and draw
rule_stops <- function(noise, width = widths, seed = seeds) {
  do.call(rbind, lapply(width, function(width) {
    functions <- vapply(seed, function(seed) {
      length(active_set(by_rule(width, noise, seed)))
    }, 0L)
    data.frame(
      width = width, noise = noise, seed = seed, slides = slides_counts[[format(width)]], functions
    )
  }))
}
first_units("greedy-counts.csv" = rule_stops(noise, 1, 1))
save_results(do.call(rbind, lapply(c(noise, 0.04), rule_stops)), "counts")

save_results(do.call(rbind, lapply(widths, function(width) {
  least <- exact_fit(x, y, width, noise)$q
  fits <- lapply(1:5, function(seed) by_rule(width, noise, seed))
  exhaustive <- plain_fit(x, y, width, noise, seed = 1, candidates = Inf,
    control = control_greedy(stop = "duality_gap"))
  counts <- lengths(lapply(fits, active_set))
  missing <- vapply(fits, function(fit) {
    (certificate(fit)$upper - least) / (least + sum(y^2) / 2)
  }, 0)
  data.frame(
    width = width, slides = slides_counts[[format(width)]], mean = mean(counts),
    sd = stats::sd(counts), exhaustive = length(active_set(exhaustive)), missing = mean(missing)
  )
})), "kernels")

# --- error bars --------------------------------------------------------------------------------

points <- all$x[4000 + seq_len(if (quick) 4 else 64), ]

exact_process <- function(x, y, width) {
  meanfield_gp(x, y, slides_kernel(width), lik_gaussian(noise),
    optimise = FALSE, standardise = FALSE, verbose = FALSE
  )
}

#' The latent variances of the exact process at the rows of `new`
exact_variances <- function(width, new) {
  predict(exact_process(x, y, width), new, type = "link", se.fit = TRUE)$se.fit^2
}

#' Number of functions until the interval of E = k'(K + noise I)^-1 k is narrower than 2.5 % of E
#'
#' As in the slides, the primal and the dual form are minimised with k as response, and each
#' function is the best of 59 rows drawn at random.
drawn_size <- function(point, width, seed) {
  k <- drop(kernel_matrix(slides_kernel(width), x, point))
  for (limit in pmin(c(60, 400, 2000), nrow(x))) {
    trace <- fit_trace(plain_fit(x, k, width, noise, n_basis = limit, seed = seed,
      control = control_greedy(bound = "cheap", dual_candidates = 59)
    ))
    above <- (sum(k^2) + 2 * trace$objective) / noise
    below <- (sum(k^2) + 2 * trace$lower) / noise
    narrow <- above - below < 0.025 * (above + below) / 2
    if (any(narrow)) return(trace$size[which(narrow)[1L]])
  }
  NA
}

save_results(do.call(rbind, lapply(widths, function(width) {
  drawn <- vapply(seq_len(nrow(points)), function(i) {
    as.numeric(drawn_size(points[i, , drop = FALSE], width, i))
  }, 0)
  all_rows <- variance_bounds(plain_fit(x, y, width, noise, n_basis = 1, seed = 1), points, x,
    stop = "explained", max_basis = 400)
  data.frame(
    width = width, points = nrow(points), drawn = mean(drawn), drawn_sd = stats::sd(drawn),
    all = mean(all_rows$size), all_sd = stats::sd(all_rows$size),
    variance = stats::median(exact_variances(width, points))
  )
})), "bars")

# --- variances of one fit ----------------------------------------------------------------------

save_results({
  new <- all$x[4000 + seq_len(if (quick) 20 else 177), ]
  exact <- exact_variances(10, new)
  do.call(rbind, lapply(c("dtc", "sor", "upper"), function(variance) {
    fit <- plain_fit(x, y, 10, noise, n_basis = if (quick) 50 else 177, variance = variance,
      seed = 1)
    found <- predict(fit, new, type = "link", se.fit = TRUE)$se.fit^2
    data.frame(variance = variance, mean = mean(found), exact = mean(exact),
      below = mean(found < exact * (1 - 1e-6)))
  }))
}, "variances")

# --- convergence -------------------------------------------------------------------------------

save_results(do.call(rbind, lapply(c(1, 2, 5, 10, 20, 50, 100, 200), function(size) {
  fit <- plain_fit(x, y, 10, noise, n_basis = if (quick) 50 else 250, candidates = size, seed = 1,
    control = control_greedy(bound = "cheap", dual_candidates = size)
  )
  trace <- fit_trace(fit)
  trace <- trace[trace$size %in% c(1:9, seq(10, 250, by = 5)), ]
  gap <- 2 * trace$gap / (abs(trace$objective) + abs(trace$lower))
  data.frame(candidates = size, size = trace$size, gap = gap)
})), "convergence")

# --- conjugate gradients, the slides' peer ------------------------------------------------------

save_results({
  k <- kernel_matrix(slides_kernel(10), x)
  least <- exact_fit(x, y, 10, noise)$q
  trace <- fit_trace(plain_fit(x, y, 10, noise, n_basis = if (quick) 50 else 300, seed = 1,
    control = control_greedy(bound = "cheap")
  ))
  both <- rbind(
    conjugate_gradients(k, y, noise, if (quick) 50 else 300, "Q"),
    conjugate_gradients(k, y, noise, if (quick) 50 else 300, "equations"),
    data.frame(way = "greedy", size = trace$size, q = trace$objective, seconds = trace$seconds)
  )
  both$missing <- (both$q - least) / (least + sum(y^2) / 2)
  both[both$size %in% c(1, 5, 10, 25, 50, 100, 200, 300), c("way", "size", "missing", "seconds")]
}, "peer")

# --- certificates ------------------------------------------------------------------------------

save_results(do.call(rbind, lapply(c("raw", "standardised"), function(scale) {
  target <- if (scale == "raw") y else drop(base::scale(y))
  s2 <- if (scale == "raw") noise else 0.4
  least <- exact_fit(x, target, 10, s2)$q
  unit <- least + sum(target^2) / 2
  sizes <- if (quick) c(25, 50) else c(25, 50, 100, 200, 300)
  sparse <- fit_trace(plain_fit(x, target, 10, s2, n_basis = max(sizes), seed = 1,
    control = control_greedy(bound = "cheap")))
  do.call(rbind, lapply(sizes, function(n) {
    fit <- plain_fit(x, target, 10, s2, n_basis = n, candidates = Inf, seed = 1)
    bound <- certificate(fit)
    data.frame(
      targets = scale, size = n, true = (bound$upper - least) / unit,
      sparse = (bound$upper - sparse$lower[n]) / unit, best = bound$gap / unit, rule = bound$rule,
      slides = 2 * (bound$upper - sparse$lower[n]) / (abs(bound$upper) + abs(sparse$lower[n]))
    )
  }))
})), "certificates")

# --- two classes: more rings than the median, or not --------------------------------------------

save_results({
  class <- factor(y > stats::median(y))
  fit <- function(n, rule, seed, bound = "exact") {
    greedy_gp(x, class, slides_kernel(10), lik_logit(), n_basis = n, rule = rule, seed = seed,
      optimise = FALSE, standardise = FALSE, verbose = FALSE,
      control = control_greedy(bound = bound)
    )
  }
  row <- function(n, rule, bound, seeds) {
    gaps <- vapply(seeds, function(seed) certificate(fit(n, rule, seed, bound))$gap, 0)
    data.frame(size = n, rule = rule, bound = bound, seeds = length(seeds), gap = mean(gaps),
      sd = stats::sd(gaps))
  }
  sizes <- if (quick) 25 else c(25, 50, 100)
  do.call(rbind, lapply(sizes, function(n) {
    rbind(
      row(n, "gain", "exact", 1:3), row(n, "gain", "block", 1:3), row(n, "gain", "cheap", 1:3),
      row(n, "pivot", "exact", 1:3), row(n, "random", "exact", if (quick) 1:3 else 1:100)
    )
  }))
}, "logit")

# --- the printed Newton step, and removed eigenvalues ---------------------------------------------

save_results(do.call(rbind, lapply(if (quick) 1:2 else 1:10, function(seed) {
  set.seed(seed)
  rows <- sample(m, 50)
  kernel <- slides_kernel(10)
  positive <- y > stats::median(y)
  # The weights b of the functions are whitened, so that the prior of b is standard normal.
  z <- t(backsolve(chol(kernel_matrix(kernel, x[rows, ]) + diag(1e-6, 50)),
    kernel_matrix(kernel, x[rows, ], x), transpose = TRUE
  ))
  objective <- function(b) {
    f <- drop(z %*% b)
    sum(pmax(f, 0) - positive * f + log1p(exp(-abs(f)))) + sum(b^2) / 2
  }
  descend <- function(identity) {
    b <- numeric(ncol(z))
    found <- objective(b)
    for (step in 1:10) {
      p <- stats::plogis(drop(z %*% b))
      hessian <- crossprod(z, z * (p * (1 - p))) + diag(if (identity) 1 else 0, ncol(z))
      move <- tryCatch(solve(hessian, crossprod(z, p - positive) + b), error = function(e) NULL)
      if (is.null(move)) break # the matrix is singular
      b <- b - move
      found <- c(found, objective(b))
    }
    data.frame(seed, identity, step = seq_along(found) - 1, objective = found)
  }
  rbind(descend(FALSE), descend(TRUE))
})), "newton")

save_results(do.call(rbind, lapply(if (quick) 1:2 else 1:5, function(split) {
  set.seed(split)
  rows <- sample(length(all$y), 2000)
  train <- rows[1:1000]
  test <- rows[1001:2000]
  decomposed <- eigen(kernel_matrix(slides_kernel(10), all$x[train, ]), symmetric = TRUE)
  cross <- kernel_matrix(slides_kernel(10), all$x[test, ], all$x[train, ])
  predicted_with <- function(kept) {
    vectors <- decomposed$vectors[, kept, drop = FALSE]
    cross %*% vectors %*%
      (crossprod(vectors, all$y[train]) / (decomposed$values[kept] + noise))
  }
  whole <- predicted_with(seq_along(train))
  do.call(rbind, lapply(c(500, 200, 100), function(kept) {
    difference <- predicted_with(seq_len(kept)) - whole
    data.frame(
      split = split, kept = kept, largest = decomposed$values[kept + 1L] / decomposed$values[1L],
      difference = sqrt(mean(difference^2)) / stats::sd(whole)
    )
  }))
})), "removed")

# --- generalisation ----------------------------------------------------------------------------

#' Errors and objectives of an exact and of a sparse fit on a random split
generalisation_on <- function(split) {
  set.seed(split)
  rows <- sample(length(all$y))
  train <- rows[seq_len(if (quick) 300 else 3000)]
  test <- rows[3001:length(rows)]
  exact <- exact_process(all$x[train, ], all$y[train], 10)
  sparse <- plain_fit(all$x[train, ], all$y[train], 10, noise, n_basis = 177, seed = split)
  predicted <- list(
    exact = predict(exact, all$x[test, ]), sparse = predict(sparse, all$x[test, ])
  )
  # The minimum is -y'f / 2, where f are the fitted values.
  least <- -sum(all$y[train] * predict(exact, all$x[train, ])) / 2
  q <- c(exact = least, sparse = certificate(sparse)$upper)
  do.call(rbind, lapply(names(predicted), function(method) {
    error <- predicted[[method]] - all$y[test]
    data.frame(split = split, method = method, mse = mean(error^2), mae = mean(abs(error)),
      q = q[[method]])
  }))
}
store <- open_store("greedy-slides", quick)
save_results(do.call(rbind, lapply(if (quick) 1:2 else 1:80, function(split) {
  unit(store, paste0("generalisation-", split), function() generalisation_on(split))
})), "generalisation")

# --- eigenvalues, and how the number of functions grows with the rows ----------------------------

save_results(do.call(rbind, lapply(widths, function(width) {
  some <- seq_len(min(1000, m))
  values <- eigen(kernel_matrix(slides_kernel(width), x[some, ]),
    symmetric = TRUE, only.values = TRUE
  )$values
  index <- unique(round(10^seq(0, log10(length(some)), length.out = 60)))
  data.frame(width = width, rows = length(some), index = index, eigenvalue = values[index])
})), "spectrum")

save_results(do.call(rbind, lapply(widths, function(width) {
  do.call(rbind, lapply(c(500, 1000, 2000, 4000) / if (quick) 8 else 1, function(n) {
    counts <- vapply(1:3, function(seed) {
      fit <- plain_fit(x[seq_len(n), ], y[seq_len(n)], width, noise,
        control = slides_rule, seed = seed
      )
      length(active_set(fit))
    }, 0L)
    data.frame(width = width, rows = n, functions = mean(counts))
  }))
})), "growth")
