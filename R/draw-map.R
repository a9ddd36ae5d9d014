# The numbers of a map: what the fit says on a grid over two inputs.

# The function of two inputs on a grid: mean or probability, its standard deviation, and for more
# classes the most probable one and its probability. Places far from all data are NA, and so is a
# mean that the data leave open.
map_frame <- function(fit, points, grid) {
  columns <- unlist(input_terms(fit))
  first <- axis_points(fit, columns[1L], grid, points$x)
  second <- axis_points(fit, columns[2L], grid, points$x)
  out <- expand.grid(x = first, y = second, KEEP.OUT.ATTRS = FALSE)
  rows <- model_rows(fit, rows_of_terms(fit, as.matrix(out)))
  latent <- marginals_at(fit, rows)
  response <- fit$response
  far <- is_far(fit, as.matrix(out), points$x)
  if (!is_classification(response)) {
    out$value <- predicted_mean(fit, latent)
    out$sd <- standard_error(fit, latent, "response")
    unknown <- far | prior_share(fit, rows, latent) > most_prior
    if (!all(unknown)) out[unknown, c("value", "sd")] <- NA
    return(out)
  }
  p <- predicted_probabilities(fit, latent)[, present_levels(response), drop = FALSE]
  winner <- max.col(p, "first")
  out$value <- if (response$kind == "binary") p[, 2L] else p[cbind(seq_along(winner), winner)]
  out$class <- factor(response$present[winner], levels = response$levels)
  if (has_many_classes(response)) out$lead <- leads(p)
  if (response$kind == "binary") out$sd <- latent_sd(fit, latent)
  out$value[far] <- NA
  out
}

# Places of a map whose distance from the nearest row is more than a tenth of the axes, and more
# than the distances between neighbouring rows
is_far <- function(fit, places, x) {
  columns <- unlist(input_terms(fit))
  rows <- unique(rbind(drawn_rows(fit)[, columns, drop = FALSE], fit$kept$drawn[, columns],
    x[, columns]))
  rows <- rows[rowSums(is.na(rows)) == 0, , drop = FALSE]
  rows <- rows[evenly_spaced(nrow(rows), most_near_rows), , drop = FALSE]
  scale <- apply(rbind(rows, places), 2L, function(v) 1 / max(diff(range(v)), 1e-300))
  nearest <- function(from, skip) {
    own <- from * rep(scale, each = nrow(from))
    of_rows <- rows * rep(scale, each = nrow(rows))
    vapply(seq_len(nrow(own)), function(i) {
      away <- (of_rows[, 1L] - own[i, 1L])^2 + (of_rows[, 2L] - own[i, 2L])^2
      sqrt(min(if (skip) away[-i] else away, Inf))
    }, 0)
  }
  between <- if (nrow(rows) > 1L) stats::quantile(nearest(rows, TRUE), 0.9) else Inf
  nearest(places, FALSE) > max(far_from_rows, 1.5 * between)
}

# In shares of the axes, as `too.far` of package mgcv.
far_from_rows <- 0.1
most_near_rows <- 1000L

# Does the border of a class run between four neighbouring places of a map that are all drawn?
# `ahead` is how far the class is ahead at every place.
has_border <- function(ahead, frame) {
  z <- matrix(ahead, length(unique(frame$x)))
  right <- z[-1L, , drop = FALSE]
  left <- z[-nrow(z), , drop = FALSE]
  of_four <- function(pick) {
    pick(right[, -1L], right[, -ncol(z)], left[, -1L], left[, -ncol(z)])
  }
  any(of_four(pmin) < 0 & of_four(pmax) > 0, na.rm = TRUE)
}

# How far each class is ahead of the most probable other one, a matrix: its zero is a border, which
# lies between the points of a grid
leads <- function(p) {
  vapply(seq_len(ncol(p)), function(k) {
    others <- p[, -k, drop = FALSE]
    p[, k] - others[cbind(seq_len(nrow(p)), max.col(others, "first"))]
  }, numeric(nrow(p)))
}

