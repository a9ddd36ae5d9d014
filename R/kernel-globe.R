#' @include kernel-leaves.R
NULL

# Places on the globe: a kernel of longitude and latitude.

#' Kernel of distances on the globe
#'
#' Functions of places that are given as longitude and latitude in degrees. Longitudes 180 and -180
#' are the same meridian, a degree of longitude is shorter near the poles, and the lengthscale is in
#' kilometres. With the distance d between two places, on a straight line through the Earth (the
#' chord) or on its surface (the arc), the kernel is that of [kernel_matern()] with
#' \eqn{r = d / \mathrm{lengthscale}}{r = d / lengthscale}. Two places that are the angle
#' \eqn{\theta} apart, seen from the centre, have
#' \deqn{d_\mathrm{chord} = 2\,\mathrm{radius}\,\sin(\theta / 2), \qquad
#'   d_\mathrm{arc} = \mathrm{radius}\;\theta}{
#'   d_chord = 2 radius sin(theta / 2), d_arc = radius theta}
#' The two differ by less than one per cent up to 3000 km.
#'
#' The chord is a distance between points of three coordinates, so that the kernel is valid for
#' every `nu`. The Matern function of the arc is a covariance for `nu = 0.5` only, and for others
#' refused.
#'
#' Models that standardise their inputs tell the kernel by how much: it computes with degrees, and
#' neither the lengthscale nor any covariance depends on the scale of the inputs. Another kernel of
#' the same columns sees them standardised as usual. Sparse rows are refused.
#'
#' @section Three coordinates in place of two:
#' Where longitude and latitude are columns among others, as in [gpsieve()], which takes them for a
#' plane, the coordinates of places on a sphere can take their part, here of degrees:
#' ```r
#' d <- transform(d, lat = lat * pi / 180, lon = lon * pi / 180)
#' d <- transform(d, a = cos(lat) * cos(lon), b = cos(lat) * sin(lon), c = sin(lat))
#' gpsieve(y ~ a + b + c + time, d)
#' ```
#'
#' @param dims The columns of longitude and latitude, in this order: two names or numbers, as in
#'   [kernel_on()]. `NULL` where the inputs are these two columns and no others. Both are in
#'   degrees, north and east positive. Training latitudes beyond 90 degrees are an error,
#'   which is what columns in the wrong order often have; those of new rows are taken for
#'   places on the other side of the pole.
#' @inheritParams kernel_matern
#' @param nu Smoothness: 0.5, 1.5 or 2.5, as in [kernel_matern()]; 0.5 for the arc. A constant, not
#'   learned.
#' @param lengthscale The distance over which the function changes, in the unit of `radius`, which
#'   is kilometres by default: one positive number, or [fixed()]. `NULL` takes the median distance
#'   between training places, of 500 of them where there are more.
#' @param distance `"chord"`, the distance through the Earth, or `"arc"`, the distance on its
#'   surface.
#' @param radius The radius of the sphere: a positive number. The default is the mean radius of the
#'   Earth in kilometres; `radius = 1` measures lengthscales in radians. A constant, not learned.
#' @inherit kernel_rbf return
#' @references Gneiting, T. (2013). Strictly and non-strictly positive definite functions on
#'   spheres. *Bernoulli*, 19(4), 1327-1349.
#' @seealso [kernel_matern()], [kernel_on()].
#' @examples
#' cities <- rbind(Suva = c(178.4, -18.1), Apia = c(-171.8, -13.8), Lima = c(-77, -12))
#' # Suva and Apia lie on both sides of the date line, about 1150 km apart.
#' round(kernel_matrix(kernel_great_circle(nu = 0.5, lengthscale = 1000), cities), 3)
#'
#' # Depths of earthquakes near Fiji
#' fit <- ivm(depth ~ long + lat, quakes, n_active = 60, seed = 1,
#'   kernel = kernel_great_circle(c("long", "lat"))
#' )
#' coef(fit)
#' predict(fit, data.frame(long = c(-179, 181), lat = -20)) # the same place
#'
#' # Places times another input
#' kernel_great_circle(c("long", "lat")) * kernel_on(kernel_rbf(), "time")
#' @export
kernel_great_circle <- function(dims = NULL, nu = 1.5, variance = 1, lengthscale = NULL,
                                distance = c("chord", "arc"), radius = 6371, ...) {
  check_dots(...)
  check_one_lengthscale(lengthscale)
  leaf <- new_leaf("great_circle",
    nu = nu, variance = variance, lengthscale = lengthscale, radius = radius, open = "lengthscale")
  if (check_choice(distance) == "arc") {
    if (nu != 0.5) {
      abort_gpsieve("{.arg nu} must be 0.5 for {.code distance = \"arc\"}.", "Found {nu}.",
        "{.code distance = \"chord\"} takes 1.5 and 2.5 too.")
    }
    leaf$distance <- "arc"
  }
  if (is.null(dims)) leaf else kernel_on(leaf, dims)
}

