# Numbers on the whole line for numbers within bounds, and others that have no place of their
# own.

unbounded <- function(name, value) {
  switch(name,
    zero_inflation = , correlation = stats::qlogis(value),
    skew = , mixing = value,
    cuts = c(value[1L], log(diff(value))), log(value))
}

bounded <- function(name, theta) {
  switch(name,
    zero_inflation = , correlation = stats::plogis(theta),
    skew = , mixing = theta,
    cuts = cumsum(c(theta[1L], exp(theta[-1L]))), exp(theta))
}

# The elements of a matrix that are not on its diagonal, column by column
off_diagonal <- function(x) x[row(x) != col(x)]

positive_or_one <- function(x) if (is.finite(x) && x > 0) x else 1

# The root of a deviance with a sign; rounding may make the deviance of a perfect fit negative
signed_root <- function(sign, deviance) sign(sign) * sqrt(pmax(0, deviance))
