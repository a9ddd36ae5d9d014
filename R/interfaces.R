# The four ways to call a model - formula, data frame, matrix, recipe - written once.
#
# A model is one function, its *bridge*: bridge(molded, <model arguments>, call). The makers below
# turn it into S3 methods that take the same arguments, so that the list of a model's arguments and
# defaults exists in one place.

#' @noRd
xy_method <- function(bridge) {
  make_method(bridge, alist(x = , y = ), quote(mold_xy(x, y, call = call)))
}

formula_method <- function(bridge) {
  make_method(bridge, alist(formula = , data = ), quote(mold_formula(formula, data, call = call)))
}

recipe_method <- function(bridge) {
  make_method(bridge, alist(x = , data = ), quote(mold_recipe(x, data, call = call)))
}

#' A method for everything else, which can only say what it would have taken
#' @noRd
default_method <- function(name) {
  function(x, ...) {
    found <- if (missing(x)) "nothing" else describe(x)
    abort_gpsieve(
      "The first argument of {.fn {name}} must be a formula, a data frame, a matrix or a recipe.",
      "Found {found}.",
      class = "argument", call = rlang::current_env()
    )
  }
}

make_method <- function(bridge, first, mold) {
  own <- formals(bridge)
  own <- own[setdiff(names(own), c("molded", "call"))]
  pass <- lapply(names(own), as.name)
  names(pass) <- ifelse(names(own) == "...", "", names(own))
  before_dots <- c(names(first), names(own)[seq_len(match("...", names(own)) - 1L)])
  method <- as.function(c(first, own, bquote({
    call <- rlang::current_env()
    check_full_names(names(sys.call()), .(before_dots), call)
    .(as.call(c(list(bridge_name(bridge), mold), pass, list(call = quote(call)))))
  })))
  environment(method) <- topenv()
  method
}

bridge_name <- function(bridge) as.name(attr(bridge, "name"))

#' Names a bridge after the symbol that holds it, for readable methods and tracebacks
#' @noRd
new_bridge <- function(name, fn) structure(fn, name = name)
