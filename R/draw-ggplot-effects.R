# The picture of effects with ggplot2: partial dependence in a facet for each input.

ggplot_effects <- function(fit, newdata, terms, asked) {
  chosen <- drawn_terms(fit, terms)
  factors <- Filter(function(term) is_discrete_term(fit, input_terms(fit)[[term]]), chosen)
  effects <- effect_frame(fit, newdata, chosen, if (is.null(asked$grid)) 40L else asked$grid)
  axis <- facet_axis(fit, effects, chosen)
  rows <- effect_ticks_below(fit, effects, chosen, axis)
  effects$x <- axis$x
  average <- partial_dependence(effects, fit, asked$level)
  band <- average[!is.na(average$low) & asked$interval != "none", ]
  several <- has_many_classes(fit$response)
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
    (if (!several) ggplot_single_rows(effects, factors, facets)) +
    (if (nrow(band)) ggplot_effect_bands(facets(band), factors, facets)) +
    thick(ggplot2::geom_line, average[!average$term %in% factors, ], linewidth = 1.2) +
    (if (nrow(rows)) {
      ggplot2::geom_rug(data = facets(rows), ggplot2::aes(.data$x), inherit.aes = FALSE,
        sides = "b", alpha = 0.4)
    }) +
    thick(ggplot2::geom_point, average[average$term %in% factors, ], size = 3) +
    ggplot2::geom_blank(data = facets(axis$ends), ggplot2::aes(y = average$fit[1L])) +
    axis$scale + (if (several) class_axis(fit, average) else answer_axis(fit, "colour")) +
    ggplot2::labs(x = NULL, caption = effect_words(fit, chosen, asked))
}

# The answers of single rows: lines along numbers, points beside the levels of factors
ggplot_single_rows <- function(effects, factors, facets) {
  discrete <- as.character(effects$term) %in% factors
  dots <- effects[discrete, ]
  dots$x <- dots$x + facet_width / 2 * steps_aside(dots$row)
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
  list(group_scale(list(title = "class", colours = colours, key = attr(colours, "key")), "colour"),
    ggplot2::labs(y = answer_words(fit)),
    ggplot2::coord_cartesian(ylim = c(0, max(average$fit))))
}

# Where the averages lie: bands, and bars for the levels of factors
ggplot_effect_bands <- function(band, factors, facets) {
  limits <- ggplot2::aes(ymin = .data$low, ymax = .data$high)
  discrete <- as.character(band$term_name) %in% factors
  list(
    if (any(!discrete)) {
      ggplot2::geom_ribbon(limits, data = band[!discrete, ], fill = safe_colours[1L], alpha = 0.3)
    },
    if (any(discrete)) {
      ggplot2::geom_linerange(limits, data = band[discrete, ], colour = safe_colours[1L],
        alpha = 0.5, linewidth = 2)
    }
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
# Returns list(place, x, ends, scale): the function that moves values of the k-th input, the
# positions, the ends of each facet (a data frame with `term`),
# and the scale, or NULL where all values stay numbers in the units of the data.
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
    place = place, x = as.vector(mapply(place, effects$x, match(effects$term, terms))),
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
