# Checkpoints: the state of a long fit is written to a file at intervals, so that the fit can be
# continued from the file if the R process ends before the fit is finished.
#
# A checkpoint contains a hash of its content. It is written to another file in the same folder,
# flushed to the disk and read back, and renamed only if it agrees with its hash. The checkpoint
# before is kept as <file>.previous, and is read if the newer one is damaged. On a full disk the
# last checkpoint that could be written therefore remains, and the one before it.

check_checkpoint <- function(path) {
  if (is.null(path)) return(invisible())
  check_name(path, "checkpoint")
  check_can_make(path, "checkpoint")
}

# A function(object, extra) that writes a checkpoint if `every` seconds have passed since the last
# one; NULL if `path` is NULL.
# A fit that cannot write its state says so once and goes on; it tries again after `every` seconds.
checkpoint_writer <- function(path, every) {
  if (is.null(path)) return(NULL)
  check_checkpoint(path)
  path <- file.path(normalizePath(dirname(path)), basename(path))
  last <- proc.time()[["elapsed"]]
  warned <- FALSE
  function(object, extra, now = FALSE) {
    seconds <- proc.time()[["elapsed"]] - last
    if (!now && seconds < every) return(invisible())
    written <- on_error(suppressWarnings(write_checkpoint(object, extra, path)), function(e) FALSE)
    last <<- proc.time()[["elapsed"]]
    if (written || warned) return(invisible())
    warned <<- TRUE
    kept <-
      if (any(file.exists(c(path, previous_name(path))))) "The last one that was written is kept."
      else "There is none."
    warn_gpsieve(c("A checkpoint could not be written to {.file {path}}.", x = kept),
      "The fit goes on. Is the disk full?", class = "checkpoint")
  }
}

# The name of the checkpoint before
previous_name <- function(path) paste0(path, ".previous")

# Whether a checkpoint was written
write_checkpoint <- function(object, extra, path) {
  # A compiled function has another hash when it has been written and read once.
  hash <- rlang::hash(unserialize(serialize(list(object, extra), NULL)))
  version <- as.character(utils::packageVersion("gpsieve"))
  attr(object, "checkpoint") <- c(extra, list(version = version, hash = hash))
  fresh <- unfinished_name(path)
  on.exit(unlink(fresh))
  write_object(object, fresh)
  if (!flushed(fresh) || !identical(whole_checkpoint(fresh)$hash, hash)) return(FALSE)
  if (file.exists(path) && !rename_over(path, previous_name(path))) return(FALSE)
  rename_over(fresh, path)
}

write_object <- function(object, file) saveRDS(object, file)

# What a file holds if it is a checkpoint that agrees with its hash: list(object, extra, hash)
whole_checkpoint <- function(file) {
  found <- on_error(suppressWarnings(readRDS(file)), function(e) NULL)
  extra <- attr(found, "checkpoint")
  if (!is.list(extra)) return(NULL)
  attr(found, "checkpoint") <- NULL
  mine <- extra[setdiff(names(extra), c("version", "hash"))]
  if (!identical(rlang::hash(list(found, mine)), extra$hash)) return(NULL)
  list(object = found, extra = mine, hash = extra$hash)
}

# The newest checkpoint that agrees with its hash
read_checkpoint <- function(path) {
  check_name(path, "resume")
  for (file in c(path, previous_name(path))) {
    found <- whole_checkpoint(file)
    if (!is.null(found)) return(found)
  }
  abort_gpsieve("{.arg resume} must name a checkpoint that this package wrote.",
    if (file.exists(path)) "{.file {path}} and the one before it are damaged."
    else "There is no file {.file {path}}.",
    class = "object")
}

# What a call asks for, before anything is learned: calls that agree in all parts, and in the seed,
# end in the same fit. The covariances of a few rows tell functions of the user apart whose text is
# the same. `rows` identifies the rows.
asked_for <- function(problem, settings, rows) {
  settings$control[c("checkpoint", "every")] <- NULL
  few <- scaled_rows(problem, evenly_spaced(nrow(problem$y), probe_rows))
  list(
    "the settings" = settings, "the formula" = problem$molded$formula,
    "the kernel" = problem$kernel,
    "the values of the kernel" = call_core(core_kernel_matrix, kernel_spec(problem$kernel), few,
      NULL),
    "the likelihood" = problem$likelihood, "the prior mean" = list(problem$prior_mean),
    "the scales of columns or response" = list(
      problem$inputs[c("center", "scale")], problem$response
    ),
    "the rows" = rows
  )
}

# Which parts two calls do not have in common
parts_that_differ <- function(a, b) {
  # Another computer may compute other last bits of a function of the user.
  agree <- function(x, y) {
    if (is.matrix(x)) return(isTRUE(all.equal(x, y, tolerance = 1e-8)))
    identical(x, y, ignore.bytecode = TRUE, ignore.environment = TRUE, ignore.srcref = TRUE)
  }
  parts <- union(names(a), names(b))
  parts[!mapply(agree, a[parts], b[parts])]
}

# The checkpoint from which a fit continues, which must be one of a call that `asked` the same;
# NULL without `resume`
resumed_fit <- function(resume, model, asked, seed) {
  if (is.null(resume)) return(NULL)
  from <- read_checkpoint(resume)
  fit <- from$object
  validate_fit(fit)
  other <-
    if (!inherits(fit, paste0("gpsieve_", model))) "the model"
    else if (is.null(from$extra$asked)) "the version of the package"
  check_same_call(from$extra$asked, asked, seed, fit$seed, other)
  from
}

# Stops unless a checkpoint is that of a call that `asked` the same; `other` is what is known to
# differ
check_same_call <- function(before, asked, seed, seed_before, other) {
  if (is.null(other)) other <- parts_that_differ(before, asked)
  if (!is.null(seed) && seed != seed_before) other <- c(other, "the seed")
  if (!length(other)) return(invisible())
  abort_gpsieve("{.arg resume} must be a checkpoint of the same call on the same rows.",
    "Not the same: {other}.", class = "argument")
}

# Holds the last good state of a fit that was interrupted.
interrupted <- new.env(parent = emptyenv())

#' The fit at the time when it was interrupted
#'
#' If a fit by [ep_gp()], or one by [online_gp()] that reads a source of rows, is interrupted (by
#' Ctrl-C, a time limit or an error of the source), `last_fit()` returns it as it was then: an
#' online fit to the rows that had been read, and a fit by `ep_gp()` whose iterations have begun as
#' it was about a second before at most. With `method = "ep"` it is the state that was kept last, of
#' which there is none without `cluster` or `checkpoint` or `every` of [control_ep()]. The fit of
#' `ep_gp()` has no evidence.
#'
#' @return A fit, or `NULL` when no fit was interrupted in this session.
#' @examples
#' last_fit()
#' @export
last_fit <- function() interrupted$fit

# What identifies the rows of a fit: what the first pass found in a source, or a hash
fingerprint_of_rows <- function(problem) {
  if (is.null(problem$rows)) {
    held <- if (is.null(problem$raw)) "x" else "raw"
    return(rlang::hash(problem[c(held, "y", "cases")]))
  }
  problem$scan[setdiff(names(problem$scan), "sampled")]
}
