# The four ways to call a model - formula, data frame, matrix, recipe - written once.
#
# A model is one function, its *bridge*: bridge(molded, <model arguments>, call). The makers below
# turn it into S3 methods that take the same arguments, so that the list of a model's arguments and
# defaults exists in one place.

#' The method for inputs and a response, where a data frame may also come with a formula: as its
#' second argument, or by name
#' @noRd
xy_method <- function(bridge) {
  make_method(bridge, alist(x = , y = ),
    alist(weights = NULL, offset = NULL, noise_sd = NULL, subset = NULL, na.action = NULL,
      formula = NULL, data = NULL),
    quote(mold_table(x, y, formula, data, call, rlang::enquo(weights), rlang::enquo(offset),
      rlang::enquo(subset), na.action, rlang::enquo(noise_sd)
    )),
    quote(if (missing(x)) data else x)
  )
}

formula_method <- function(bridge) {
  make_method(bridge, alist(formula = , data = ),
    alist(weights = NULL, offset = NULL, noise_sd = NULL, subset = NULL, na.action = NULL),
    quote(mold_formula(formula, data, call, rlang::enquo(weights), rlang::enquo(offset),
      rlang::enquo(subset), na.action, rlang::enquo(noise_sd)
    )),
    quote(data)
  )
}

recipe_method <- function(bridge) {
  make_method(bridge, alist(x = , data = ),
    alist(weights = NULL, offset = NULL, noise_sd = NULL, na.action = NULL),
    quote(mold_recipe(x, data, call, rlang::enquo(weights), rlang::enquo(offset), na.action,
      rlang::enquo(noise_sd)
    )),
    quote(data)
  )
}

ts_hint <- paste(
  "A series {.code s} is a data frame with a column for the time:",
  "{.code data.frame(time = as.vector(time(s)), y = as.vector(s))}."
)

#' A method for everything else, which can only say what it would have taken
#' @noRd
default_method <- function(name) {
  function(x, ...) {
    found <- if (missing(x)) "nothing" else describe(x)
    abort_gpsieve(
      paste(
        "The first argument of {.fn {name}} must be a formula, a data frame, a matrix (dense, or",
        "sparse of package Matrix) or a recipe."
      ),
      "Found {found}.",
      if (missing(x) || !is.atomic(x)) NULL
      else if (is.character(x)) meant_frame(x, "data")
      else if (stats::is.ts(x)) ts_hint
      else "One input is a matrix of one column: {.code matrix(x)}.",
      class = "argument", call = rlang::current_env()
    )
  }
}

#' `first` are the arguments before those of the model, `cases` those that say which rows take part
#' and how; `mold` makes molded data of both; `data` has the columns that other formulas may name
#' @noRd
make_method <- function(bridge, first, cases, mold, data) {
  own <- formals(bridge)
  own <- own[setdiff(names(own), c("molded", "call"))]
  pass <- lapply(names(own), as.name)
  names(pass) <- ifelse(names(own) == "...", "", names(own))
  fit <- as.call(c(list(bridge_name(bridge), quote(molded)), pass, list(call = quote(call))))
  size <- attr(bridge, "size")
  if (!is.null(size)) {
    fit <- sized_call(fit, size, own[[size]], attr(bridge, "grows"))
    own <- c(own, alist(size = NULL))
  }
  own <- c(own, cases)
  compares <- identical(attr(bridge, "noise"), "chosen")
  kernels <- intersect(c("kernel", "candidates"), names(own))
  kernels <- as.call(c(quote(list), lapply(kernels, as.name)))
  before_dots <- c(names(first), names(own)[seq_len(match("...", names(own)) - 1L)])
  method <- as.function(c(first, own, bquote({
    call <- rlang::current_env()
    check_full_names(names(sys.call()), .(before_dots), call)
    molded <- .(mold)
    on.exit(remove_copy(molded))
    molded <- read_levels(molded, .(kernels), call)
    advise(molded, likelihood, .(compares))
    molded <- with_known_noise(molded, likelihood, call)
    fit <- if (is_uneven(likelihood)) .(uneven_call(bridge, fit, data)) else .(fit)
    with_training_rows(fit, molded, control, threads, match.call(), call)
  })))
  environment(method) <- topenv()
  method
}

#' The call of a bridge as a function of its argument for the size, so that `size` can stand for it
#' @noRd
sized_call <- function(fit, size, default, grows) {
  arguments <- as.pairlist(stats::setNames(alist(molded = , size = ), c("molded", size)))
  function_call <- call("function", arguments, fit)
  bquote({
    fit_at <- .(function_call)
    if (!is.null(size) || identical(.(as.name(size)), "auto")) seed <- resolve_seed(seed, call)
    fit_sized(fit_at, molded, .(size), .(as.name(size)), .(default), size, seed, call, .(grows))
  })
}

#' The call of the bridge where the noise depends on the inputs: again and again, of gpsieve() once,
#' of models that cannot have it never
#' @noRd
uneven_call <- function(bridge, fit, data) {
  noise <- attr(bridge, "noise")
  if (is.null(noise)) return(quote(refuse_uneven(likelihood, call)))
  terms <- bquote(molded <- with_noise_terms(molded, likelihood, .(data), call))
  if (noise == "chosen") return(bquote({
    .(terms)
    .(fit)
  }))
  resume <- if ("resume" %in% names(formals(bridge))) quote(resume)
  arguments <- as.pairlist(alist(molded = , kernel = , likelihood = , optimise = ))
  function_call <- call("function", arguments, fit)
  bquote({
    .(terms)
    check_goes_with_noise(control, .(resume), call)
    fit_given <- .(function_call)
    fit_uneven(fit_given, molded, kernel, likelihood, optimise, seed, call)
  })
}

bridge_name <- function(bridge) as.name(attr(bridge, "name"))

#' Names a bridge after the symbol that holds it, for readable methods and tracebacks
#'
#' `size` is the bridge's own argument for which all methods also take `size`; `grows`, an
#' expression of the arguments, says whether the bridge takes "auto" there and finds the size by
#' itself. `noise` says of models whose noise may depend on the inputs whether it is "learned"
#' around the bridge or within a bridge that chooses ("chosen").
#' @noRd
new_bridge <- function(name, fn, size = NULL, noise = NULL, grows = FALSE) {
  structure(fn, name = name, size = size, noise = noise, grows = grows)
}
