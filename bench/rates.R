# Results of the linear algebra cases: printed, and turned into Markdown.

own_engines <- c("portable", "neon", "avx2", "avx512")

print_rates <- function(rates) {
  cat(markdown_rates(rates), sep = "\n")
  cat("\n")
}

#' One table of rates, one of comparisons with BLAS if there are any, and one of growth with the
#' size
markdown_rates <- function(rates) {
  pairs <- rates[rates$blas != "", ]
  c(
    rate_table(rates), "",
    if (nrow(pairs)) c(
      "The best instruction set over each BLAS, whose rate stands in brackets:", "",
      blas_table(pairs), ""
    ),
    "Exponent of CPU time in the size, from 200 up (least squares, log-log):", "",
    growth_table(rates)
  )
}

# Rates are 1e9 operations per second; ratios are the rate of this package divided by that of Eigen.
rate_table <- function(rates) {
  alone <- rates[rates$blas == "", ]
  wide <- spread(alone, "engine", "rate")
  ratio <- function(engine) decimals(wide[[engine]] / wide$Eigen, 2)
  cells <- c(
    list(case = wide$case, size = wide$size), lapply(wide[c(own_engines, "Eigen")], decimals, 2),
    stats::setNames(lapply(own_engines, ratio), paste(own_engines, "/ Eigen"))
  )
  markdown_table(cells)
}

blas_table <- function(pairs) {
  wide <- spread(pairs, "blas", "rate", within = "engine")
  names <- unique(pairs$blas)
  cells <- list(case = wide$case, size = wide$size)
  for (name in names) {
    own <- wide[[paste(name, "own")]]
    blas <- wide[[paste(name, "BLAS")]]
    both <- paste0(decimals(own / blas, 2), " (", decimals(blas, 1), ")")
    cells[[name]] <- ifelse(is.na(blas), "", both)
  }
  markdown_table(cells)
}

growth_table <- function(rates) {
  alone <- rates[rates$blas == "" & rates$size >= 200, ]
  groups <- split(alone, list(factor(alone$case, unique(alone$case)), alone$engine), drop = TRUE)
  slopes <- do.call(rbind, lapply(groups, function(group) {
    slope <- NA_real_
    if (nrow(group) > 1L) slope <- stats::coef(stats::lm(log(seconds) ~ log(size), group))[[2L]]
    data.frame(case = group$case[1L], size = 0, engine = group$engine[1L], slope = slope)
  }))
  wide <- spread(slopes, "engine", "slope")
  markdown_table(c(list(case = wide$case), lapply(wide[c(own_engines, "Eigen")], decimals, 2)))
}

#' Rows for cases and sizes in the order they were run, columns for the values of `key`
#'
#' With `within`, the names of the engines, there are two columns for each value of `key`: one for
#' the BLAS and one for this package.
spread <- function(rows, key, value, within = NULL) {
  place <- paste(rows$case, rows$size)
  places <- unique(place)
  first <- match(places, place)
  wide <- data.frame(case = rows$case[first], size = rows$size[first])
  label <- rows[[key]]
  if (!is.null(within)) label <- paste(label, ifelse(rows[[within]] == "BLAS", "BLAS", "own"))
  for (name in unique(c(label, if (is.null(within)) c(own_engines, "Eigen")))) {
    some <- label == name
    wide[[name]] <- rows[[value]][some][match(places, place[some])]
  }
  wide
}
