# `size = "auto"` of ivm(): one selection that grows beside refits of sizes that double, and the log
# density of the rows outside the active set beside that of random rows, for vignettes/ivm.Rmd. From
# the root of the repository:
#
#   Rscript data-raw/ivm-size.R
#
# Needs the package installed with the packages in Suggests, and GPSIEVE_DATA (MNIST, ionosphere).
# The rule was chosen on other data sets, but for what the vignette says. Writes
#
#   vignettes/results/ivm-size.csv     size, CPU seconds and test log loss of both ways
#   vignettes/results/ivm-outside.csv  log densities by the rows that they are taken of
#
# About twenty minutes on one core.

suppressPackageStartupMessages(library(gpsieve))
source("data-raw/units.R")
source("tools/data.R")
store <- open_store("ivm-size")
splits <- 1:3

from_package <- function(name, package) {
  utils::data(list = name, package = package, envir = environment())
  as.data.frame(get(name))
}

#' A data frame with its response as the column y, at most 3000 rows
read_set <- function(name) {
  data <- switch(name,
    ionosphere = read_uci("ionosphere"), Vehicle = from_package("Vehicle", "mlbench"),
    Satellite = from_package("Satellite", "mlbench"), Boston = MASS::Boston,
    diamonds = from_package("diamonds", "ggplot2"), quakes = datasets::quakes,
    letters = {
      letters <- from_package("LetterRecognition", "mlbench")
      droplevels(letters[letters$lettr %in% c("B", "D", "E", "F", "H", "R"), ])
    },
    nines = {
      digits <- mnist_13x13()
      data.frame(digits$train, y = factor(digits$train_label == "9"))
    }
  )
  response <- c(
    ionosphere = "class", Vehicle = "Class", Satellite = "classes", Boston = "medv",
    diamonds = "price", quakes = "depth", letters = "lettr", nines = "y"
  )[[name]]
  data$y <- if (name == "diamonds") log(data$price) else data[[response]]
  if (response != "y") data[[response]] <- NULL
  set.seed(1)
  data[utils::head(sample(nrow(data)), 3000), ]
}

#' A third of the rows for the test
split_set <- function(name, split) {
  data <- read_set(name)
  set.seed(split)
  test <- sample(nrow(data), floor(nrow(data) / 3))
  list(train = data[-test, ], test = data[test, ])
}

#' Mean log predictive density of rows
density <- function(fit, rows) {
  compare(fit = fit, again = fit, newdata = rows)$score[1] / nrow(rows)
}

all_active <- function(fit) {
  active <- active_set(fit)
  if (is.list(active)) active else list(active)
}

# One leaf with all rows is one machine, whose size is found by refits.
one_way <- function(name, split, refine, way) {
  unit(store, paste(name, split, refine, way, sep = "-"), function() {
    data <- split_set(name, split)
    arguments <- list(y ~ ., data$train, size = "auto", refine = refine, seed = split,
      control = control_ivm(learn_rows = 1000), verbose = FALSE
    )
    if (way == "refits") arguments$leaf_rows <- nrow(data$train)
    time <- system.time(fit <- suppressWarnings(do.call(ivm, arguments)))
    data.frame(
      data = name, rows = nrow(data$train), split = split, refine = refine, way = way,
      size = max(lengths(all_active(fit))),
      cpu = sum(time[c("user.self", "sys.self")]), loss = -density(fit, data$test)
    )
  })
}

#' The machine of the paper: its log density outside the active set and of rows it has not seen
outside <- function(name, split) {
  unit(store, paste(name, split, "outside", sep = "-"), function() {
    data <- split_set(name, split)
    fit <- function(...) {
      suppressWarnings(ivm(y ~ ., data$train, seed = split, verbose = FALSE, ...))
    }
    learned <- fit(n_active = 100, control = control_ivm(learn_rows = 1000))
    do.call(rbind, lapply(c(100, 200, 400, 800), function(size) {
      if (2 * size > nrow(data$train)) return(NULL)
      plain <- fit(kernel = kernel_of(learned), likelihood = likelihood_of(learned),
        optimise = FALSE, refine = 0, n_active = size
      )
      refined <- fit(kernel = kernel_of(learned), likelihood = likelihood_of(learned),
        optimise = FALSE, n_active = size
      )
      data.frame(
        data = name, split = split, size = size,
        outside = density(plain, data$train[-unique(unlist(active_set(plain))), ]),
        unseen = density(plain, data$test), refined = density(refined, data$test)
      )
    }))
  })
}

first_units(
  "ivm-size.csv" = one_way("ionosphere", 1, 3, "growth"),
  "ivm-outside.csv" = outside("ionosphere", 1)
)

names <- c(
  "ionosphere", "Vehicle", "Satellite", "Boston", "diamonds", "nines", "letters", "quakes"
)
cases <- expand.grid(way = c("growth", "refits"), refine = c(3, 0), split = splits, name = names,
  stringsAsFactors = FALSE
)
store_results(do.call(rbind, Map(one_way, cases$name, cases$split, cases$refine, cases$way)),
  "ivm-size.csv"
)
two <- expand.grid(split = splits, name = c("ionosphere", "Satellite", "diamonds", "nines"),
  stringsAsFactors = FALSE
)
store_results(do.call(rbind, Map(outside, two$name, two$split)), "ivm-outside.csv")
