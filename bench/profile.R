# A sampling profile of a fit, by what the sampled functions do. Needs perf (Linux).

#' Starts sampling this process; the returned function ends it and returns the shares of the samples
start_profile <- function() {
  file <- tempfile("perf")
  command <- sprintf(
    "perf record -q -e cpu-clock -F 499 -p %d -o %s >/dev/null 2>&1 & echo $!", Sys.getpid(), file
  )
  sampler <- as.integer(system(command, intern = TRUE))
  while (!file.exists(file)) Sys.sleep(0.05)
  Sys.sleep(0.5)
  function() {
    tools::pskill(sampler, tools::SIGINT)
    while (dir.exists(file.path("/proc", sampler))) Sys.sleep(0.1)
    report <- system(paste(
      "perf report --stdio --no-children -F overhead,dso,sym -t '|' -i", file, "2>/dev/null"
    ), intern = TRUE)
    unlink(file)
    profile_shares(report)
  }
}

# The first pattern that matches the name of a function says what it does.
profile_parts <- c(
  "register tiles of products" = "^gpsieve.so.*::(crossing_tile|tile<|gemm_packed|gemm_direct)",
  "packing of products" = "^gpsieve.so.*::pack",
  "triangular leaves" = "^gpsieve.so.*(apply_to_strip|::leaf|factor_group|::invert)",
  "matrix-vector products, norms" = "^gpsieve.so.*::(gemv|dots|squared_norms)",
  "kernel profiles and distances" =
    "^gpsieve.so.*(::map<|squared_distances|slopes|gather_columns|ScaledPoints|ScaledPairs|Evalua)",
  "likelihood terms" = "^libm|^gpsieve.so.*(normal::|[Ss]ites|tilt|Probit|likelihood)",
  "system, mostly new pages" = "\\[k\\]",
  "R and its libraries" = "^(libR|libz|stats|methods|utils|rlang|vctrs|cli|jsonlite)",
  "the rest" = ""
)

#' The columns of results that hold the shares
profile_columns <- function() paste("share of", names(profile_parts))

#' One row with the share of the samples for each part
profile_shares <- function(report) {
  fields <- strsplit(grep("^ *[0-9.]+%", report, value = TRUE), "|", fixed = TRUE)
  percent <- as.numeric(sub("%", "", vapply(fields, `[`, "", 1L)))
  name <- vapply(fields, function(field) paste(trimws(field[-1L]), collapse = " "), "")
  matches <- vapply(profile_parts, grepl, logical(length(name)), x = name)
  part <- max.col(matrix(matches, length(name)), ties.method = "first")
  shares <- vapply(seq_along(profile_parts), function(i) sum(percent[part == i]) / 100, 0)
  as.data.frame(as.list(stats::setNames(shares, profile_columns())), optional = TRUE)
}
