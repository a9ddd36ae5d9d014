# Data that do not tell what every fit states: very few rows, and responses that are equal or of one
# class. All models fit them, with a warning of what cannot be known from them.

# Where hyper-parameters stay as given, `learns` being FALSE, nothing but classes without a row is
# not known: the noise and the function are those that the user assumes. Where rows still come,
# `goes_on`, so may the first of a class.
warn_of_little_data <- function(molded, learns, goes_on) {
  absent <- if (!goes_on) classes_without_rows(molded)
  of_classes <- !is.null(only_class(molded)) || length(absent) > 0L
  if (!length(molded$y) || !(learns || of_classes)) return(invisible())
  said <- what_cannot_be_known(molded, absent)
  if (!is.null(said)) warn_gpsieve("{said[[1L]]}", "{said[[2L]]}", class = "little_data")
}

# What the data are, and what follows: two lines, NULL where the data have enough to say; `absent`
# are classes without a row
what_cannot_be_known <- function(molded, absent = character()) {
  n <- count_rows(molded)
  known_noise <- !is.null(molded$noise_sd)
  if (n == 1L) {
    c("One row takes part.",
      "Nothing is known of how the response varies: intervals are those assumed beforehand.")
  } else if (!is.null(class <- only_class(molded))) {
    c(sprintf("All %s rows have the class \"%s\".", in_thousands(n), class),
      "Nothing is known of the other class: probabilities rest on what is assumed beforehand.")
  } else if (length(absent)) {
    c(sprintf("No row has the class%s %s.", if (length(absent) > 1L) "es" else "",
      paste0("\"", absent, "\"", collapse = ", ")),
      paste("Nothing is known of such a class: predictions give it the probability 0;",
        "droplevels() takes it out."))
  } else if (is_all_equal(molded)) {
    c(sprintf("%s has the same value in all %s rows.", molded$outcome, in_thousands(n)),
      if (known_noise) {
        "How much the function varies, and with which inputs, is not known."
      } else {
        "How much it varies, and with which inputs, is not known: intervals may be far too short."
      })
  } else if (n < fewest_to_learn) {
    c(sprintf("Only %s rows take part.", in_thousands(n)),
      if (is.factor(canonical_response(molded$y))) {
        "With which inputs the classes change is not known: probabilities rest on assumptions."
      } else if (known_noise) {
        "How much the function varies is not known: intervals are those assumed beforehand."
      } else {
        "They do not tell noise from the function: intervals are those assumed beforehand."
      })
  }
}

# Classes that the response has as levels, three or more, and no row
classes_without_rows <- function(molded) {
  y <- canonical_response(molded$y)
  if (!is.factor(y) || nlevels(y) < 3L) return(character())
  counts <- counts_of_classes(molded, y)
  # Rows of one class are refused where there are three or more.
  if (sum(counts > 0) > 1L) levels(y)[counts == 0] else character()
}

counts_of_classes <- function(molded, y) {
  if (is.null(molded$scan$counts)) tabulate(y, nlevels(y)) else molded$scan$counts
}

# Of fewer rows a function of one input with its noise, three hyper-parameters, is not learned.
fewest_to_learn <- 5L

# The class of all rows, NULL if there are several or the response is no class
only_class <- function(molded) {
  y <- canonical_response(molded$y)
  # With one level the response has one class, which is no warning but an error.
  if (!is.factor(y) || nlevels(y) != 2L) return(NULL)
  counts <- counts_of_classes(molded, y)
  if (sum(counts > 0) == 1L) levels(y)[counts > 0]
}

# Is one number the response of all rows? Numbers with different offsets, such as
# exposures of counts, are not equal in what they say.
is_all_equal <- function(molded) {
  y <- canonical_response(molded$y)
  if (!is.numeric(y) || is_pairs(y) || length(unique(molded$offset)) > 1L) return(FALSE)
  all_rows <- molded$scan$response
  if (!is.null(all_rows)) return(isTRUE(all_rows$lowest == all_rows$highest))
  isTRUE(all(y == y[1L]))
}
