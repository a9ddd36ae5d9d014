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
    where = "100 rows or more of two columns or more, by the best function",
    propose = function(choice, usual) {
      if (choice$task$mixed) mapped_entries(choice, usual, "mix", "mixed")
    },
    better = function(entry, first, usual) {
      gains_in_most_rows(entry, usual) && has_mean_as_good(entry, usual)
    },
    after = learned_from_the_start
  )
}
