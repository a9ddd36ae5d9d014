#' Sparse Gaussian processes and sparse Bayesian kernel machines
#'
#' A model is a kernel, a likelihood and a way of inference: the first two are values
#' ([kernel_rbf()], [lik_probit()], ...), the third is the function one calls: [ivm()], [ep_gp()],
#' [meanfield_gp()], [online_gp()], [greedy_gp()] or [rvm()]. Every model ends in the same kind of
#' sparse posterior, so [predict][predict.gpsieve_fit], [plot][plot.gpsieve_fit] and the [accessors]
#' work alike on all of them.
#'
#' @section Words:
#' *Latent function*: the Gaussian process f behind the response. *Likelihood*: p(y | f). *Site*:
#' the Gaussian factor that stands for one likelihood term. *Cavity*: the posterior without one
#' site. *Evidence*: the probability of the data given the hyper-parameters. *Active set*: the rows
#' that carry the posterior. *Inducing inputs*: points whose function values summarise f. *ADF*:
#' assumed density filtering, one pass of sites in turn; *EP*: expectation propagation, passes until
#' the sites agree. *TAP*: the mean-field equations with the same solution. *FITC*: the fully
#' independent training conditional, which makes rows independent given the inducing values. *ARD*:
#' automatic relevance determination, one lengthscale per input. *Hyper-parameters*: the kernel's
#' and the likelihood's free numbers.
#'
#' @section Memory:
#' Each model counts its large arrays before it allocates them. A call that needs more than
#' `getOption("gpsieve.max_memory")` bytes (unless the option is set, 80 % of what Linux or the
#' control group says is free, and no limit on other systems) stops at once with an error of class
#' `gpsieve_error_memory`, which names the size, the arrays, and an argument or another model that
#' needs less. A fit to rows in files copies them to a temporary file of at most
#' `getOption("gpsieve.max_disk")` bytes, see [rows_from_function()].
#'
#' @name gpsieve-package
#' @docType package
#' @keywords internal
#' @useDynLib gpsieve, .registration = TRUE
#' @importFrom Rcpp evalCpp
#' @importFrom cli cli_progress_bar
#' @importFrom hardhat mold
#' @importFrom rlang .data
NULL
