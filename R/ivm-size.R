# The size of the active set where `size = "auto"`: one selection grows until rows that were put
# aside are predicted no better (src/core/models/ivm/theory.md#how-many-rows).

# What a doubling must gain, in standard errors of its mean and in mean log density of a row, and
# how many in a row must gain less before the selection stops: where few rows are put aside, one may
# seem to gain nothing, and without refinement the first sizes may predict as the prior does.
growth_least_errors <- 1
growth_least_gain <- 0.002
growth_level <- 2L

# The size that was found, and the curve that says why: list(size, curve).
# Hyper-parameters are those of the problem. The selections of all classes are in memory together.
grow_active_set <- function(problem, criterion, refine, control, check_memory_of) {
  n <- nrow(problem$x)
  check_memory_at <- function(size) check_memory_of(n, size, together = TRUE)
  strata <- if (is_classification(problem$response)) class_codes(problem)
  aside <- rows_put_aside(n, strata, problem$seed)
  check_memory_at(min(n, first_size))
  if (!length(aside)) return(list(size = n, curve = empty_size_curve))
  sizes <- pmin(first_size * 2^(0:ceiling(log2(n / first_size + 1))), n - length(aside))
  fits <- vapply(sizes, function(size) {
    on_error({
      check_memory_at(size)
      TRUE
    }, function(e) FALSE)
  }, NA)
  options <- ivm_options(problem, max(sizes[fits]), criterion, refine, control)
  growth <- list(aside = aside, first_size = first_size, least_errors = growth_least_errors,
    least_gain = growth_least_gain, level = growth_level)
  call_core(core_grow_ivm, kernel_spec(problem$kernel), likelihood_spec(problem$likelihood),
    core_rows(problem, ivm_prior_means(problem)), options, growth, problem$seed,
    core_settings(problem$threads))
}

empty_size_curve <- data.frame(
  iteration = integer(), objective = numeric(), seconds = numeric(), size = integer()
)
