# The scales on which a fit sees its inputs and its response.

#' How a fit has warped its inputs
#'
#' What [kernel_warped()], or [kernel_rich()] with `warp = TRUE`, has learned of each column.
#'
#' @param fit A fitted model.
#' @param newdata `NULL`, or rows with the training columns, a data frame or matrix.
#' @return Without `newdata` a data frame with a row for each warped column of the model matrix:
#'   `column`, the learned `skew` and `tail`, and, in the units of the column, `center` and
#'   `spread`. A skew of 0 with a tail of 1 is no warp. With `newdata` a matrix of the warped values
#'   of its rows, with a column for each warped column, in the units of that column. No rows, or no
#'   columns, where the kernel has no warps.
#' @section Errors: `gpsieve_error_data` where `newdata` lacks columns, as in
#'   [predict()][predict.gpsieve_fit].
#' @seealso [kernel_warped()]
#' @examples
#' fit <- meanfield_gp(dist ~ speed, cars, kernel_warped(kernel_rbf()))
#' warps(fit)
#' plot(cars$speed, warps(fit, cars), xlab = "speed", ylab = "warped speed")
#' @export
warps <- function(fit, newdata = NULL) {
  check_fit(fit)
  from_fit({
    table <- table_of_warps(fit)
    if (is.null(newdata)) return(table)
    if (is_sparse(fit$basis)) {
      abort_gpsieve("A fit of sparse inputs has no warps.", class = "unsupported")
    }
    x <- forge_predictors(fit, newdata, "newdata", "NA")
    colnames(x) <- names(fit$inputs$center)
    warped_values(table, x)
  })
}

#' How a fit has mixed its inputs
#'
#' What [kernel_mixed()], or [kernel_rich()] with `mix = TRUE`, has learned.
#'
#' @param fit A fitted model.
#' @return A data frame with a row for each pair of a mixed column, `mixed`, and a column of the
#'   model matrix that takes part in it, `column`: its `weight`, which is 1 for the column itself.
#'   They are weights of standardised columns where the fit standardises its inputs. No rows where
#'   the kernel has no mix.
#' @seealso [kernel_mixed()]
#' @examples
#' fit <- meanfield_gp(Volume ~ ., trees, kernel_mixed(kernel_rbf(ard = TRUE)))
#' mixing(fit)
#' xtabs(weight ~ column + mixed, mixing(fit))
#' @export
mixing <- function(fit) {
  check_fit(fit)
  from_fit(table_of_mixes(fit))
}
