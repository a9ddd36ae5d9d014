# The candidate of gpsieve() for factors of many levels: a constant for each level, all of one
# variance, beside a function of the other inputs. Indicators, which the other candidates see, are
# many columns as there are levels, and the constant of each is learned from the rows of that level
# alone where the rows of the others say nothing about it.

# The factors of many levels that are terms by themselves, and occur in no other term
factors_of_many_levels <- function(molded) {
  if (is_sparse(molded$x) || !is.null(molded$rows)) return(character())
  design <- molded$blueprint$design
  many <- vapply(seq_along(design$variables), function(v) {
    encoding <- design$encodings[[v]]
    if (encoding$kind != "category" || length(encoding$levels) < many_levels) return(FALSE)
    within <- Filter(function(term) v %in% term, design$terms)
    length(within) == 1L && length(within[[1L]]) == 1L
  }, NA)
  factors <- names(design$variables)[many]
  if (sum(many) < length(design$terms)) factors else character()
}

# The rich function of the other inputs and a constant for each level; NULL without such a factor
levels_kernel <- function(task) {
  factors <- factors_of_many_levels(task$molded)
  if (!length(factors)) return(NULL)
  constants <- lapply(factors, kernel_categorical, correlation = 0)
  Reduce(`+`, constants, kernel_rich())
}

# The molded data as a candidate's kernel reads them
molded_for <- function(candidate, task) {
  read_levels(task$molded, list(candidate$kernel))
}

# The task with the data as a kernel reads them, and with what its distances cost: a kernel of
# levels reads one column where others read indicators
as_read_by <- function(kernel, task) {
  task$molded <- molded_for(list(kernel = kernel), task)
  task$column_flops <- if (has_one_lengthscale(kernel)) one_lengthscale_flops
  task
}
