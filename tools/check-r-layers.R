# Which function of R/ calls one of a layer above its own? The layers are those of the table "Layers
# of R" in ARCHITECTURE.md, lowest first; the first word of a file's name says to which it belongs.
# Prints every violation as file:line: what.
#
#   Rscript tools/check-r-layers.R          this tree
#   Rscript tools/check-r-layers.R cycles   the groups of files that call each other in a circle
#
# A function uses another one where it names it, as a call or as a value, and has no variable of
# that name. What is called by the name of a method or of a model as text is not seen.

most_in_cycle <- 10

# The prefixes of every layer, in the order of the table
layers <- function() {
  lines <- readLines("ARCHITECTURE.md")
  start <- grep("^## Layers of R", lines)
  rows <- lines[start:length(lines)]
  rows <- rows[seq_len(which(grepl("^## ", rows[-1L]))[1L])]
  first <- sub("^\\| *([^|]*)\\|.*", "\\1", grep("^\\| *`", rows, value = TRUE))
  lapply(regmatches(first, gregexpr("`[a-z]+`", first)), function(words) gsub("`", "", words))
}

# Top-level objects of a file: data.frame(file, line, name), with their expressions
objects_of <- function(file) {
  parsed <- tryCatch(parse(file, keep.source = TRUE), error = function(e) NULL)
  refs <- attr(parsed, "srcref")
  named <- vapply(parsed, function(e) {
    is.call(e) && is.name(e[[1L]]) && as.character(e[[1L]]) %in% c("<-", "=") && is.name(e[[2L]])
  }, NA)
  list(
    table = data.frame(
      file = rep(file, length(parsed)), line = vapply(refs, `[`, 0L, 1L),
      name = vapply(seq_along(parsed), function(i) {
        if (named[i]) as.character(parsed[[i]][[2L]]) else ""
      }, "")
    ),
    expressions = as.list(parsed)
  )
}

is_empty <- function(parts, i) identical(parts[[i]], quote(expr = ))
head_of <- function(e) {
  if (is.call(e) && !is_empty(e, 1L) && is.name(e[[1L]])) as.character(e[[1L]]) else ""
}

# Calls visit(e) for an expression and all within it, but for names of parts (a$b), of other
# packages, and in quoted code
walk <- function(e, visit) {
  visit(e)
  if (!is.call(e) && !is.pairlist(e)) return(invisible())
  parts <- switch(head_of(e),
    "$" = , "@" = as.list(e)[2L],
    "::" = , ":::" = , quote = , bquote = list(),
    "function" = c(as.list(e[[2L]]), list(e[[3L]])),
    as.list(e)
  )
  for (i in seq_along(parts)) if (!is_empty(parts, i)) walk(parts[[i]], visit)
}

# The names that an expression uses, and those of functions that it calls, without its variables
names_in <- function(e) {
  used <- called <- own <- character()
  walk(e, function(e) {
    if (is.name(e)) used <<- c(used, as.character(e))
    called <<- c(called, head_of(e))
    if (head_of(e) == "function") own <<- c(own, names(e[[2L]]))
    if (head_of(e) %in% c("<-", "<<-", "=", "for") && is.name(e[[2L]])) {
      own <<- c(own, as.character(e[[2L]]))
    }
  })
  list(used = setdiff(unique(used), own), called = setdiff(unique(called), own))
}

# The uses of objects of other files: data.frame(from, to, called), rows of `objects`
uses_of <- function(objects, expressions) {
  home <- stats::setNames(seq_len(nrow(objects)), objects$name)
  home <- home[nzchar(names(home)) & !duplicated(names(home))]
  uses <- lapply(seq_along(expressions), function(i) {
    e <- expressions[[i]]
    inside <- names_in(if (nzchar(objects$name[i])) e[[3L]] else e)
    to <- home[intersect(inside$used, names(home))]
    data.frame(from = rep(i, length(to)), to = unname(to), called = names(to) %in% inside$called)
  })
  uses <- do.call(rbind, uses)
  uses[objects$file[uses$from] != objects$file[uses$to], ]
}

# Groups of files that reach each other by calls
cycles_of <- function(files, from, to) {
  ways <- split(to, factor(from, files))
  reached <- function(start) {
    seen <- character()
    todo <- ways[[start]]
    while (length(todo)) {
      seen <- c(seen, todo[1L])
      todo <- setdiff(c(todo[-1L], ways[[todo[1L]]]), seen)
    }
    seen
  }
  reach <- lapply(stats::setNames(nm = files), reached)
  groups <- lapply(files, function(file) {
    Filter(function(other) file %in% reach[[other]], intersect(files, reach[[file]]))
  })
  unique(Filter(function(group) length(group) > 1L, groups))
}

files <- setdiff(list.files("R", "[.]R$", full.names = TRUE), "R/RcppExports.R")
read <- lapply(files, objects_of)
objects <- do.call(rbind, lapply(read, `[[`, "table"))
uses <- uses_of(objects, do.call(c, lapply(read, `[[`, "expressions")))
cycles <- with(uses[uses$called, ], cycles_of(files, objects$file[from], objects$file[to]))
cycles <- cycles[order(-lengths(cycles))]

if (identical(commandArgs(TRUE), "cycles")) {
  for (cycle in cycles) cat(length(cycle), "files:", basename(cycle), "\n")
  quit()
}

prefixes <- layers()
prefix_of <- sub("[-.].*", "", basename(files))
layer_of <- vapply(prefix_of, function(prefix) {
  c(which(vapply(prefixes, function(known) prefix %in% known, NA)), NA)[1L]
}, 0L)
layer <- layer_of[match(objects$file, files)]
for (file in files[is.na(layer_of) & prefix_of != "gpsieve"]) {
  cat(sprintf("%s:1: begins with no word of the table of layers\n", file))
}
upward <- uses[which(layer[uses$to] > layer[uses$from]), ]
cat(sprintf("%s:%d: %s uses %s of %s, a layer above\n", objects$file[upward$from],
  objects$line[upward$from], objects$name[upward$from], objects$name[upward$to],
  objects$file[upward$to]), sep = "")
for (cycle in cycles[lengths(cycles) > most_in_cycle]) {
  cat(sprintf("%s:1: one of %d files that call each other in a circle; at most %d\n", cycle[1L],
    length(cycle), most_in_cycle))
}
