# Rows of a database table or query, through DBI.

#' Rows from a database
#'
#' @param con A DBI connection, which stays open; or a function without arguments that opens one:
#'   the connection is then opened for each pass and closed after it, also when the pass ends by an
#'   error; or the name of an SQLite file, which is opened in the same way and can only be read.
#' @param table_or_sql The name of a table or view, or a query that begins with `SELECT` or `WITH`.
#' @param key Name of a column of distinct values that orders the rows. Each block is then a query
#'   of its own for the next rows by that key, so that the server keeps nothing between blocks and
#'   every pass sees the same order. `NULL` reads one result block by block, through a cursor on the
#'   server for PostgreSQL; the order is then that of the query, which should have an `ORDER BY`.
#' @param block_rows Rows that are read at a time.
#' @param copy Should a fit read a copy of the rows, which its first pass writes to a temporary
#'   file, see [rows_from_function()]? The default copies the rows of an SQLite file that is given
#'   by its name.
#' @return A source of rows, see [rows_from_function()].
#' @details Names are quoted by [DBI::dbQuoteIdentifier()] and values of the key are bound as
#'   parameters. Nothing is written to the database: a connection that may only read is enough.
#' @examplesIf requireNamespace("RSQLite", quietly = TRUE)
#' con <- DBI::dbConnect(RSQLite::SQLite(), ":memory:")
#' DBI::dbWriteTable(con, "cars", cars)
#' source <- rows_from_db(con, "cars", block_rows = 20)
#' fit <- online_gp(dist ~ speed, source, budget = 10, seed = 1)
#' DBI::dbDisconnect(con)
#' @export
rows_from_db <- function(con, table_or_sql, key = NULL, block_rows = 10000,
                         copy = is.character(con)) {
  rlang::check_installed("DBI", "to read rows from a database.", call = user_frame())
  copy <- check_flag(copy, "copy")
  if (is.character(con)) con <- sqlite_opener(con)
  if (!is.function(con) && !inherits(con, "DBIConnection")) {
    found <- describe(con)
    abort_gpsieve(
      paste(
        "{.arg con} must be a DBI connection, a function that opens one, or the name of an SQLite",
        "file."
      ),
      "Found {found}."
    )
  }
  check_name(table_or_sql, "table_or_sql")
  if (!is.null(key)) check_name(key, "key")
  block_rows <- check_count(block_rows)
  if (is_sql(table_or_sql)) table_or_sql <- one_statement(table_or_sql)
  label <- if (is_sql(table_or_sql)) "a database query" else paste("the table", table_or_sql)
  rows_of_passes(function() db_pass(con, table_or_sql, key, block_rows), label, copy,
    portable = is.function(con))
}

check_name <- function(x, arg) {
  if (is.character(x) && length(x) == 1L && !is.na(x) && nzchar(x)) return(invisible())
  found <- describe(x)
  abort_gpsieve("{.arg {arg}} must be one character string.", "Found {found}.")
}

# A function that opens an SQLite file to be read only
sqlite_opener <- function(path) {
  rlang::check_installed("RSQLite", "to read SQLite files.", call = user_frame())
  check_name(path, "con")
  if (!file.exists(path) || dir.exists(path)) {
    abort_gpsieve("{.arg con} must name an SQLite file that exists.", "Found {.file {path}}.")
  }
  path <- normalizePath(path)
  without_mutex <- 0x8000L # SQLITE_OPEN_NOMUTEX
  flags <- bitwOr(RSQLite::SQLITE_RO, without_mutex)
  function() DBI::dbConnect(RSQLite::SQLite(), path, flags = flags)
}

# A comment of SQL, to the end of its line or between its marks
sql_comment <- "--[^\n]*(\n|$)|/[*](?s:.*?)[*]/"

# Does a text begin with a query, be it after comments or in parentheses?
is_sql <- function(text) {
  grepl(sprintf("^(\\s|[(]|%s)*(select|with)(\\s|[(*\"]|--|/[*])", sql_comment), text,
    ignore.case = TRUE, perl = TRUE)
}

