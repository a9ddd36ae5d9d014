# The picture of effects with ggplot2: partial dependence in a facet for each input.

ggplot_effects <- function(fit, newdata, terms, asked) {
  picture <- effects_picture(fit, newdata, terms, asked)
  chosen <- picture$terms
  effects <- picture$effects
  average <- picture$average
  factors <- Filter(function(term) is_discrete_term(fit, input_terms(fit)[[term]]), chosen)
  axis <- facet_axis(fit, effects, chosen)
  rows <- effect_ticks_below(fit, effects, chosen, axis)
  effects$x <- axis$x(effects)
  average$x <- axis$x(average)
  several <- has_many_classes(fit$response)
  if (several) average <- with_class_steps(average, factors, fit, axis$step)
  band <- average[!is.na(average$low), ]
  labels <- relevance_labels(fit, chosen)
  facets <- function(frame) {
    frame$term_name <- frame$term
    frame$term <- factor(frame$term, chosen, labels)
    frame
  }
  thick <- function(geom, part, ...) {
    by_class <- if (several) ggplot2::aes(colour = .data$class) else ggplot2::aes()
    single <- if (!several) list(colour = safe_colours[1L])
    if (nrow(part)) do.call(geom, c(list(by_class, facets(part), ...), single))
  }
  ggplot2::ggplot(facets(average), ggplot2::aes(.data$x, .data$fit)) +
    ggplot2::facet_wrap(ggplot2::vars(.data$term), scales = "free_x") +
    (if (!several) ggplot_single_rows(effects, factors, facets, axis$step)) +
    (if (nrow(band)) ggplot_effect_bands(facets(band), factors, several)) +
    thick(ggplot2::geom_line, average[!average$term %in% factors, ], linewidth = 1.2) +
    (if (nrow(rows)) {
      ggplot2::geom_rug(data = facets(rows), ggplot2::aes(.data$x), inherit.aes = FALSE,
        sides = "b", alpha = 0.4)
    }) +
    thick(ggplot2::geom_point, average[average$term %in% factors, ], size = 3) +
    ggplot2::geom_blank(data = facets(axis$ends), ggplot2::aes(y = average$fit[1L])) +
    axis$scale + (if (several) class_axis(fit, average) else ggplot2::labs(y = answer_words(fit))) +
    ggplot2::coord_cartesian(ylim = picture$limits) +
    ggplot2::labs(x = NULL, caption = picture$words)
}

# Classes side by side at the levels of factors
with_class_steps <- function(average, factors, fit, step) {
  classes <- drawn_classes(fit$response)
  discrete <- as.character(average$term) %in% factors
  aside <- class_step(match(average$class, classes), length(classes))
  average$x <- average$x + ifelse(discrete, aside * step(average$term), 0)
  average
}

# The answers of single rows: lines along numbers, points beside the levels of factors
ggplot_single_rows <- function(effects, factors, facets, step) {
  discrete <- as.character(effects$term) %in% factors
  dots <- effects[discrete, ]
  dots$x <- dots$x + step(dots$term) * steps_aside(dots$row)
  list(
    if (any(!discrete)) {
      ggplot2::geom_line(data = facets(effects[!discrete, ]), ggplot2::aes(group = .data$row),
        alpha = 0.2)
    },
    if (any(discrete)) ggplot2::geom_point(data = facets(dots), size = 0.6, alpha = 0.25)
  )
}

# The axis of the probabilities of several classes, with the colours of those that differ most
class_axis <- function(fit, average) {
  colours <- drawn_class_colours(fit$response, average)
  list(group_scale(list(title = "class", colours = colours, key = attr(colours, "key"))),
    ggplot2::labs(y = answer_words(fit)))
}

