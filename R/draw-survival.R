# Pictures of survival: the probability of lasting longer than each time, by groups of the input
# that matters most. The numbers, and both drawings.

# Curves are averages over at most so many rows, at so many times, for at most so many groups.
most_survival_rows <- 300L
survival_times <- 120L
most_survival_groups <- 6L

check_drawable_survival <- function(fit) {
  if (response_type(fit) == "Surv" || has_survival(fit)) return(invisible())
  abort_gpsieve("{.val survival} is drawn of times that may be censored.",
    hint = "The response is then a {.fn survival::Surv}.", class = "unsupported")
}

# Of rows of newdata, or those that stand for the data: list(curves, steps, term, groups).
# `curves` and `steps` are data frames of `time`, `share` and `group`; steps are Kaplan and Meier's
# estimates from the rows themselves, where their times are known, with their limits `low` and
# `high` unless the picture is asked for without intervals.
survival_frame <- function(fit, newdata, y, terms, asked) {
  term <- drawn_terms(fit, terms)[1L]
  rows <- survival_rows(fit, newdata, y)
  rows$group <- groups_of_input(fit, term, rows$x)
  known <- rows$time[!is.na(rows$time)]
  until <- if (length(known)) max(known) else longest_time(fit, rows$x)
  some <- evenly_spaced(nrow(rows$x), most_survival_rows)
  at <- seq(0, until, length.out = survival_times + 1L)[-1L]
  latent <- marginals_at(fit, model_rows(fit, rows$x[some, , drop = FALSE]))
  lasting <- predicted_survival(fit, latent, at)
  curves <- do.call(rbind, lapply(levels(rows$group), function(group) {
    own <- which(rows$group[some] == group)
    if (!length(own)) return(NULL)
    data.frame(time = c(0, at), share = c(1, colMeans(lasting[own, , drop = FALSE])), group = group)
  }))
  steps <- if (length(known)) do.call(rbind, lapply(levels(rows$group), function(group) {
    own <- which(rows$group == group & !is.na(rows$time))
    if (!length(own)) return(NULL)
    data.frame(kaplan_meier(rows$time[own], rows$event[own], asked$level), group = group)
  }))
  if (!is.null(steps) && asked$interval == "none") steps[c("low", "high")] <- NULL
  list(curves = curves, steps = steps, term = term, groups = levels(rows$group),
    level = asked$level)
}

# The drawn inputs of rows and, where the fit or newdata have them, the times of each and whether
# it ended then: list(x, time, event); times are NA where both ends of an interval are numbers
survival_rows <- function(fit, newdata, y) {
  if (!is.null(newdata)) {
    x <- forge_drawn(fit, newdata)
    y <- response_if_known(fit, newdata, y)
  } else {
    x <- drawn_rows(fit)
    y <- fit$kept$y
    if (NROW(y) != nrow(x) || !is_pairs(y) || is_partitioned(fit)) y <- NULL
    else if (is.null(fit$blueprint$drawn)) y <- y[fit$posteriors[[1L]]$basis]
  }
  complete <- rowSums(is.na(x)) == 0
  time <- event <- rep(NA_real_, nrow(x))
  if (is_pairs(y)) {
    lower <- pair_first(y)
    upper <- pair_second(y)
    at_end <- is.finite(lower) & (upper == lower | upper == Inf)
    time <- ifelse(at_end, lower, NA)
    event <- as.numeric(upper == lower)
  }
  list(x = x[complete, , drop = FALSE], time = time[complete], event = event[complete])
}

# When nine of ten rows have ended
longest_time <- function(fit, x) {
  latent <- marginals_at(fit, model_rows(fit, x))
  max(stats::quantile(predicted_quantiles(fit, latent, 0.9), 0.9))
}

# The rows by their values of an input: the most frequent levels of a factor, thirds of a number
groups_of_input <- function(fit, term, x) {
  columns <- input_terms(fit)[[term]]
  if (is_discrete_term(fit, columns)) {
    labels <- factor_labels(fit, term, columns)
    code <- level_of_rows(fit, columns, x)
    counts <- tabulate(code, length(labels))
    shown <- which(rank(-counts, ties.method = "first") <= most_survival_groups & counts > 0L)
    return(factor(labels[code], labels[shown]))
  }
  values <- x[, columns]
  cuts <- unique(stats::quantile(values, c(1, 2) / 3, type = 1, names = FALSE))
  cuts <- cuts[cuts < max(values)]
  if (!length(cuts)) return(factor(rep("all", length(values))))
  ends <- number_text(cuts, 3)
  labels <- c(paste("up to", ends[1L]),
    if (length(cuts) == 2L) paste(ends[1L], "to", ends[2L]), paste("above", ends[length(ends)]))
  factor(labels[findInterval(values, cuts, left.open = TRUE) + 1L], labels)
}

