# A linear function of two classes among the candidates of gpsieve(), where rows are many. Its
# values at p + 1 points determine a function that is linear in p columns. Expectation propagation
# with so many inducing inputs or more is therefore that of the dense model, which factors the
# matrix of all rows several times.
# Of 1,500 rows it takes .06 CPU seconds with 9 inducing inputs and .3 with 61, and the dense model
# .7; probabilities differ by less than .001.

# The entry with the candidate by which it is fitted, once it has learned: its own or, where that is
# cheaper, one of few inducing inputs with what it has learned
as_fitted <- function(entry, task) {
  if (is.null(entry$kernel) || !suits_few_inducing(entry$candidate, task)) return(entry)
  entry$candidate <- sized_candidate(task, entry$candidate$label, "ep_gp",
    rounded_for_code(entry$kernel), entry$candidate$likelihood)
  entry$candidate$settings$inducing <- inducing_of_linear(task)
  entry$candidate$settings$optimise <- FALSE
  entry
}

# Rows that lack values have noise of their own, which no other point determines, and few rows learn
# anew in every split.
suits_few_inducing <- function(candidate, task) {
  molded <- task$molded
  rows <- nrow(molded$x)
  candidate$model == "meanfield_gp" && identical(candidate$kernel, linear_function()) &&
    task$kind == "binary" && is.null(task$models) && !is_sparse(molded$x) &&
    !length(molded$gaps) && rows > most_learned_anew &&
    inducing_seconds(rows, inducing_of_linear(task)) < dense_seconds(task) / 2
}

inducing_of_linear <- function(task) max(ncol(task$molded$x) + 1L, centres_of_rows)