check_one_lengthscale <- function(lengthscale) {
  n <- length(if (is_fixed(lengthscale)) lengthscale$value else lengthscale)
  if (n <= 1L) return(invisible())
  abort_gpsieve("{.arg lengthscale} must be one number.", "Found {n} numbers.",
    "Distances on a sphere have one for both columns.")
}

# The leaf with the degrees of its inputs: origin + unit x, for inputs x of the scale of
# computation
with_degrees <- function(leaf, x, center, scale) {
  if (ncol(x) != 2L) {
    abort_gpsieve("{.fn kernel_great_circle} needs two columns, longitude and latitude.",
      "Found {ncol(x)}.", "{.arg dims} names them.")
  }
  leaf$degrees <- list(origin = unname(center), unit = unname(scale))
  leaf
}

# A kernel without what with_degrees() added
without_degrees <- function(kernel) {
  kernel$degrees <- NULL
  kernel$children <- lapply(kernel$children, without_degrees)
  kernel
}

# What with_degrees() added to the leaf; of one that no data were shown to, inputs in degrees
degrees_of <- function(leaf) {
  if (is.null(leaf$degrees)) list(origin = c(0, 0), unit = c(1, 1)) else leaf$degrees
}

# The median distance between places: the core gives exp(-distance / radius) for any two
median_distance_on_globe <- function(leaf, x) {
  x <- x[evenly_spaced(nrow(x), median_rows), , drop = FALSE]
  leaf$values[c("nu", "variance", "lengthscale")] <- list(0.5, 1, leaf$values$radius)
  decay <- call_core(core_kernel_matrix, kernel_spec(leaf), x, NULL)
  if (nrow(x) < 2L) return(leaf$values$radius)
  distances <- -log(stats::as.dist(decay))
  # Where all places coincide there is no distance, and the radius is a length of the right unit.
  leaf$values$radius * if (all(distances == 0)) 1 else middle_distance(distances)
}

# How long a unit of each of the two columns is at the origin, in the unit of the radius
lengths_on_globe <- function(leaf) {
  degrees <- degrees_of(leaf)
  leaf$values$radius * degrees$unit * pi / 180 * c(cos(degrees$origin[2L] * pi / 180), 1)
}

# The mean squared distance of two places, from the variances of the columns: at most that of
# places all over the sphere
mean_square_on_globe <- function(leaf, variances) {
  2 * min(sum(variances * lengths_on_globe(leaf)^2), leaf$values$radius^2)
}

# Stops where the range of the data, the lowest and the highest number of every column, is wrong for
# a leaf of the kernel
check_ranges <- function(kernel, range, columns) {
  # `range` is computed where it is needed only.
  checks <- Filter(function(kind) !is.null(kind$check_range), kinds_in(kernel))
  if (!length(checks)) return(invisible())
  for (leaf in kernel_leaves(kernel, seq_len(ncol(range)))) {
    check <- kernel_kind(leaf$kernel)$check_range
    if (!is.null(check)) check(leaf, range, columns)
  }
}

great_circle_kind <- list(
  hyper = c("variance", "lengthscale"), rules = list(nu = check_nu), word = matern_word,
  lengthscale = list(
    start = function(leaf, x) median_distance_on_globe(leaf, x),
    mean_square = function(leaf, variances) {
      positive_or_one(mean_square_on_globe(leaf, variances))
    },
    between_rows = FALSE, note = "; lengths on the globe in the unit of its radius"
  ),
  unit_variance = function(variances) 1,
  rate = function(leaf) lengths_on_globe(leaf) / leaf$values$lengthscale,
  with_inputs = function(kernel, x, center, scale) with_degrees(kernel, x, center, scale),
  more_values = function(kernel) {
    c(list(arc = as.double(identical(kernel$distance, "arc"))),
      lapply(degrees_of(kernel), as.double))
  },
  # Stops where a latitude is beyond a pole.
  check_range = function(leaf, range, columns) {
    column <- leaf$columns[2L]
    found <- range[, column]
    if (all(abs(found) <= 90)) return(invisible())
    name <- if (is.null(columns)) column else columns[column]
    abort_gpsieve("Latitudes must lie between -90 and 90 degrees.",
      "Column {.val {name}} goes from {format(found[1L])} to {format(found[2L])}.",
      "{.arg dims} of {.fn kernel_great_circle} names the longitude first.", class = "data")
  },
  maps = FALSE, sparse = FALSE, exported = FALSE
)
