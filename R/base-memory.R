# The memory that a fit will need is estimated and compared with the free memory before any large
# array is allocated.
#
# Each model has a function <model>_memory() that counts its large arrays in bytes, from the sizes
# of the problem alone. `bench/run.R memory` compares these counts with measured peaks.

# Bytes of an array of doubles with the given dimensions
doubles <- function(...) 8 * prod(as.double(c(...)))

# Refuses a fit whose large arrays would not fit into memory.
# `need` is the estimate in bytes, `what` names the arrays that dominate it, `hint` says which
# argument or which other model would need less. The error holds the estimate as `bytes`.
check_memory <- function(need, what, hint, env = parent.frame()) {
  if (fits_in_memory(need)) return(invisible())
  limit <- memory_limit()
  abort_gpsieve(paste0("This call needs about ", format_bytes(need), " of memory: ", what, "."),
    paste0("The limit is ", format_bytes(limit$bytes), ": ", limit$source, "."),
    paste(c(hint, "{.code options(gpsieve.max_memory = )} sets another limit, in bytes."),
      collapse = " "),
    class = "memory", bytes = need, env = env)
}

# Is so much memory free? For less than `small_need` bytes the system is not asked, which takes two
# milliseconds.
fits_in_memory <- function(need) {
  (need <= small_need && is.null(getOption("gpsieve.max_memory"))) || need <= memory_limit()$bytes
}

small_need <- 2e7

# The largest need that is accepted, and where the number comes from.
# The limit is the option `gpsieve.max_memory` if it is set. Otherwise it is 80 % of the free
# memory, which is the smallest of three numbers: the available memory of the system, the memory
# that the control group of the process may still take, and the address space that the process may
# still take. Linux reports these numbers; on other systems there is no limit.
memory_limit <- function() {
  set <- getOption("gpsieve.max_memory")
  if (!is.null(set)) {
    set <- check_number(set, "options(gpsieve.max_memory)", above = 0, allow_inf = TRUE)
    return(list(bytes = set, source = "the option gpsieve.max_memory"))
  }
  list(bytes = 0.8 * free_memory(), source = "80 % of what is free")
}

free_memory <- function() {
  free <- c(1024 * number_after("/proc/meminfo", "^MemAvailable:"), cgroup_memory(),
    address_space())
  min(free[is.finite(free)], Inf)
}

# The memory that the control group of this process may still take, in bytes (versions 2 and 1)
cgroup_memory <- function() {
  left <- function(limit, used) number_after(limit, "") - number_after(used, "")
  folder <- "/sys/fs/cgroup"
  found <- c(
    left(file.path(folder, "memory.max"), file.path(folder, "memory.current")),
    left(file.path(folder, "memory", "memory.limit_in_bytes"),
      file.path(folder, "memory", "memory.usage_in_bytes"))
  )
  min(found[is.finite(found)], Inf)
}

# The address space that the process may still take if `ulimit -v` bounds it, in bytes
address_space <- function() {
  number_after("/proc/self/limits", "^Max address space") -
    1024 * number_after("/proc/self/status", "^VmSize:")
}

# The first number after a pattern in a file of the system; NA if there is none
number_after <- function(path, pattern) {
  lines <- tryCatch(suppressWarnings(readLines(path)), error = function(e) character())
  line <- sub(pattern, "", grep(pattern, lines, value = TRUE)[1L])
  word <- strsplit(trimws(line), "[[:space:]]+")[[1L]][1L]
  suppressWarnings(as.double(word))
}

format_bytes <- function(bytes) {
  units <- c("bytes", "kB", "MB", "GB", "TB", "PB")
  power <- if (bytes < 1) 0 else min(floor(log(bytes, 1000)), length(units) - 1)
  paste(number_text(bytes / 1000^power, 3), units[power + 1])
}