# Where the averages lie, of all rows or of each class: bands, and bars for the levels of factors
ggplot_effect_bands <- function(band, factors, several) {
  discrete <- as.character(band$term_name) %in% factors
  limits <- list(ymin = quote(.data$low), ymax = quote(.data$high))
  drawn <- function(geom, part, colour, ...) {
    by_class <- if (several) stats::setNames(list(quote(.data$class)), colour)
    single <- if (!several) stats::setNames(list(safe_colours[1L]), colour)
    if (nrow(part)) {
      do.call(geom, c(list(do.call(ggplot2::aes, c(limits, by_class)), part, ...), single))
    }
  }
  list(
    drawn(ggplot2::geom_ribbon, band[!discrete, ], "fill", alpha = if (several) 0.2 else 0.3),
    drawn(ggplot2::geom_linerange, band[discrete, ], "colour", alpha = 0.5, linewidth = 2)
  )
}

# The rows over which effects are averaged, as they are placed along the axis of each number
effect_ticks_below <- function(fit, effects, terms, axis) {
  numbers <- Filter(function(term) !is_discrete_term(fit, input_terms(fit)[[term]]), terms)
  do.call(rbind, c(list(data.frame(term = character(), x = numeric())),
    lapply(numbers, function(term) {
      data.frame(term = term, x = axis$place(effect_rows(fit, effects, term), match(term, terms)))
    })))
}

# Share of the unit between two facets that the values of an input take.
facet_width <- 0.5

# Where the values of several inputs are drawn from left to right, and the scale with their labels.
# All facets of a picture have one scale, whose labels belong to values. Where an input is a factor
# or has dates, times or ordered levels, the values of the k-th input are therefore moved to an
# interval that begins at k, so that no label is that of two inputs.
# Returns list(place, step, x, ends, scale): the function that moves values of the k-th input, the
# one that says how far from each other the levels of inputs are, the positions of the rows of a
# data frame with `term` and `x`, the ends of each facet, and the scale, or NULL where all values
# stay numbers in the units of the data.
facet_axis <- function(fit, effects, terms) {
  own <- lapply(terms, function(term) effects[effects$term == term, ])
  ranges <- lapply(own, effect_range)
  special <- Map(function(own, range) effect_ticks(fit, own, range), own, ranges)
  moved <- length(terms) > 1L && !all(vapply(special, is.null, NA))
  place <- function(x, k) {
    if (moved) k + facet_width * (x - ranges[[k]][1L]) / diff(ranges[[k]]) else x
  }
  marks <- lapply(seq_along(terms), function(k) {
    ticks <- if (is.null(special[[k]])) plain_ticks(ranges[[k]]) else special[[k]]
    inside <- ticks$at >= ranges[[k]][1L] & ticks$at <= ranges[[k]][2L]
    data.frame(at = place(ticks$at[inside], k), label = ticks$labels[inside])
  })
  marks <- do.call(rbind, marks)
  list(
    place = place,
    step = function(term) {
      wide <- vapply(ranges, diff, 0)
      if (moved) facet_width / wide[match(term, terms)] else 1
    },
    x = function(frame) as.vector(mapply(place, frame$x, match(frame$term, terms))),
    ends = data.frame(
      term = rep(terms, each = 2L), x = unlist(Map(place, ranges, seq_along(terms)))
    ),
    scale = if (!all(vapply(special, is.null, NA))) {
      ggplot2::scale_x_continuous(breaks = marks$at, labels = marks$label, minor_breaks = NULL,
        guide = ggplot2::guide_axis(check.overlap = TRUE))
    }
  )
}

# The labels of an input that plain numbers would not do for, NULL if there are none
effect_ticks <- function(fit, own, range) {
  if (is.na(own$label[1L])) return(term_ticks(fit, own$term[1L], range))
  levels <- own[!duplicated(own$x), ]
  list(at = levels$x, labels = levels$label)
}

plain_ticks <- function(range) {
  at <- pretty(range, 4)
  list(at = at, labels = number_text(at))
}

# Terms with their relevance, by which they are ordered
relevance_labels <- function(fit, terms) {
  table <- term_relevance(fit)
  values <- table$relevance[match(terms, table$term)]
  paste0(terms, " (relevance ", number_text(values, 2), ")")
}
