# Randomness in R that belongs to a fit: under the fit's seed, leaving R's generator as it was.

#' A draw from 1..n without replacement
#' @noRd
draw <- function(n, size, seed, sorted = TRUE) {
  if (size == n && sorted) return(seq_len(n))
  drawn <- with_own_seed(seed, sample.int(n, size))
  if (sorted) sort(drawn) else drawn
}

#' @noRd
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

#' A stream of uniform numbers of its own: a function of how many to draw next
#' @noRd
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
