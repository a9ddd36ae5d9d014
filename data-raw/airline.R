# The airline experiment of Hernandez-Lobato et al. (2015) on a file of your own: delayed or not, by
# eight inputs, 2,127,068 flights of which 10,000 are for the test. From the root of the repository:
#
#   Rscript data-raw/airline.R FILE [--response=delay] [--test=10000]
#   Rscript data-raw/airline.R --synthetic=2127068 FILE
#
# The paper's file is not public. FILE is a CSV or Parquet file, or a folder of them, with a header;
# the response is the column that --response names: a flight is late if it is above zero. All other
# columns must be numbers and are inputs. The file is read in blocks and never held in memory. Rows
# at equal distances are for the test, about as many as --test says. Prints a row: log loss and
# error of stochastic EP after one epoch and of logistic regression, CPU seconds, and the peak of
# the memory. --synthetic writes a file of that many made-up flights first, which shows that a file
# of this size can be read; its numbers say nothing about flights.

suppressPackageStartupMessages(library(gpsieve))
here <- "bench"
source("bench/sources.R")

arguments <- commandArgs(TRUE)
option <- function(name, default) {
  given <- grep(paste0("^--", name, "="), arguments, value = TRUE)
  if (length(given)) sub("^[^=]*=", "", given[1L]) else default
}
path <- grep("^--", arguments, invert = TRUE, value = TRUE)
if (length(path) != 1L) stop("Name one file; see the top of data-raw/airline.R.", call. = FALSE)
response <- option("response", "delay")
n_test <- as.numeric(option("test", "10000"))
synthetic <- as.numeric(option("synthetic", "0"))

#' Made-up flights with the columns of the paper
made_up <- function(n) {
  x <- data.frame(
    month = sample(12, n, TRUE), day = sample(28, n, TRUE), weekday = sample(7, n, TRUE),
    departure = sample(300:1439, n, TRUE), age = sample(0:40, n, TRUE),
    distance = sample(100:4000, n, TRUE)
  )
  x$air_time <- round(x$distance / 8 + stats::rnorm(n, 20, 5))
  x$arrival <- (x$departure + x$air_time) %% 1440
  late <- -20 + 15 * sin(x$departure / 230) + 6 * cos(x$month / 2) + x$age / 4
  x$delay <- round(late + stats::rnorm(n, 0, 30))
  x
}

write_made_up <- function(path, n, block = 50000) {
  set.seed(1)
  for (begin in seq(0, n - 1, by = block)) {
    utils::write.table(made_up(min(block, n - begin)), path,
      sep = ",", row.names = FALSE, col.names = begin == 0, append = begin > 0
    )
  }
}
if (synthetic > 0) write_made_up(path, synthetic)

# --- the rows, and which of them are for the test ------------------------------------------------

#' Rows of the file at whose numbers `chosen` is TRUE, with the classes on time and late
rows_at <- function(chosen) {
  blocks <- rows_from_files(path)
  before <- 0
  rows_from_function(copy = TRUE, function(reset) {
    if (reset) {
      before <<- 0
      return(blocks$read(TRUE))
    }
    repeat {
      block <- blocks$read(FALSE)
      if (is.null(block)) return(NULL)
      kept <- chosen(before + seq_len(nrow(block)))
      before <<- before + nrow(block)
      if (!any(kept)) next
      block <- block[kept, , drop = FALSE]
      block[[response]] <- factor(block[[response]] > 0, c(FALSE, TRUE), c("on time", "late"))
      return(block)
    }
  })
}

#' All rows of a source as one data frame
collect <- function(source) {
  blocks <- list()
  source$read(TRUE)
  while (!is.null(block <- source$read(FALSE))) blocks <- c(blocks, list(block))
  do.call(rbind, blocks)
}

counted <- rows_from_files(path)
counted$read(TRUE)
n <- 0
while (!is.null(block <- counted$read(FALSE))) n <- n + nrow(block)
every <- max(2, floor(n / n_test))
is_test <- function(number) number %% every == 0
test <- collect(rows_at(is_test))

# --- two fits ------------------------------------------------------------------------------------

formula <- stats::reformulate(".", response)
fitted <- measure(ep_gp(formula, rows_at(function(number) !is_test(number)),
  kernel = kernel_rbf(ard = TRUE), inducing = 200, inducing_init = "random", method = "sep",
  batch_size = 200, epochs = 1, learn_inducing = TRUE, seed = 1, threads = 1, verbose = FALSE
))
judge <- function(late) {
  truth <- test[[response]]
  p <- cbind("on time" = 1 - late, late = late)
  c(log_loss = log_loss(p, truth), error = mean((late > 0.5) != (truth == "late")))
}
sep <- judge(predict(fitted$value, test, type = "prob")[, "late"])
# At most 300,000 rows determine nine coefficients well enough.
share <- ceiling(n / 3e5)
some <- collect(rows_at(function(number) !is_test(number) & number %% share == 0))
logistic <- stats::glm(formula, stats::binomial(), some)
glm <- judge(stats::predict(logistic, test, type = "response"))
print(data.frame(
  rows = n - nrow(test), test = nrow(test), sep_log_loss = sep[["log_loss"]],
  glm_log_loss = glm[["log_loss"]], sep_error = sep[["error"]], glm_error = glm[["error"]],
  cpu = fitted$cpu, peak_mb = fitted$peak
), digits = 4, row.names = FALSE)
