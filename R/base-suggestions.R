# What a wrong argument may have meant, in words for the last line of an error message. Each of
# these functions returns text in which nothing is evaluated any more, or NULL.

# Text as it is, for a place where braces would be evaluated
as_it_is <- function(text) gsub("([{}])", "\\1\\1", text)

# The known names that begin with the given one, or with which it begins; otherwise those with the
# smallest edit distance from it, if that is at most 2 and at most half its length. Capitals do not
# count.
nearest_name <- function(given, known) {
  known <- known[!is.na(known)]
  if (!length(known)) return(character())
  small <- tolower(known)
  given <- tolower(given)
  begun <- startsWith(small, given) | (startsWith(given, small) & nchar(small) > 2L)
  if (any(begun)) return(known[begun])
  edits <- utils::adist(given, small)[1L, ]
  known[edits == min(edits) & edits <= min(2, nchar(given) / 2)]
}

# A question that offers the nearest known values of several given ones, or NULL
meant_values <- function(given, known) {
  meant <- unique(unlist(lapply(as.character(given), nearest_name, known)))
  if (length(meant)) as_it_is(cli::format_inline("Did you mean {.or {.val {meant}}}?"))
}

# What other packages call an argument that has another name here.
names_elsewhere <- list(
  newdata = c("data", "newx", "new_data", "test"), data = c("dataset", "df", "train"),
  folds = c("k", "nfolds", "n_folds", "nfold", "v"),
  level = c("conf.level", "conf_level", "conf", "alpha"), seed = c("random_state", "random.seed"),
  threads = c("nthread", "nthreads", "n_threads", "num_threads", "cores", "n_cores", "n_jobs"),
  verbose = c("trace", "silent", "quiet"), se.fit = c("se", "return_std"),
  likelihood = c("lik", "distribution"), kernel = c("cov", "covariance", "kern"),
  optimise = "optimize", standardise = c("scale", "normalize", "scaled"), lengthscale = "sigma"
)

# Arguments of a function that say what another package's name says there
elsewhere_called <- function(given, known) {
  called <- vapply(names_elsewhere, function(names) given %in% names, NA)
  intersect(names(names_elsewhere)[called], known)
}

# How to make a data frame of what was given in place of one; `columns` are those it should have
meant_frame <- function(x, arg, columns = NULL) {
  words <-
    if (rlang::is_string(x) && grepl("[.](csv|tsv|txt)(\\.gz)?$", x, ignore.case = TRUE)) {
      cli::format_inline("{.code {arg} = read.csv({quoted(x)})} reads the file;
        {.code rows_from_files({quoted(x)})} is for files larger than memory.")
    } else if (rlang::is_string(x) && grepl("[.]parquet$", x, ignore.case = TRUE)) {
      cli::format_inline("{.code {arg} = rows_from_arrow(arrow::open_dataset({quoted(x)}))}
        reads the file.")
    } else if (rlang::is_string(x) && is.data.frame(get0(x, globalenv()))) {
      cli::format_inline("Without the quotes: {.code {arg} = {x}}.")
    } else if (length(columns) && !is.null(column_values(x, columns))) {
      cli::format_inline("{.code {arg} = {column_values(x, columns)}}?")
    } else if (is.list(x) && !is.object(x) && !is.null(names(x))) {
      cli::format_inline("{.code as.data.frame()} makes one of a list.")
    } else if (is_arrow(x) || becomes_frame(x)) {
      cli::format_inline("{.fn as.data.frame} makes one of the {.cls {class(x)[1L]}}.")
    }
  if (!is.null(words)) as_it_is(words)
}

# Is a value, such as a table of a database, one of which as.data.frame() makes a data frame?
becomes_frame <- function(x) {
  !is.atomic(x) && any(vapply(oldClass(x), function(class) {
    !is.null(utils::getS3method("as.data.frame", class, optional = TRUE))
  }, NA))
}

quoted <- function(text) encodeString(text, quote = "\"")

# data.frame(a = 1, b = 2) for a vector of values: those of the only column, or one for each
column_values <- function(x, columns) {
  plain <- is.atomic(x) && is.null(dim(x)) && length(x) && (is.numeric(x) || is.character(x)) &&
    !is.object(x) && !anyNA(x)
  if (!plain || length(columns) > 1L && length(columns) != length(x)) return(NULL)
  text <- if (is.character(x)) quoted(x) else code_text(x)
  if (length(columns) == 1L && length(x) > 1L) {
    text <- if (length(x) > 3L) "..." else paste0("c(", toString(text), ")")
  }
  names <- ifelse(columns == make.names(columns), columns, paste0("`", columns, "`"))
  paste0("data.frame(", toString(paste(names, "=", text)), ")")
}

# A percentage in place of a probability
meant_probability <- function(x) {
  if (!is.numeric(x) || !length(x) || !isTRUE(all(x > 0 & x <= 100 & x != 1))) return(NULL)
  share <- format_numbers(ifelse(x > 1, x / 100, x))
  as_it_is(cli::format_inline("Did you mean {.code {share}}?"))
}

# The likelihoods of this package by what families of glm(), mgcv and MASS call themselves.
families_elsewhere <- c(
  gaussian = "lik_gaussian", poisson = "lik_poisson", quasipoisson = "lik_negative_binomial",
  "negative binomial" = "lik_negative_binomial", nb = "lik_negative_binomial",
  negbin = "lik_negative_binomial", gamma = "lik_gamma", "beta regression" = "lik_beta",
  betar = "lik_beta", "scaled t" = "lik_student", scat = "lik_student", t = "lik_student",
  "ordered categorical" = "lik_ordinal", ocat = "lik_ordinal", normal = "lik_gaussian",
  "zero inflated poisson" = "lik_poisson", asym_laplace = "lik_quantile", elf = "lik_quantile"
)

# The name of the function that makes the likelihood of a family, or of a likelihood by its name
likelihood_meant <- function(x, makers) {
  if (is.function(x)) x <- on_error(x(), function(e) NULL)
  name <- if (inherits(x, "family")) x$family else if (rlang::is_string(x)) x
  if (is.null(name)) return(character())
  name <- tolower(sub("^lik_", "", sub(" *\\(.*$", "", name)))
  family <- families_elsewhere[name]
  if (!is.na(family)) unname(family)
  else paste0("lik_", nearest_name(name, sub("^lik_", "", makers)), recycle0 = TRUE)
}

# Columns that data lack beside columns that they have and that are not needed
meant_columns <- function(absent, present) {
  near <- unlist(lapply(absent, function(name) utils::head(nearest_name(name, present), 1L)))
  if (length(near)) as_it_is(cli::format_inline("Found {.val {unique(near)}}: another spelling?"))
}
