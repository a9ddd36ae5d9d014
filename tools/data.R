# Real data for benchmarks, tests and vignettes. It is no part of the repository: the environment
# variable GPSIEVE_DATA names a folder with
#
#   mnist/{train,t10k}-{images-idx3,labels-idx1}-ubyte.gz    the files as published
#   uci/<name>.csv                                           header; `class` is 1 or -1
#
# `make` sets it. Every reader returns NULL, with a message, when its file is not there.

#' The path of a file or folder of the data, or NULL
gpsieve_data <- function(path) {
  root <- Sys.getenv("GPSIEVE_DATA")
  if (!nzchar(root)) {
    message("No real data: the environment variable GPSIEVE_DATA is not set.")
    return(NULL)
  }
  full <- file.path(root, path)
  if (!file.exists(full)) {
    message("No real data: ", full, " does not exist.")
    return(NULL)
  }
  full
}

#' An idx file of unsigned bytes, plain or gzipped
#'
#' @return The bytes as `raw`, with the file's dimensions reversed as `dim`: in the file the last
#'   index runs fastest, in R the first. Images are columns x rows x n, labels a vector of n.
read_idx <- function(path) {
  con <- gzfile(path, "rb")
  on.exit(close(con))
  magic <- readBin(con, "raw", 4)
  if (length(magic) < 4 || any(magic[1:3] != as.raw(c(0, 0, 8)))) {
    stop(path, " is not an idx file of unsigned bytes")
  }
  size <- readBin(con, "integer", as.integer(magic[4]), size = 4, endian = "big")
  bytes <- readBin(con, "raw", prod(size))
  if (length(bytes) != prod(size)) stop(path, " is truncated")
  array(bytes, rev(size))
}

#' MNIST at 13 x 13: one pixel cropped on each side, 2 x 2 averaged, in [0, 1]
#'
#' @return A list: `train` (60000 x 169) and `test` (10000 x 169), pixels row by row from the top
#'   left; `train_label` and `test_label`, factors with levels "0" to "9".
mnist_13x13 <- function() read_mnist(shrink)

#' MNIST as it is, 28 x 28 in [0, 1], in the form of mnist_13x13()
mnist_28x28 <- function() {
  read_mnist(function(bytes) t(matrix(as.integer(bytes) / 255, nrow = 28 * 28)))
}

read_mnist <- function(prepare) {
  folder <- gpsieve_data("mnist")
  if (is.null(folder)) return(NULL)
  images <- function(name) prepare(read_idx(file.path(folder, name)))
  labels <- function(name) {
    factor(as.integer(read_idx(file.path(folder, name))), levels = 0:9)
  }
  list(
    train = images("train-images-idx3-ubyte.gz"),
    test = images("t10k-images-idx3-ubyte.gz"),
    train_label = labels("train-labels-idx1-ubyte.gz"),
    test_label = labels("t10k-labels-idx1-ubyte.gz")
  )
}

# 28 x 28 x n bytes -> n x 169.
shrink <- function(bytes) {
  first <- seq(2, 26, by = 2)
  corner <- function(dx, dy) as.integer(bytes[first + dx, first + dy, ])
  total <- corner(0, 0) + corner(1, 0) + corner(0, 1) + corner(1, 1)
  t(matrix(total / (4 * 255), nrow = 13 * 13))
}

#' One of the UCI data sets, by name
#'
#' @return A data frame. `class`, where there is one, is a factor with levels "-1" and "1"; text
#'   columns are factors.
read_uci <- function(name) {
  path <- gpsieve_data(file.path("uci", paste0(name, ".csv")))
  if (is.null(path)) return(NULL)
  data <- utils::read.csv(path, stringsAsFactors = TRUE)
  if ("class" %in% names(data)) data$class <- factor(data$class, levels = c(-1, 1))
  data
}