# A query without the semicolon that ends it and what follows it; a line of its own ends a comment
one_statement <- function(text) {
  paste0(sub(sprintf("\\s*;(\\s|;|%s)*$", sql_comment), "", text, perl = TRUE), "\n")
}

# A pass over the rows: a connection, and one of three ways to ask for the next block
db_pass <- function(con, table_or_sql, key, block_rows) {
  own <- is.function(con)
  connection <- if (own) con() else con
  leave <- function() if (own) DBI::dbDisconnect(connection)
  blocks <- tryCatch(
    {
      query <- table_or_sql
      if (!is_sql(query)) query <- paste("SELECT * FROM", DBI::dbQuoteIdentifier(connection, query))
      if (!is.null(key)) blocks_by_key(connection, query, key, block_rows)
      else if (is_postgres(connection)) blocks_by_cursor(connection, query, block_rows)
      else blocks_of_result(connection, query, block_rows)
    },
    error = function(e) {
      leave()
      stop(e)
    }
  )
  list(
    next_block = blocks$next_block,
    close = function() {
      # If the connection is lost, closing the result fails; the error is ignored.
      on_error(blocks$close(), function(e) NULL)
      on_error(leave(), function(e) NULL)
    }
  )
}

is_postgres <- function(con) inherits(con, c("PqConnection", "PostgreSQLConnection"))

# One result, fetched block by block
blocks_of_result <- function(con, query, block_rows) {
  result <- DBI::dbSendQuery(con, query)
  list(
    next_block = function() {
      data <- DBI::dbFetch(result, n = block_rows)
      if (nrow(data)) data
    },
    close = function() DBI::dbClearResult(result)
  )
}

# PostgreSQL would send a whole result at once: a cursor keeps it on the server
blocks_by_cursor <- function(con, query, block_rows) {
  cursor <- DBI::dbQuoteIdentifier(con, "gpsieve_rows")
  DBI::dbExecute(con, "BEGIN READ ONLY")
  DBI::dbExecute(con, paste("DECLARE", cursor, "NO SCROLL CURSOR FOR", query))
  fetch <- sprintf("FETCH %d FROM %s", as.integer(block_rows), cursor)
  list(
    next_block = function() {
      data <- DBI::dbGetQuery(con, fetch)
      if (nrow(data)) data
    },
    close = function() DBI::dbExecute(con, "ROLLBACK")
  )
}

# The next rows by a key of distinct values; the last value seen is bound as a parameter
blocks_by_key <- function(con, query, key, block_rows) {
  name <- DBI::dbQuoteIdentifier(con, key)
  parameter <- if (is_postgres(con)) "$1" else "?"
  select <- function(condition) {
    sprintf("SELECT * FROM (%s) AS gpsieve_rows %s ORDER BY %s LIMIT %d", query, condition, name,
      as.integer(block_rows))
  }
  following <- select(paste("WHERE", name, ">", parameter))
  check_key(con, query, name)
  last <- NULL
  list(
    next_block = function() {
      data <-
        if (is.null(last)) DBI::dbGetQuery(con, select(""))
        else DBI::dbGetQuery(con, following, params = list(last))
      if (!nrow(data)) return(NULL)
      last <<- data[[key]][nrow(data)]
      data
    },
    close = function() NULL
  )
}

# Rows that share a key, or have none, would be passed over where a block ends
check_key <- function(con, query, name) {
  counts <- DBI::dbGetQuery(con, sprintf(
    "SELECT COUNT(*) AS total, COUNT(DISTINCT %s) AS keys FROM (%s) AS gpsieve_rows", name, query
  ))
  surplus <- as.numeric(counts[[1L]]) - as.numeric(counts[[2L]])
  if (surplus == 0) return(invisible())
  stop("the key must have a value of its own in every row, but ", format(surplus), " of ",
    format(as.numeric(counts[[1L]])), " rows repeat or lack one",
    call. = FALSE)
}
