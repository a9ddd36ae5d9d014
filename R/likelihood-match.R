# Does the likelihood suit the response?

# What the data are called in messages.
response_words <- c(
  number = "numbers", binary = "2 classes", multiclass = "classes", ordinal = "ordered classes",
  trials = "successes and failures", censored = "censored numbers"
)

# What each kind of response is called where a likelihood asks for it.
wanted_words <- c(
  real = "numbers", count = "counts", positive = "positive numbers",
  share = "numbers between 0 and 1", free = "numbers", warped = "numbers",
  warped_positive = "positive numbers", binary = "classes",
  ordinal = "ordered classes", trials = "successes among trials"
)

# The kind of response, or an error where the likelihood is not for responses of this kind.
# `kind` describes the data: "number", "binary", "multiclass", "ordinal", "trials" or "censored",
# with `y` encoded for the core (n x K). The value says how they are modelled: "real", "count",
# "positive", "share", "warped", "warped_positive", "trials", "binary", "multiclass" or "ordinal".
check_response_matches <- function(likelihood, kind, y) {
  wanted <- likelihood_response(likelihood)
  if (kind == "number") {
    check_numbers_match(likelihood, wanted, y)
    return(wanted)
  }
  if (kind == "censored" && takes_intervals(likelihood)) return(wanted)
  if (kind == wanted || (kind == "multiclass" && wanted == "binary")) return(kind)
  abort_mismatch(likelihood, wanted, kind, y)
}

abort_mismatch <- function(likelihood, wanted, kind, y) {
  maker <- likelihood_maker(likelihood)
  things <- wanted_words[[wanted]]
  found <- if (kind == "multiclass") paste(max(2L, NCOL(y)), "classes") else response_words[[kind]]
  hint <- switch(kind,
    binary = , multiclass = if (wanted == "ordinal") {
      if (kind == "binary") "The order of two classes says no more: use {.fn lik_probit}."
      else "{.code factor(y, ordered = TRUE)} says that the levels have the order of its levels."
    } else {
      "Use {.fn lik_probit} or {.fn lik_logit}, or a response of numbers."
    },
    ordinal = "Use {.fn lik_ordinal}, or {.code factor(y, ordered = FALSE)} to ignore the order.",
    trials = "Use {.fn lik_binomial}.",
    censored = "Use {.fn lik_censored}.")
  abort_gpsieve("{.fn {maker}} is a likelihood for {things}.", "The response consists of {found}.",
    hint, class = "data")
}

check_numbers_match <- function(likelihood, wanted, y) {
  maker <- likelihood_maker(likelihood)
  if (wanted %in% c("binary", "ordinal")) {
    what <- if (all(y %in% 0:1)) "numbers, 0 and 1" else "numbers"
    made <- if (wanted == "binary") "factor(y)" else "factor(y, ordered = TRUE)"
    abort_gpsieve("{.fn {maker}} is a likelihood for {wanted_words[[wanted]]}.",
      "The response consists of {what}.",
      "If they stand for classes, use {.code {made}}; otherwise {.fn lik_gaussian}.",
      class = "data")
  }
  if (wanted == "trials") {
    abort_gpsieve("{.fn {maker}} needs the numbers of successes and failures.",
      "The response consists of numbers.",
      "{.code cbind(successes, failures)} is such a response; {.fn lik_poisson} is for counts
        without trials.",
      class = "data")
  }
  refuse_values(y, maker, if (is_of_counts(likelihood)) "count" else wanted)
}

# Which numbers a kind of response has, in words, and what to use for others.
number_rules <- list(
  count = list(
    bad = function(y) not_counts(whole_counts(y)), needs = "counts: whole numbers from 0",
    hint = "For other numbers use {.fn lik_gaussian} or {.fn lik_student}."
  ),
  positive = list(
    bad = function(y) y <= 0, needs = "positive numbers",
    hint = "For other numbers use {.fn lik_gaussian} or {.fn lik_student}."
  ),
  share = list(
    bad = function(y) y <= 0 | y >= 1, needs = "numbers between 0 and 1, not 0 or 1 themselves",
    hint = "Successes among trials are for {.fn lik_binomial}, other numbers for
      {.fn lik_gaussian}."
  )
)

number_rules$warped_positive <- number_rules$positive

refuse_values <- function(y, maker, wanted) {
  rule <- number_rules[[wanted]]
  bad <- if (!is.null(rule)) which(rule$bad(y))
  if (!length(bad)) return(invisible())
  others <- if (length(bad) > 1L) ", and others" else ""
  abort_gpsieve("{.fn {maker}} needs {rule$needs}.",
    "Found {format(y[bad[1]])} in row {bad[1]}{others}.", rule$hint, class = "data")
}
