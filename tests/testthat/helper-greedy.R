# Problems and dense answers for the tests of greedy_gp().

plain_greedy <- function(...) greedy_gp(..., optimise = FALSE, standardise = FALSE, verbose = FALSE)

greedy_toy_problem <- function(seed, n = 40, p = 2) {
  x <- uniform_inputs(n, p, seed)
  noise <- with_own_seed(seed + 100, rnorm(n))
  f <- sin(2 * x[, 1]) + x[, p]
  list(
    x = x, y = f + 0.3 * noise, class = factor(f + noise > 0),
    count = with_own_seed(seed + 200, rpois(n, exp(f)))
  )
}

# A random kernel with noise to go with it.
greedy_random_model <- function(seed) {
  with_own_seed(seed, list(
    variance = exp(runif(1, -1, 2)), lengthscale = exp(runif(1, -1.5, 1.5)),
    noise = exp(runif(1, -4, 1)), n = sample(3:25, 1)
  ))
}

# Laplace's approximation on the full kernel matrix: mode, minimum of the negative log posterior,
# log evidence, moments at new rows. c1 and c2 are derivatives of the negative log likelihood.
greedy_dense_laplace <- function(k, likelihood, k_new, k_diag) {
  f <- numeric(nrow(k))
  for (step in 1:100) {
    at <- likelihood(f)
    w <- at$c2
    b <- diag(nrow(k)) + k * outer(sqrt(w), sqrt(w))
    target <- w * f - at$c1
    a <- target - sqrt(w) * solve(b, sqrt(w) * drop(k %*% target))
    f <- drop(k %*% a)
  }
  at <- likelihood(f)
  w <- at$c2
  b <- diag(nrow(k)) + k * outer(sqrt(w), sqrt(w))
  minimum <- sum(at$c) + sum(a * f) / 2
  list(
    minimum = minimum, evidence = -minimum - sum(log(diag(chol(b)))),
    mean = drop(crossprod(k_new, a)),
    variance = k_diag - colSums((sqrt(w) * k_new) * solve(b, sqrt(w) * k_new))
  )
}

losses <- list(
  logit = function(y) {
    function(f) {
      p <- plogis(-y * f)
      list(c = -plogis(y * f, log.p = TRUE), c1 = -y * p, c2 = p * (1 - p))
    }
  },
  probit = function(y) {
    function(f) {
      r <- exp(dnorm(y * f, log = TRUE) - pnorm(y * f, log.p = TRUE))
      list(c = -pnorm(y * f, log.p = TRUE), c1 = -y * r, c2 = r * (r + y * f))
    }
  },
  poisson = function(y) {
    function(f) {
      list(c = exp(f) - y * f + lgamma(y + 1), c1 = exp(f) - y, c2 = exp(f))
    }
  }
)

makers <- list(logit = lik_logit(), probit = lik_probit(), poisson = lik_poisson())

greedy_response_for <- function(problem, name) {
  if (name == "poisson") problem$count else problem$class
}

greedy_loss_of <- function(problem, name) {
  y <- if (name == "poisson") problem$count else ifelse(problem$class == "TRUE", 1, -1)
  losses[[name]](y)
}

# ---- the dense model: all functions ----
