# local_gp(): dense Gaussian processes on parts of the rows. It is ivm(leaf_rows = ) with every row
# of a part in the machine of that part (R/ivm-exact-leaves.R), under a name of its own.

#' Local Gaussian processes
#'
#' Divides the rows among dense Gaussian processes by cuts of the inputs. Each of them uses all rows
#' of its part, and all have the same kernel and likelihood. Their time is in proportion
#' to the number of rows, so that it suits rows that are too many for [meanfield_gp()]; what the
#' function does over short distances is not smoothed away, as it is by a sparse model of a fixed
#' size. [gpsieve()] compares it where rows are many.
#'
#' The rows are divided by a tree of cuts: the column with the largest spread (from the 5 % to the
#' 95 % quantile, in lengthscales of the kernel) is cut at its median until every part, a leaf of
#' the tree, has at most `leaf_rows` rows. Equal values stay together: where that leaves less than a
#' quarter of the rows on a side, another column is tried, and a part of which every cut leaves less
#' than a twentieth stays larger. The posterior of a leaf is exact for Gaussian noise and has the
#' fixed point of expectation propagation otherwise ([meanfield_gp()]), at n L^2 multiply-adds with
#' L = `leaf_rows` (Gaussian noise: n L^2 / 3). The fit keeps about 4 n L bytes of triangles for
#' each tree and class, or where these are more than `getOption("gpsieve.max_factors")` (1e8)
#' factors the leaves anew for predictions with variances.
#'
#' A row asks the Gaussian process of its leaf. Near the borders those of both sides answer, with
#' weights that change gradually, and rows from there take part on both sides (`overlap` of
#' [control_ivm()]), so that predictions do not jump. Further `trees` cut columns that are drawn
#' with probabilities in proportion to the squared spreads, so that their borders lie elsewhere;
#' the posterior is the mixture of the Gaussian processes that a row asks, of which mean and
#' variance are used. Joint draws are joint within a leaf. [active_set()] and [sites()] put the
#' leaves one after the other, [evidence()] is the sum over the leaves of a tree,
#' in which a row in memory counts once though several leaves have it, on average over the trees,
#' and [fit_trace()] has a row for each leaf.
#'
#' Hyper-parameters are the same in all leaves. They are learned from a random subset of the rows,
#' or from blocks of all rows with `control_ivm(blocks = learn_on_blocks())`. The prior mean of
#' classes is that of [ivm()], which differs from that of [meanfield_gp()].
#'
#' @section A tree for each term:
#' With `trees = "terms"` every term of a kernel that is a sum and that depends on distance, such
#' as the parts of [kernel_rich()], has a tree by its own lengthscales, and the latent function is
#' the sum of the functions of the trees: a term learns from all rows that are near in the columns
#' it depends on. It needs rows in memory and [lik_gaussian()] with one noise, [lik_warped()] or,
#' for two classes, [lik_probit()]; [evidence()] is that of the last tree, given what the others
#' say, and has no gradient.
#'
#' @section Sources of rows:
#' `data` may be a source of rows, see [rows_from_function()]. Hyper-parameters are then learned
#' from a random sample of 10,000 rows, whose cuts make parts of a few leaves; rows are written to
#' temporary files by part and fitted part after part, so that the rows of a few leaves are in
#' memory. With all hyper-parameters given, and rows that all differ, the fit predicts the same bits
#' as one to the rows in memory; its evidence counts rows near borders once for each leaf that has
#' them. [`update(leaves = "changed")`][update.gpsieve_fit], which fits the leaves only whose rows
#' have changed, needs rows in memory.
#'
#' @param x,y,formula,data,kernel,...,optimise,standardise,prior_mean As in all models: see
#'   [model_arguments].
#' @param weights,offset,noise_sd,subset,na.action,resume,cluster,seed,threads,verbose As in all
#'   models: see [model_arguments].
#' @param likelihood As in all models; it must be log-concave. [ivm()] with `leaf_rows` takes the
#'   others.
#' @param leaf_rows Most rows of a leaf, before those near its borders join it that belong to its
#'   neighbours; `NULL` for 2000, and 500 for classes without an order. More rows say more
#'   about the function while it is the same everywhere, and cost more.
#' @param trees How many divisions are made and averaged, or `"terms"`: a division for each term of
#'   the kernel.
#' @param control Settings of learning, of the overlap and of checkpoints: [control_ivm()].
#' @return A fit of class `gpsieve_ivm`, as `ivm(leaf_rows = )` makes it, of which [update()] makes
#'   others. See [predict][predict.gpsieve_fit], [plot][plot.gpsieve_fit] and the [accessors].
#' @examples
#' x <- runif(2000)
#' waves <- data.frame(x, y = sin(40 * x) + rnorm(2000, sd = 0.3))
#' fit <- local_gp(y ~ x, waves, kernel_rbf(1, 0.1), leaf_rows = 250, optimise = FALSE)
#' fit
#' predict(fit, data.frame(x = c(0.2, 0.7)), interval = "prediction")
#' @export
local_gp <- function(x, y, kernel = kernel_rbf(), likelihood = NULL, leaf_rows = NULL, ...,
                     trees = 1, optimise = TRUE, standardise = TRUE, prior_mean = NULL,
                     resume = NULL, cluster = NULL, control = control_ivm(), seed = NULL,
                     threads = NULL, verbose = interactive(), weights = NULL, offset = NULL,
                     noise_sd = NULL, subset = NULL, na.action = NULL, formula = NULL,
                     data = NULL) {
  check_dots(...)
  fit_model(local_gp_of_rows, match.call())
}

# The fit of rows that have been read, see R/model.R
local_gp_of_rows <- function(molded, given) {
  if (is.null(given$leaf_rows)) given$leaf_rows <- usual_leaf_rows[[kind_of_leaves(molded)]]
  likelihood <- given$likelihood
  if (!is.null(likelihood)) {
    likelihood <- as_likelihood(likelihood, "likelihood")
    if (!takes_mean_field(likelihood)) {
      abort_gpsieve("{.fn local_gp} needs a likelihood that is log-concave.",
        why_not_log_concave(likelihood), "{.code ivm(leaf_rows = )} takes it.",
        class = "unsupported")
    }
  }
  ivm_of_rows(molded, given_or_default(ivm, given))
}

# Rows of a leaf. The sites of classes take several rounds, each of which costs as much as the one
# factor of Gaussian noise.
usual_leaf_rows <- c(numbers = 2000, classes = 500)

kind_of_leaves <- function(molded) {
  kind <- new_response(canonical_response(molded$y), nrow(molded$x), molded$outcome,
    molded$scan$counts)$description$kind
  if (kind %in% c("binary", "multiclass")) "classes" else "numbers"
}

# The function that makes such a fit
maker_of <- function(fit) {
  local <- !is.null(fit$settings$leaf_rows) && has_exact_leaves(fit, fit$settings)
  if (local) "local_gp" else fit$model
}
