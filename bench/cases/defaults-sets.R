# The data of the comparison of default calls: real sets of a few hundred to some ten thousand rows,
# and drawn ones whose truth is known.

defaults_sets <- c(
  "heart", "crabs", "sonar", "ionosphere", "pima", "pima-mass", "breast", "australian", "spam",
  "iris", "glass", "vehicle", "vowel",
  "boston", "ozone", "friedman1", "friedman2", "mcycle", "surface", "abalone"
)
defaults_large_sets <- c("parity", "letters", "wide")
# Sets with 228 to 342 columns, and with 1,500 to 4,830 rows that learn.
defaults_wider_sets <- c("cox2", "mdrr", "dhfr", "dna", "satellite", "cells", "churn", "ames")
# Sets that took no part in any choice of settings.
defaults_fresh_sets <- c(
  "car_prices", "concrete", "meats", "biomass", "sacramento", "solubility", "cpus", "prestige",
  "ornstein", "incomes", "schools", "servo", "salaries",
  "credit", "two_class", "penguins", "scat", "ad_data", "attrition", "oils", "german", "musk",
  "labour", "votes"
)

#' A data set as list(x, y), and `test` where the test rows are fixed; NULL where a file is missing
read_defaults_set <- function(set) {
  switch(set,
    spam = response_of(packaged("spam", "kernlab"), "type"),
    iris = response_of(datasets::iris, "Species"),
    glass = response_of(packaged("Glass"), "Type"),
    vehicle = response_of(packaged("Vehicle"), "Class"),
    vowel = response_of(packaged("Vowel")[-1], "Class"),
    "pima-mass" = response_of(rbind(MASS::Pima.tr, MASS::Pima.te), "type"),
    boston = response_of(packaged("BostonHousing"), "medv"),
    ozone = response_of(stats::na.omit(packaged("Ozone")[4:12]), "V4"),
    friedman1 = drawn_friedman(mlbench::mlbench.friedman1, sd = 1),
    friedman2 = drawn_friedman(mlbench::mlbench.friedman2, sd = 125),
    mcycle = response_of(MASS::mcycle, "accel"),
    surface = drawn_surface(),
    abalone = response_of(read_uci("abalone"), "rings"),
    letters = response_of(packaged("LetterRecognition"), "lettr"),
    parity = mnist_parity(),
    wide = drawn_wide(),
    cox2 = described_molecules("cox2"),
    mdrr = described_molecules("mdrr"),
    dhfr = response_of(packaged("dhfr", "caret"), "Y"),
    dna = response_of(packaged("DNA"), "Class"),
    satellite = response_of(packaged("Satellite"), "classes"),
    cells = response_of(as.data.frame(packaged("cells", "modeldata"))[-1L], "class"),
    churn = response_of(as.data.frame(packaged("mlc_churn", "modeldata")), "churn"),
    ames = logarithm_of(as.data.frame(packaged("ames", "modeldata")), "Sale_Price"),
    if (set %in% defaults_fresh_sets) read_fresh_set(set) else response_of(read_uci(set), "class")
  )
}

#' The complete rows of one of the fresh sets
read_fresh_set <- function(set) {
  whole <- function(name, package, response, read = response_of) {
    read(stats::na.omit(as.data.frame(packaged(name, package))), response)
  }
  switch(set,
    car_prices = whole("car_prices", "modeldata", "Price", logarithm_of),
    concrete = whole("concrete", "modeldata", "compressive_strength"),
    meats = without_columns(whole("meats", "modeldata", "fat"), c("water", "protein")),
    biomass = without_columns(whole("biomass", "modeldata", "HHV"), c("sample", "dataset")),
    sacramento = without_columns(
      whole("Sacramento", "modeldata", "price", logarithm_of), c("city", "zip")
    ),
    solubility = whole("solubility_test", "modeldata", "solubility"),
    cpus = without_columns(whole("cpus", "MASS", "perf", logarithm_of), c("name", "estperf")),
    prestige = whole("Prestige", "carData", "prestige"),
    ornstein = whole("Ornstein", "carData", "interlocks"),
    incomes = whole("SLID", "carData", "wages", logarithm_of),
    schools = without_columns(whole("nlschools", "MASS", "lang"), "class"),
    servo = whole("Servo", "mlbench", "Class"),
    salaries = whole("Salaries", "carData", "salary", logarithm_of),
    credit = whole("credit_data", "modeldata", "Status"),
    two_class = whole("two_class_dat", "modeldata", "Class"),
    penguins = whole("penguins", "modeldata", "species"),
    scat = whole("scat", "modeldata", "Species"),
    ad_data = whole("ad_data", "modeldata", "Class"),
    attrition = whole("attrition", "modeldata", "Attrition"),
    oils = whole("oils", "modeldata", "class"),
    german = whole("GermanCredit", "caret", "Class"),
    musk = whole("musk", "kernlab", "Class"),
    labour = whole("Mroz", "carData", "lfp"),
    votes = whole("BEPS", "carData", "vote")
  )
}

