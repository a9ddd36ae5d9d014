# Mixed inputs of gpsieve(): the best function is compared with the same function along directions
# that are learned.

# Stage: the best function of mixed inputs, first if its density is clearly greater where no row
# counts for more than a nat, and its mean about as good.
# A mix has as many hyper-parameters as pairs of columns, so that a standard error is not enough: of
# 4,378 blocks of pages (10 columns, five classes) held-out rows gained .003 with a standard error
# of .002, and new rows lost .017.
mixed_inputs_stage <- function() {
  new_stage(
    candidate = "mixed inputs, [kernel_mixed()]",
    where = "100 rows or more, two columns or more, no more weights than rows",
    propose = function(choice, usual) {
      if (choice$task$mixed && mix_may_gain(choice$task, usual)) {
        mapped_entries(choice, usual, "mix", "mixed")
      }
    },
    race = function(entry, usual, choice) hopeless_below(2),
    better = function(entry, first, usual) {
      gains_in_most_rows(entry, usual) && has_mean_as_good(entry, usual)
    }
  )
}

# Are mixed inputs compared? A mix has no more weights than there are rows.
compares_mixes <- function(task) {
  weights <- weights_of_mix(task)
  task$warped && weights > 0 && weights <= nrow(task$molded$x)
}

# One weight for each column in each other one
weights_of_mix <- function(task) {
  mapped <- length(mapped_dims(NULL, task$molded$x))
  mapped * (mapped - 1)
}

# Can the density of a mix be greater by more than what its weights take from it (optimism_of())?
# The log density of a class is at most 0.
mix_may_gain <- function(task, usual) {
  task$anew || !is.factor(task$molded$y) ||
    optimism_of(usually_determined(weights_of_mix(task)), task) < -held_out_score(usual)
}
