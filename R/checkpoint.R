# Checkpoints: the state of a long fit is written to a file at intervals, so that the fit can be
# continued from the file if the R process ends before the fit is finished.
#
# A checkpoint is first written to another file in the same folder, which is then renamed, so that
# the checkpoint is always a complete file. The previous checkpoint is kept as <file>.previous. A
# checkpoint contains a hash of its content. If the content does not agree with the hash, the
# previous checkpoint is read.

#' A function(object, extra) that writes a checkpoint if `every` seconds have passed since the last
#' one; NULL if `path` is NULL
#' @noRd
checkpoint_writer <- function(path, every, call) {
  if (is.null(path)) return(NULL)
  check_name(path, "checkpoint", call)
  if (!dir.exists(dirname(path)) || file.access(dirname(path), 2L) != 0L) {
    abort_gpsieve("The folder of {.arg checkpoint} must exist and be writable.",
      "Found {.file {dirname(path)}}.", call = call
    )
  }
  last <- proc.time()[["elapsed"]]
  function(object, extra, now = FALSE) {
    seconds <- proc.time()[["elapsed"]] - last
    if (!now && seconds < every) return(invisible())
    write_checkpoint(object, extra, path)
    last <<- proc.time()[["elapsed"]]
  }
}

write_checkpoint <- function(object, extra, path) {
  attr(object, "checkpoint") <- NULL
  attr(object, "checkpoint") <- c(extra, list(
    version = as.character(utils::packageVersion("gpsieve")),
    hash = rlang::hash(list(object, extra))
  ))
  fresh <- paste0(path, ".", Sys.getpid(), ".new")
  on.exit(unlink(fresh))
  saveRDS(object, fresh)
  if (file.exists(path)) rename_over(path, paste0(path, ".previous"))
  rename_over(fresh, path)
}

rename_over <- function(from, to) {
  if (suppressWarnings(file.rename(from, to))) return(invisible())
  unlink(to) # Windows does not rename over a file that exists
  if (!file.rename(from, to)) {
    abort_gpsieve("A checkpoint could not be written.", "{.file {to}} cannot be replaced.",
      class = "data", call = NULL
    )
  }
}

#' The newest checkpoint that agrees with its hash: list(object, extra)
#' @noRd
read_checkpoint <- function(path, call) {
  check_name(path, "resume", call)
  for (file in c(path, paste0(path, ".previous"))) {
    found <- tryCatch(suppressWarnings(readRDS(file)), error = function(e) NULL)
    extra <- attr(found, "checkpoint")
    if (!is.list(extra)) next
    attr(found, "checkpoint") <- NULL
    mine <- extra[setdiff(names(extra), c("version", "hash"))]
    if (identical(rlang::hash(list(found, mine)), extra$hash)) return(list(object = found,
      extra = mine))
  }
  abort_gpsieve("{.arg resume} must name a checkpoint that this package wrote.",
    if (file.exists(path)) "{.file {path}} and the one before it are damaged."
    else "There is no file {.file {path}}.",
    class = "object", call = call
  )
}

#' The checkpoint from which a fit continues, checked against the call
#'
#' `same_data(extra)` says whether the checkpoint comes from the same rows. A checkpoint holds the
#' settings of its call among what it keeps besides the fit.
#' @noRd
resumed_fit <- function(resume, model, settings, problem, same_data, seed, call) {
  from <- read_checkpoint(resume, call)
  fit <- from$object
  validate_fit(fit, call)
  free <- c("checkpoint", "every")
  lasting <- function(settings) {
    settings$control <- settings$control[setdiff(names(settings$control), free)]
    settings
  }
  same <- inherits(fit, paste0("gpsieve_", model)) &&
    identical(lasting(from$extra$settings), lasting(settings)) && same_data(from$extra) &&
    (is.null(seed) || seed == fit$seed) && (settings$optimise || same_model(fit, problem))
  if (same) return(from)
  abort_gpsieve("{.arg resume} must be a checkpoint of the same call on the same rows.",
    "The settings, the model, the seed, the columns or the rows differ.",
    class = "argument", call = call
  )
}

#' Have a fit and a call the same kernel and likelihood, hyper-parameters included?
#' @noRd
same_model <- function(fit, problem) {
  identical(format(fit$kernel), format(problem$kernel)) &&
    identical(format(fit$likelihood), format(problem$likelihood)) &&
    identical(
      theta_of(fit$kernel, fit$likelihood), theta_of(problem$kernel, problem$likelihood)
    )
}

# Holds the last good state of a fit that was interrupted.
interrupted <- new.env(parent = emptyenv())

#' The fit at the time when it was interrupted
#'
#' If a fit by [ep_gp()], or one by [online_gp()] that reads a source of rows, is interrupted (by
#' Ctrl-C, a time limit or an error of the source), `last_fit()` returns it as it was then: an
#' online fit to the rows that had been read, and a fit by `ep_gp()` as it was at most a second
#' before. With `method = "ep"` that is the last checkpoint, and there is none without `checkpoint`
#' or `every` of [control_ep()]. The fit of `ep_gp()` has no evidence.
#'
#' @return A fit, or `NULL` when no fit was interrupted in this session.
#' @examples
#' last_fit()
#' @export
last_fit <- function() interrupted$fit
