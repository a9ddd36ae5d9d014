# Files that are either whole or not there: they are written under another name in the same folder,
# and renamed when all of their content is known to be on the disk.

# Stops unless a file of this name can be made in its folder
check_can_make <- function(path, arg) {
  folder <- dirname(path)
  if (!dir.exists(folder) || file.access(folder, 2L) != 0L) {
    abort_gpsieve("The folder of {.arg {arg}} must exist and be writable.",
      "Found {.file {folder}}.")
  }
  if (dir.exists(path)) {
    abort_gpsieve("{.arg {arg}} must name a file.", "{.file {path}} is a folder.")
  }
}

# The name under which a file is written before it is whole
unfinished_name <- function(path) paste0(path, ".", Sys.getpid(), ".new")

# Whether what the system still holds of a file has reached the disk
flushed <- function(path) call_core(core_flush_file, normalizePath(path))

# Renames a file, over another one of that name; FALSE if that is not possible
rename_over <- function(from, to) {
  suppressWarnings(file.rename(from, to) || {
    unlink(to) # Windows does not rename over a file that exists
    file.rename(from, to)
  })
}
