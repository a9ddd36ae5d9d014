# Evaluates code while functions or constants of the package are replaced.
with_functions <- function(functions, code) {
  namespace <- asNamespace("gpsieve")
  own <- mget(names(functions), namespace)
  put <- function(functions) {
    for (name in names(functions)) {
      utils::assignInNamespace(name, functions[[name]], namespace)
    }
  }
  withr::defer(put(own))
  put(functions)
  force(code)
}
