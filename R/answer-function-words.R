# A kernel in words: what kind of function it describes, and of which inputs.

# The adjective of the functions that a leaf describes
leaf_word <- function(leaf) {
  word <- kernel_kind(leaf)$word
  if (is.function(word)) word(leaf) else word
}

# The parts of a sum: list(word, trend, noise, columns, own), where `columns` are the numbers of the
# columns that the part sees and `own` says whether each of them has a lengthscale of its own
function_parts <- function(kernel, columns) {
  if (is_sum(kernel)) return(do.call(c, lapply(kernel$children, function_parts, columns)))
  if (is_restricted(kernel)) {
    return(function_parts(kernel$children[[1L]], columns_seen(kernel$dims, columns)))
  }
  if (is_input_map(kernel)) return(function_parts(kernel$children[[1L]], columns))
  if (is_product(kernel)) return(product_part(kernel, columns))
  word <- leaf_word(kernel)
  if (word == "none") return(list())
  own <- isTRUE(kernel$ard) || length(kernel$values$lengthscale) > 1L
  kind <- kernel_kind(kernel)
  seen <- if (kind$inputs) columns
  list(c(list(word = word, columns = seen, own = own), kind[c("trend", "noise")]))
}

# A product as one part; factors that are sums stand in parentheses
product_part <- function(kernel, columns) {
  factors <- lapply(kernel$children, function_parts, columns)
  factors <- factors[lengths(factors) > 0L]
  if (!length(factors)) return(list())
  words <- vapply(factors, function(parts) {
    inner <- paste(vapply(parts, `[[`, "", "word"), collapse = " + ")
    if (length(parts) > 1L && length(factors) > 1L) paste0("(", inner, ")") else inner
  }, "")
  all_parts <- do.call(c, factors)
  list(list(
    word = product_word(unique(words)),
    trend = all(vapply(all_parts, `[[`, NA, "trend")), noise = FALSE,
    columns = unique(unlist(lapply(all_parts, `[[`, "columns"))),
    own = any(vapply(all_parts, `[[`, NA, "own"))
  ))
}

# The word of a product of functions; a very smooth factor makes a period change slowly
product_word <- function(words) {
  if (setequal(words, c("very smooth", "periodic"))) "slowly changing periodic"
  else paste(words, collapse = " times ")
}

# The function of a fit in words, such as "rough and smooth parts of all inputs, and a linear
# trend"
function_words <- function(fit) {
  columns <- seq_along(fit$inputs$center)
  inputs <- written_columns(fit)
  terms <- kernel_sum_terms(fit$kernel)
  of_levels <- lapply(terms, levels_phrase, columns, inputs)
  others <- vapply(of_levels, is.null, NA)
  words <- in_a_list(c(parts_phrases(terms[others], columns, inputs), unlist(of_levels[!others])))
  paste(c(words, map_phrase("warps of", is_warp, fit, inputs),
    map_phrase("sums of", is_mix, fit, inputs)), collapse = "; ")
}

# Which inputs are mapped, in words; NULL where none is
map_phrase <- function(words, is_kind, fit, inputs) {
  mapped <- mapped_columns(fit$kernel, seq_along(fit$inputs$center), is_kind)
  if (length(mapped)) paste(words, inputs_in_words(mapped, inputs))
}

# Phrases with commas and an "and"
in_a_list <- function(phrases) {
  last <- length(phrases)
  if (last == 0L) "a constant"
  else if (last == 1L) phrases
  else if (last == 2L && !any(grepl(" ", phrases))) paste(phrases, collapse = " and ")
  else paste0(paste(phrases[-last], collapse = ", "), ", and ", phrases[last])
}

# A constant or a line for each level of factors, in words; NULL for other kernels
levels_phrase <- function(kernel, columns, inputs) {
  if (is_sum(kernel) || !sees_levels(kernel)) return(NULL)
  leaves <- kernel_leaves(kernel, columns)
  words <- vapply(leaves, function(leaf) leaf_word(leaf$kernel), "")
  leaves <- leaves[words != "none"]
  line <- words[words != "none"] == "linear"
  if (!all(line | words[words != "none"] == "categorical")) return(NULL)
  seen <- function(which) {
    inputs_in_words(unique(unlist(lapply(leaves[which], `[[`, "columns"))), inputs)
  }
  of <- paste("for each level of", seen(!line))
  if (any(line)) paste("a line in", seen(line), of) else paste("a constant", of)
}

parts_phrases <- function(terms, columns, inputs) {
  parts <- do.call(c, lapply(terms, function_parts, columns))
  if (!length(parts)) return(character())
  groups <- vapply(parts, function(part) {
    if (part$noise) return(paste(part$word, "noise"))
    paste(c(if (part$trend) "trend" else "part", part$columns), collapse = " ")
  }, "")
  parts <- unname(split(parts, factor(groups, unique(groups))))
  vapply(parts, phrase_of, "", inputs = inputs)
}

# Parts of the same kind that see the same columns, or noises of one kind, as one phrase
phrase_of <- function(parts, inputs) {
  words <- vapply(parts, `[[`, "", "word")
  if (parts[[1L]]$noise) {
    seen <- unique(unlist(lapply(parts, `[[`, "columns")))
    of <- if (length(seen)) paste(" of", inputs_in_words(seen, inputs))
    return(paste0(words[1L], " noise", of))
  }
  counts <- table(factor(words, unique(words)))
  words <- ifelse(counts > 1, paste(counts, names(counts)), names(counts))
  own <- any(vapply(parts, `[[`, NA, "own"))
  seen <- inputs_in_words(parts[[1L]]$columns, inputs)
  noun <- if (parts[[1L]]$trend) "trend" else if (sum(counts) > 1) "part" else "function"
  several <- sum(counts) > 1
  paste0(
    if (!several) "a ", paste(words, collapse = " and "), " ", noun, if (several) "s",
    if (!(parts[[1L]]$trend && seen == "all inputs")) paste(" of", seen),
    if (own) " (a scale for each)"
  )
}

# So many terms of a formula are named one by one.
most_named_terms <- 3L

# Which inputs a part sees; `inputs` are those of written_columns()
inputs_in_words <- function(columns, inputs) {
  seen <- names(inputs)[vapply(inputs, function(own) any(own %in% columns), NA)]
  all <- length(seen) == length(inputs)
  written <- isTRUE(attr(inputs, "written"))
  if (length(seen) == 1L) seen
  else if (written && length(seen) <= most_named_terms) in_a_list(seen)
  else if (written) paste0(if (all) "all ", length(seen), " terms")
  else if (all) "all inputs"
  else paste(length(seen), "inputs")
}

# A kernel in few words, such as "rough, ARD" or "linear + smooth"
kernel_label <- function(kernel) {
  parts <- function_parts(kernel, character())
  if (!length(parts)) return("constant")
  words <- unique(vapply(parts, `[[`, "", "word"))
  own <- any(vapply(parts, `[[`, NA, "own"))
  paste0(paste(words, collapse = " + "), if (own) ", ARD")
}
