# Random numbers that a fit draws in R. They depend on the seed of the fit only, and the state of
# R's generator is the same afterwards as before.

# `size` different numbers drawn from 1..n
draw <- function(n, size, seed, sorted = TRUE) {
  if (size == n && sorted) return(seq_len(n))
  drawn <- with_own_seed(seed, sample.int(n, size))
  if (sorted) sort(drawn) else drawn
}

with_own_seed <- function(seed, expr) {
  env <- globalenv()
  before <- env$.Random.seed
  on.exit(if (is.null(before)) {
    rm(".Random.seed", envir = env)
  } else {
    assign(".Random.seed", before, envir = env)
  })
  set.seed(seed, kind = "Mersenne-Twister", normal.kind = "Inversion", sample.kind = "Rejection")
  expr
}

# A function(count) that returns the next `count` uniform numbers of a stream with this seed
uniform_stream <- function(seed) {
  state <- NULL
  function(count) {
    with_own_seed(seed, {
      if (!is.null(state)) assign(".Random.seed", state, envir = globalenv())
      out <- stats::runif(count)
      state <<- globalenv()$.Random.seed
      out
    })
  }
}
