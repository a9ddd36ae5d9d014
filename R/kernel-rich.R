# The sum of kernels that fits most data when its hyper-parameters are learned from many of them.

#' A rough part, a smooth part and a linear trend
#'
#' The sum of two [Matern kernels][kernel_matern()], each with a lengthscale for each input column,
#' of a [linear][kernel_linear()] and of a [constant][kernel_constant()] kernel: \deqn{k = k_{\nu_1}
#' + k_{\nu_2} + k_{\mathrm{linear}} + k_{\mathrm{constant}}}{ k = matern(nu[1]) + matern(nu[2]) +
#' linear + constant} Learning decides how much of the variance each part has and which columns it
#' depends on. With many hyper-parameters the evidence alone would fit noise: learn them with
#' [learn_on_blocks()], as [gpsieve()] does. The prior of [learn_on_blocks()] keeps values that the
#' data do not determine near their start.
#'
#' Learning starts as follows. With the median distance D of two rows (about
#' \eqn{\sqrt{2p}}{sqrt(2 p)} for p standardised columns) the lengthscales of the smooth part start
#' at \eqn{\sqrt 2 D}{sqrt(2) D} and those of the rough part at \eqn{\sqrt{2e} D}{sqrt(2 e) D}; the
#' variances start at 0.5 (rough), 1 (smooth), 0.5 / p (linear) and 0.3 (constant).
#'
#' To hold a part, or to give it another start, write the sum itself, such as
#' `kernel_matern(0.5, variance = fixed(0.2), ard = TRUE) + kernel_matern(2.5, ard = TRUE)`.
#'
#' @param nu Smoothness of the two Matern parts, each 0.5, 1.5 or 2.5.
#' @param linear Add the linear and the constant part?
#' @param variance By what the variances from which learning starts are multiplied: one positive
#'   number. Models standardise a response of numbers; where the function is that of a logarithm, as
#'   with [lik_lognormal()], the variance of these logarithms says how much the function varies.
#' @param warp Learn a monotone warp of each column beside its lengthscales? See
#'   [kernel_warped()].
#' @param mix Learn directions beside the columns, those of the warped columns where there are
#'   warps? See [kernel_mixed()].
#' @param ... Not used; anything here is an error.
#' @inherit kernel_rbf return
#' @seealso [learn_on_blocks()], [gpsieve()], [kernel_matern()].
#' @examples
#' kernel_rich()
#' fit <- meanfield_gp(dist ~ speed, cars, kernel_rich(), seed = 1,
#'   control = control_meanfield(blocks = learn_on_blocks())
#' )
#' coef(fit)
#' @export
kernel_rich <- function(nu = c(0.5, 2.5), linear = TRUE, variance = 1, warp = FALSE,
                        mix = FALSE, ...) {
  check_dots(...)
  mix <- check_flag(mix, "mix")
  warp <- check_flag(warp, "warp")
  variance <- check_number(variance, "variance", above = 0)
  linear <- check_flag(linear, "linear")
  if (!is.numeric(nu) || length(nu) != 2L) {
    found <- describe(nu)
    abort_gpsieve("{.arg nu} must be two numbers, one for each Matern part.", "Found {found}.")
  }
  part <- function(nu, share, multiple) {
    new_leaf("matern", nu = nu, variance = share * variance, lengthscale = NULL,
      open = "lengthscale", ard = TRUE, multiple = c(lengthscale = multiple))
  }
  parts <- list(part(nu[1L], 0.5, sqrt(2 * exp(1))), part(nu[2L], 1, sqrt(2)))
  if (linear) {
    parts <- c(parts, list(
      new_leaf("linear", variance = NULL, open = "variance",
        multiple = c(variance = 0.5 * variance)),
      kernel_constant(0.3 * variance)
    ))
  }
  kernel <- new_kernel("sum", children = parts)
  if (mix) kernel <- kernel_mixed(kernel)
  if (warp) kernel <- kernel_warped(kernel)
  kernel$rich <- list(nu = nu, linear = linear, variance = variance, warp = warp, mix = mix)
  kernel
}