# A map has no mean where the data leave more than this share of the prior variance.
most_prior <- 0.5

# The latent variance divided by that before any data; 0 for relevance vectors, whose variance is
# not that of a process with the kernel's prior
prior_share <- function(fit, x, latent) {
  kernel <- fit$kernel
  if (is.null(kernel) || fit$model == "rvm") return(numeric(nrow(x)))
  scaled <- rows_for_fit(fit, x)
  blocks <- split(seq_len(nrow(x)), (seq_len(nrow(x)) - 1L) %/% 64L)
  prior <- lapply(blocks, function(rows) {
    diag(as.matrix(kernel_matrix(kernel, scaled[rows, , drop = FALSE])))
  })
  latent$variance[, 1L] / unlist(prior)
}

# Points along each axis: borders between classes need more than a smooth mean
map_grid <- function(fit) if (has_many_classes(fit$response)) 120L else 80L

# The standard deviations of the mean along which a map has contours: none where these would be so
# many pieces that they hide the map.
most_contours <- 12L

sd_levels <- function(frame) {
  known <- frame$sd[!is.na(frame$sd)]
  if (!length(known) || diff(range(known)) == 0) return(numeric())
  levels <- pretty(known, 5)
  surface <- matrix(frame$sd, length(unique(frame$x)))
  if (length(grDevices::contourLines(z = surface, levels = levels)) > most_contours) numeric()
  else levels
}

sd_words <- function(frame) {
  if (length(sd_levels(frame))) return("dashed: standard deviation of the mean")
  if (all(is.na(frame$sd))) return(NULL)
  known <- range(frame$sd, na.rm = TRUE)
  paste("standard deviation of the mean:", paste(number_text(known, 2), collapse = " to "))
}

# How long a unit upwards is beside one to the right, where the two inputs of a map have names of
# places: longitude and latitude, east and north, or names that differ by x and y alone. NULL for
# other inputs, and where the map would be a narrow strip.
map_ratio <- function(fit, frame) {
  names <- tolower(names(input_terms(fit)))
  are <- function(first, second) grepl(first, names[1L]) && grepl(second, names[2L])
  ratio <-
    if (are("^(lon|lng)", "^lat")) 1 / cos(mean(range(frame$y)) * pi / 180)
    else if (are("^lat", "^(lon|lng)")) cos(mean(range(frame$x)) * pi / 180)
    else if (are("^east", "^north") || are("x", "y") && sub("x", "y", names[1L]) == names[2L]) 1
    else return(NULL)
  sides <- diff(range(frame$y)) * ratio / diff(range(frame$x))
  if (is.finite(sides) && sides < widest_map && sides > 1 / widest_map) ratio
}

# One side of a map is at most so many times as long as the other.
widest_map <- 3

# What the signs of a map mean, in words
map_words <- function(fit, frame, points) {
  numbers <- !is_classification(fit$response)
  paste(c(
    if (numbers) "colour: mean",
    if (anyNA(frame$value)) paste("white: far from the data", if (numbers) "or not told by them"),
    if (numbers) sd_words(frame),
    if (has_rings(fit)) paste("rings:", marked_words(fit)),
    if (any(points$open)) "squares: censored rows", share_of_rows(points$x, points$total)
  ), collapse = "; ")
}

# Rings mark the basis of a sparse fit, unless they would hide the map.
most_rings <- 60L

has_rings <- function(fit) marked_words(fit) != "rows" && nrow(drawn_rows(fit)) <= most_rings

# The size of the points of so many rows, which must not hide the map; those of classes, which need
# their colour, are larger
point_size <- function(points) {
  least <- if (is.factor(points$y)) 0.6 else 0.35
  min(1, max(least, sqrt(120 / max(nrow(points$x), 1))))
}

# Filled signs of rows on a map: squares where a number is known to lie in an interval only
map_signs <- function(points) {
  if (is.null(points$open)) 21L else ifelse(points$open, 22L, 21L)
}
