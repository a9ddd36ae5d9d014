# The help page of the arguments and words that all models share.

#' Arguments and words that all models share
#'
#' [gpsieve()] and the six models [ivm()], [ep_gp()], [meanfield_gp()], [online_gp()], [greedy_gp()]
#' and [rvm()] are called in the same way, as is [local_gp()], which uses the engine of [ivm()]; the
#' help page of each describes what it has beyond this.
#' ```r
#' ivm(medv ~ ., Boston)                        # formula and data
#' Boston |> ep_gp(medv ~ .)                    # data first
#' meanfield_gp(inputs, response)               # a matrix or data frame, and the response
#' greedy_gp(y ~ ., data, weights = w, size = 200)
#' ```
#'
#' @section Words:
#' * The *latent function* f is the unknown function with a Gaussian process prior. A response
#'   depends on its value in the row: it is the value plus noise (regression), or a class whose
#'   probability grows with the value.
#' * A *site* is a Gaussian function of f in one row that stands for the likelihood of that row,
#'   \eqn{\exp(-\tau f^2 / 2 + \nu f)}{exp(-tau f^2 / 2 + nu f)}: with sites in place of
#'   likelihoods the posterior is Gaussian. Its precision \eqn{\tau}{tau} says how much is learned
#'   from the row. [sites()] gives them.
#' * The *cavity* of a row is the posterior without the site of that row: what all other rows say
#'   about it. Leave-one-out predictions ([loo()]) are predictions from cavities.
#' * *Expectation propagation* (EP) finds sites by going through the rows: each site is replaced by
#'   the one that gives the mean and variance of cavity times likelihood. *Assumed density
#'   filtering* (ADF) goes through the rows once and takes nothing out.
#' * The *shared factor* of stochastic EP is the average of the sites of all rows: one Gaussian
#'   function of the inducing values, kept in place of a site for each row.
#' * *Active*, *inducing* and *basis points* are the few points on which a sparse model rests.
#'
#' @section Responses that look like noise:
#' Learning starts from the lengthscale of the kernel, by default the median distance between rows.
#' A function that changes over much shorter distances looks like noise from there. Where the
#' evidence found (with the log density of the prior, see [prior_weak()]) exceeds that of a constant
#' function by less than 0.05 for each row, and lengthscales are learned, learning
#' therefore starts once more, from the lengthscales 1/16, 1/8, 1/4, 1/2, 2 or 4 times as long,
#' whichever have the greatest evidence, and the better of the two results is kept. If its evidence
#' is still not greater by 1 than that of a constant, the fit gives one warning of class
#' `gpsieve_warning_no_signal`: its predictions may be no better than a constant. [rvm()],
#' and [ivm()] with `refine = 0`, compare log densities of held-out rows instead. There is one start
#' and no warning for `"naive"` mean field of other than Gaussian noise, whose evidence cannot be
#' compared with that of a constant, and [learn_on_blocks()] gives no such warning.
#'
#' @section Errors:
#' Wrong input is refused before any work with a condition of class `gpsieve_error`:
#' `gpsieve_error_argument` (an argument's type, size or value), `gpsieve_error_data` (infinite
#' values, missing ones where `na.action` refuses them, rows of one class only unless the response
#' is logical or a factor of two levels, wrong lengths, unusable columns),
#' `gpsieve_error_unsupported`. A fit that has not converged gives a warning of class
#' `gpsieve_warning_convergence`.
#'
#' @param x What to learn from: a formula (then `data`), or the predictors as a data frame, a matrix
#'   or a sparse matrix ([sparse-inputs]) (then `y`), or a recipe of package recipes (then `data`).
#'   Factor columns become indicators (one number where [kernel_categorical()] or a term `(1 | g)`,
#'   see [groups], reads their levels), ordered factors the position of their level, dates and times
#'   numbers of days and seconds. `data |> model(y ~ .)` works too.
#' @param formula,data A formula with one response, and its data frame (or, for some models, a
#'   source of rows, see [rows_from_function()], beside which `weights`, `offset`, `noise_sd`,
#'   `subset` and `na.action` are refused, and in which missing values are errors).
#'   `y ~ g(a) + g(b, c) + d + e` makes the latent function a sum: one of a, one of b and c, and one
#'   of the columns outside of groups, each with a kernel like `kernel` that sees these columns only
#'   ([kernel_on()]). [predict()] has the terms.
#' @param y The response: numbers (regression), or a factor, character or logical vector
#'   (classification; the second level is the positive class). 0/1 numbers are numbers.
#' @param kernel A kernel such as [kernel_rbf()], or a sum or product of kernels.
#' @param likelihood A likelihood such as [lik_probit()]; `NULL` chooses [lik_gaussian()] for
#'   numbers, [lik_probit()] for classes, [lik_ordinal()] for ordered factors with rows of three
#'   levels or more and `lik_censored("lognormal")` for censored numbers.
#' @param size In sparse models another name for the argument that sets their size: a number, or
#'   `"auto"`, which the argument itself takes too: the size is doubled, from 25, until the log
#'   predictive density of a fifth of the rows (of at most 1000 where they are many), held out,
#'   stops improving; [fit_trace()] shows that curve ([ivm()] has a rule of its own). A number above
#'   that of the rows means all rows, with a message; only a budget stays as it is, since rows may
#'   still come.
#' @param ... Not used: anything here is an error.
#' @param optimise Learn the hyper-parameters? `FALSE` keeps the kernel and likelihood as given, but
#'   for the noise of [rvm()], see there; what they leave `NULL` is chosen from the data.
#' @param standardise Centre and scale inputs, and a numeric response, by their training mean and
#'   standard deviation (weighted where there are `weights` or `noise_sd`)? Levels that
#'   [kernel_categorical()] reads, and responses of whose likelihood the help page says so, stay as
#'   they are. Hyper-parameters then refer to the standardised scale; predictions come
#'   back on the original one. `"common"` divides all inputs by one scale, the root of the mean
#'   variance of those that vary, which suits columns of one kind, such as the pixels of pictures.
#' @param prior_mean Constant prior mean of the latent function, for regression on the response's
#'   scale. `NULL`: unless `standardise = FALSE`, the mean of a numeric response that is
#'   standardised (weighted as there), the mean logarithm with [lik_lognormal()], and that of the
#'   latent function whose response is the mean for counts, other positive numbers, shares and
#'   successes among trials; for [ivm()] and [local_gp()] of classes the normal quantile of the
#'   share of positives; otherwise 0.
#' @param weights Case weights, one for each row: a row of weight w counts as w equal rows, so that
#'   a weight of 0 leaves a row out. Frequency and importance weights are the same here, as are
#'   hardhat's classes of them and a recipe's role `"case_weights"`. With a formula or a recipe the
#'   argument is evaluated among the columns of `data`. Functions of the formula such as `scale()`
#'   see every row once. [ivm()], [local_gp()], [meanfield_gp()], [greedy_gp()] and [rvm()] see
#'   equal rows in memory - the same inputs, response and offset - as one row with the sum of their
#'   weights, and the size of a model counts different rows. With [kernel_white()] or another noise
#'   in the kernel equal rows stay apart, and of these models [rvm()] alone takes weights.
#' @param offset A number for each row that is added to the latent function, on the scale of a
#'   numeric response; with a formula the same as an `offset()` term, and evaluated among the
#'   columns of `data`. New rows need the columns of an `offset()` term, or numbers in
#'   [`predict(offset = )`][predict.gpsieve_fit] where numbers were given here. The offset is added
#'   to `prior_mean`, whose default is that of the response without it, so that `prior_mean = 0`
#'   makes the offset a prior mean that differs between rows. Three or more classes without an
#'   order, [lik_warped()] and `lik_censored("gaussian")` refuse an offset. Pictures show the
#'   function without it, and the R2 that a fit of numbers prints is the share of the variance of
#'   the response less its offset.
#' @param noise_sd Known standard deviations of a numeric response, one for each row, in its units,
#'   for measurements that come with their own errors: row i has the likelihood
#'   \eqn{N(y_i \mid f(x_i), s_i^2)}{N(y[i] | f(x[i]), s[i]^2)}, and no noise is learned.
#'   [online_gp()] computes with it as it stands; in other models a row is \eqn{v / s_i^2} copies of
#'   a row with the common variance v: [ep_gp()] and refined [ivm()] add to the noise of each copy
#'   the variance that their basis leaves open. With a formula or a recipe the argument is evaluated
#'   among the columns of `data`. `likelihood` stays `NULL`. Rows that are read from a source have
#'   none. Prediction intervals and quantiles of new responses need the noise of the new rows,
#'   [`predict(noise_sd = )`][predict.gpsieve_fit]; confidence intervals do not.
#' @param subset Which rows of `data` take part, beside a formula: TRUE or FALSE for each row, or
#'   row numbers, evaluated among the columns of `data`. [active_set()] and [sites()] give row
#'   numbers of `data`.
#' @param na.action What becomes of rows in which a value that the model needs is missing, be it an
#'   input, the response, the weight, the offset or the known noise: `na.omit` or `na.exclude` leave
#'   them out, with one message that counts them and says which columns lack values; `na.fail` is an
#'   error. `NULL` follows `getOption("na.action")` as [stats::lm()] does. After `na.exclude` the
#'   answers for the training rows have `NA` for the rows left out, after `na.omit` these rows do
#'   not occur in them. `"model"` keeps rows in which only inputs are missing: the mean of the
#'   column, by `weights`, stands for a missing number (date, time, position of an ordered level),
#'   and a column beside it is 1 in these rows and 0 in others; a missing level of a factor or text
#'   is `"(missing)"`. Rows that lack a value have noise of their own, so that
#'   their intervals are as wide as they must be, but not in [rvm()] nor beside weights or noises
#'   that differ between rows (see [kernel_gap_noise()]). Predictions take missing values of columns
#'   in which training rows had some; rows that lack a value of another column have `NA`, and one
#'   message names these columns. Recipes, sparse matrices and sources of rows refuse `"model"`.
#'   `na.pass` is refused. A term such as `is.na(x)` or `addNA(f)` has a value where its column
#'   lacks one and keeps the row. Infinite values are errors.
#' @param resume Name of a file that the `checkpoint` of `control` has written: the fit goes on from
#'   there, and ends with the same bits as a fit that was never stopped. All other arguments that
#'   have an effect on the result must be those of the first call, and the rows the same; otherwise
#'   the call is an error that names what differs. For [local_gp()], [ivm()] with `leaf_rows`,
#'   [ep_gp()] and, with a source of rows, [online_gp()].
#' @param cluster A cluster of package parallel, such as [parallel::makeCluster()] and
#'   `mirai::make_cluster()` return: with three or more classes without an order its workers fit the
#'   machines, with `leaf_rows` of [ivm()] and in [local_gp()] the leaves, and with one latent
#'   function in [meanfield_gp()] they share the products with the kernel matrix, each with one
#'   thread or `threads`; those of [ep_gp()] hold parts of the rows. The bits do not depend on the
#'   number of workers. What a worker that dies was to do goes to another worker, and to the calling
#'   process when there is none left, after a warning.
#' @param control Settings of the computation, which are rarely needed: [control_ivm()],
#'   [control_ep()], [control_meanfield()], [control_online()], [control_greedy()],
#'   [control_rvm()], [control_gpsieve()].
#' @param seed A whole number that fixes all randomness; `NULL` draws one from R's generator, so
#'   that `set.seed()` does.
#' @param threads Number of threads; `NULL` means option `gpsieve.threads`, else environment
#'   variable `GPSIEVE_THREADS`, else 1. Results do not depend on it. More threads than free cores
#'   slow a fit down, because threads that wait for each other compute while they wait; they sleep
#'   where the environment variable `OMP_WAIT_POLICY` is `passive` before R starts.
#' @param verbose Show a progress bar for fits that take longer than two seconds?
#' @name model_arguments
NULL