# The share that lasts longer than each time, of rows of which some are censored, and limits between
# which it lies by the normal distribution of its logarithm, with Greenwood's variance
kaplan_meier <- function(time, event, level) {
  at <- sort(unique(time[event == 1]))
  ended <- vapply(at, function(t) sum(time == t & event == 1), 0)
  left <- vapply(at, function(t) sum(time >= t), 0)
  share <- cumprod(1 - ended / left)
  reach <- stats::qnorm((1 + level) / 2) * sqrt(cumsum(ended / (left * (left - ended))))
  # Where no row is left the share is 0, of which nothing says how sure it is.
  reach[share == 0] <- 0
  steps <- data.frame(time = c(0, at), share = c(1, share), low = c(1, share * exp(-reach)),
    high = c(1, pmin(1, share * exp(reach))))
  last <- steps[nrow(steps), ]
  last$time <- max(time)
  rbind(steps, last)
}

survival_words <- function(fit, found) {
  paste(c("curves: predicted, on average over the rows of each group",
    if (!is.null(found$steps)) "steps: Kaplan-Meier estimates of the same rows",
    if (!is.null(found$steps$low)) {
      paste0("bands: ", number_text(100 * found$level), "% intervals of these")
    }), collapse = "; ")
}

# The corners of a band between steps: each step goes on until the next one
band_of_steps <- function(steps) {
  last <- nrow(steps)
  until <- c(rep(seq_len(last), each = 2L)[-1L])
  value <- c(rep(seq_len(last), each = 2L)[-2L * last])
  data.frame(time = steps$time[until], low = steps$low[value], high = steps$high[value])
}

survival_axis <- "share that lasts longer"

plot_survival <- function(fit, found, given) {
  words <- survival_words(fit, found)
  colours <- stats::setNames(level_colours(length(found$groups)), found$groups)
  picture_margins(words, legend = TRUE, titled = !is.null(given$main))
  draw_with(graphics::plot, list(x = range(found$curves$time), y = c(0, 1), type = "n",
    xlab = answer_words(fit), ylab = survival_axis), given)
  for (group in found$groups) {
    steps <- found$steps[found$steps$group == group, ]
    if (!is.null(steps$low)) {
      band <- band_of_steps(steps)
      graphics::polygon(c(band$time, rev(band$time)), c(band$low, rev(band$high)), border = NA,
        col = grDevices::adjustcolor(colours[[group]], 0.15))
    }
    graphics::lines(steps$time, steps$share, type = "s", col = colours[[group]])
    curve <- found$curves[found$curves$group == group, ]
    graphics::lines(curve$time, curve$share, lwd = 3, col = colours[[group]])
  }
  legend_above(found$groups, found$term, col = colours, lwd = 3)
  caption_below(words)
}

ggplot_survival <- function(fit, found) {
  colours <- stats::setNames(level_colours(length(found$groups)), found$groups)
  bands <- if (!is.null(found$steps$low)) do.call(rbind, lapply(found$groups, function(group) {
    steps <- found$steps[found$steps$group == group, ]
    if (nrow(steps)) data.frame(band_of_steps(steps), group = group)
  }))
  ggplot2::ggplot(found$curves, ggplot2::aes(.data$time, .data$share, colour = .data$group)) +
    (if (!is.null(bands)) {
      ggplot2::geom_ribbon(ggplot2::aes(.data$time, ymin = .data$low, ymax = .data$high,
        fill = .data$group), data = bands, inherit.aes = FALSE, alpha = 0.15)
    }) +
    (if (!is.null(found$steps)) ggplot2::geom_step(data = found$steps, linewidth = 0.4)) +
    ggplot2::geom_line(linewidth = 1.2) +
    ggplot2::scale_colour_manual(values = colours, breaks = found$groups, name = found$term,
      aesthetics = c("colour", "fill")) +
    ggplot2::coord_cartesian(ylim = c(0, 1)) +
    ggplot2::labs(x = answer_words(fit), y = survival_axis, caption = survival_words(fit, found))
}
