# What fits cost: seconds on one core from counts of operations. A task is that of choice_task():
# its kind of response, its number of latent functions and its molded data are used.

# What an evidence with its gradient costs on one core: seconds for each cubed row of a block, about
# twice as many where sites have to be found, and for each pair of rows and column.
cube_seconds <- 5e-11
pair_seconds <- 4e-10
# Are the sites of the likelihood its observations, so that none have to be found?
has_known_sites <- function(task) {
  task$kind == "number" &&
    (is.null(task$likelihood) || !is.null(family_of(task$likelihood)$observed))
}

# The seconds that the integrals of a row take in one evaluation
row_integral_seconds <- function(task) {
  if (is.null(task$likelihood)) 0 else family_of(task$likelihood)$row_seconds
}

# The seconds that learning on these blocks takes at most: where they have fewer than all rows, it
# takes two fifths to a half of that
learning_seconds <- function(task, blocks) {
  n <- nrow(task$molded$x)
  rows <- min(n, blocks$rows)
  sites <- if (has_known_sites(task)) 1 else 2 * machines_of_step
  number <- if (n > rows && blocks$kind == "both") 2 else 1
  blocks$steps * number *
    (sites * cube_seconds * rows^3 + pair_seconds * rows^2 * ncol(task$molded$x) +
      row_integral_seconds(task) * rows)
}

# The seconds that the dense model takes with given hyper-parameters
dense_seconds <- function(task) {
  rounds <- if (has_known_sites(task)) 1 else 4
  rounds * cube_seconds * task$latents * nrow(task$molded$x)^3
}

# The seconds that expectation propagation takes with inducing inputs and given hyper-parameters: of
# 1,500 rows with 60 of them .3
inducing_seconds <- function(rows, inducing) inducing_square_seconds * rows * inducing^2
inducing_square_seconds <- 5e-8

# The seconds that all rows at once take by conjugate gradients with given hyper-parameters, for
# each squared row: 6,554 and 18,227 rows of 8 columns, with functions that gpsieve() had learned,
# took 4 and 19
iterative_seconds <- function(rows) iterative_square_seconds * rows^2
iterative_square_seconds <- 6e-8

# Floating-point operations in a second, and those of an informative vector machine for each row and
# latent function: so many for each squared active point (selection and the passes that refine it;
# sites that have to be found settle in 5 to 16 passes more), and so many for each active point and
# column (the covariances: 24 to 36 with 137 and 600 columns and two Matern parts; 2.5 with 784
# columns and one part with one lengthscale).
flops_a_second <- 1.5e10
ivm_flops <- c(known = 8, found = 16)
usual_column_flops <- 25
one_lengthscale_flops <- 2.5

# The operations for a row and a squared active point
square_flops <- function(task) ivm_flops[[if (has_known_sites(task)) "known" else "found"]]

# The operations for a row and an active point
covariance_flops <- function(task) {
  each <- if (is.null(task$column_flops)) usual_column_flops else task$column_flops
  each * columns_of_row(task)
}

# The seconds that informative vector machines take with `rows` rows and `active` active points
ivm_seconds <- function(task, rows, active) {
  each <- square_flops(task) * active^2 + covariance_flops(task) * active
  rows * task$latents * each / flops_a_second
}

# The active points of which ivm_seconds() are `seconds`
active_in_time <- function(task, rows, seconds) {
  each <- seconds * flops_a_second / (rows * task$latents)
  of_columns <- covariance_flops(task)
  2 * each / (of_columns + sqrt(of_columns^2 + 4 * square_flops(task) * each))
}

# Seconds of leaves in which every row takes part, for each row and each squared row of its leaf: a
# Cholesky factor, and the rows without themselves, with Gaussian noise; several of both where sites
# are found. Between leaves of 800 and of 1600 rows that is 4.5e-11 and 5.4e-11 for two sets of two
# classes.
factor_square_seconds <- 6e-12
sites_square_seconds <- 5e-11

# What a row costs in exact leaves: list(square, line), seconds for each squared row of its leaf
# and for each row of it, whose covariances are computed once for each pair
exact_row_seconds <- function(task) {
  square <- if (has_known_sites(task)) factor_square_seconds else sites_square_seconds
  list(
    square = overlapping * task$latents * square,
    line = overlapping * covariance_flops(task) / (2 * flops_a_second)
  )
}

# The seconds that exact leaves of at most `leaf` rows take for `rows` rows
exact_leaf_seconds <- function(task, rows, leaf) {
  each <- exact_row_seconds(task)
  rows * (each$square * leaf^2 + each$line * leaf)
}

# The rows of a leaf of which exact_leaf_seconds() are `seconds`
leaf_rows_in_time <- function(task, rows, seconds) {
  each <- exact_row_seconds(task)
  2 * seconds / rows / (each$line + sqrt(each$line^2 + 4 * each$square * seconds / rows))
}

# How many numbers of a row take part in a distance: its columns or, where inputs are sparse, those
# that are not 0
columns_of_row <- function(task) {
  x <- task$molded$x
  if (is_sparse(x)) length(x$value) / nrow(x) else ncol(x)
}
