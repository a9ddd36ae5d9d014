# Longitude and latitude among the inputs of gpsieve(): where the globe is no plane over the rows, a
# message offers a kernel of places on it as one of the candidates.

names_of_longitude <- c("lon", "long", "lng", "longitude")
names_of_latitude <- c("lat", "latitude")
# A plane is as good where a degree of longitude is as long everywhere, within a tenth, and
# longitudes cover less than half of the globe.
least_change_of_degree <- 0.1
least_turn <- 180

#' The columns of longitude and latitude, by their names and ranges, where the rows are so far apart
#' that a plane is another thing than the globe: two names, or NULL
#' @noRd
places_of <- function(molded) {
  if (!is.null(molded$rows) || is_sparse(molded$x)) return(NULL)
  plain <- plain_inputs(molded)
  named <- function(names) plain[tolower(plain) %in% names]
  dims <- c(named(names_of_longitude), named(names_of_latitude))
  if (length(dims) != 2L || !length(named(names_of_latitude))) return(NULL)
  longitude <- range(molded$x[, dims[1L]])
  latitude <- molded$x[, dims[2L]]
  if (longitude[1L] < -180 || longitude[2L] > 360 || any(abs(latitude) > 90)) return(NULL)
  degree <- range(cos(latitude * pi / 180))
  far <- degree[1L] < (1 - least_change_of_degree) * degree[2L] || diff(longitude) > least_turn
  if (far) dims
}

#' The kernel that reads two columns as places on the globe, as it is typed: with other inputs,
#' which have a kernel of their own, as a product and beside it
#' @noRd
places_code <- function(dims, others) {
  globe <- sprintf("kernel_great_circle(%s, nu = 0.5)", deparse1(dims))
  if (!length(others)) return(paste(globe, "+ kernel_constant()"))
  beside <- sprintf("kernel_on(kernel_matern(0.5, ard = TRUE), %s)", deparse1(others))
  paste0(globe, " * ", beside, " + ", globe, " + kernel_constant()")
}

#' Says how places on the globe are compared, where the user has not said what is
#' @noRd
advise_places <- function(task) {
  molded <- task$molded
  dims <- if (!length(task$kernels) && is.null(task$models)) places_of(molded)
  if (is.null(dims)) return(invisible())
  kernel <- places_code(dims, setdiff(colnames(molded$x), dims))
  line <- sprintf("%s and %s are taken for a plane. candidates = list(kernel_rich(), %s) %s",
    dims[1L], dims[2L], kernel, "compares places on the globe.")
  cli::cli_inform(c(i = "{line}"), class = c("gpsieve_advice", "gpsieve_message"))
}