without_columns <- function(read, columns) {
  read$x <- read$x[setdiff(names(read$x), columns)]
  read
}

response_of <- function(table, response) {
  if (is.null(table)) return(NULL)
  list(x = table[names(table) != response], y = table[[response]])
}

#' The same with the logarithm of a positive response
logarithm_of <- function(table, response) {
  read <- response_of(table, response)
  read$y <- log(read$y)
  read
}

#' Two sets of package caret: descriptors of molecules in one table, their class beside it
described_molecules <- function(name) {
  held <- new.env()
  utils::data(list = name, package = "caret", envir = held)
  list(x = held[[paste0(name, "Descr")]], y = held[[paste0(name, "Class")]])
}

packaged <- function(name, package = "mlbench") {
  held <- new.env()
  utils::data(list = name, package = package, envir = held)
  held[[name]]
}

drawn_friedman <- function(draw, sd) {
  set.seed(1)
  drawn <- draw(500, sd = sd)
  list(x = as.data.frame(drawn$x), y = drawn$y)
}

#' A surface over the unit square with a ridge and a bump, noise of a tenth of its range
drawn_surface <- function(n = 600) {
  set.seed(1)
  x <- data.frame(a = stats::runif(n), b = stats::runif(n))
  height <- sin(6 * x$a + 3 * x$b) + 2 * exp(-30 * ((x$a - 0.7)^2 + (x$b - 0.3)^2))
  list(x = x, y = height + stats::rnorm(n, sd = 0.3))
}

#' 55,000 rows of fifteen numbers and five factors, of which seven columns matter
drawn_wide <- function(n = 55000) {
  set.seed(1)
  x <- as.data.frame(matrix(stats::rnorm(n * 15), n))
  level <- function(...) factor(sample(c(...), n, TRUE))
  x <- cbind(x, a = level("p", "q", "r"), b = level(1:5), c = level("no", "yes"), d = level(1:4),
    e = level(1:8)
  )
  truth <- 2 * sin(1.5 * x$V1) + x$V2^2 / 2 + x$V3 + x$V4 * (x$c == "yes") / 2 +
    tanh(2 * x$V5) / 2 + c(-1, 0, 1)[x$a] + c(0, 0.3, -0.3, 0.6, -0.6)[x$b]
  list(x = x, y = truth + stats::rnorm(n, sd = 0.5), test = seq_len(5000))
}

#' All of MNIST at 28 x 28, odd digits against even ones
mnist_parity <- function() {
  mnist <- mnist_28x28()
  if (is.null(mnist)) return(NULL)
  label <- c(as.character(mnist$train_label), as.character(mnist$test_label))
  list(
    x = rbind(mnist$train, mnist$test), test = nrow(mnist$train) + seq_len(nrow(mnist$test)),
    y = factor(ifelse(as.integer(label) %% 2 == 1, "odd", "even"))
  )
}

#' A quarter of the rows to test, a fifth of the letters, or the rows that the set says
defaults_split <- function(set, seed) {
  read <- read_defaults_set(set)
  if (is.null(read)) return(NULL)
  n <- length(read$y)
  set.seed(seed)
  test <- read$test
  if (is.null(test)) test <- sample(n)[seq_len(round(n / if (set == "letters") 5 else 4))]
  list(
    x = read$x[-test, , drop = FALSE], y = read$y[-test], test_x = read$x[test, , drop = FALSE],
    test_y = read$y[test]
  )
}
