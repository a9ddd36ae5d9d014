# Mixed inputs of gpsieve(): the best function is compared with the same function along directions
# that are learned.

# Stage: the best function of mixed inputs, taken by the rule of warped inputs
mixed_inputs_stage <- function() {
  new_stage(
    candidate = "mixed inputs, [kernel_mixed()]",
    where = "100 rows or more of two columns or more, by the best function",
    propose = function(choice, usual) {
      if (choice$task$mixed) mapped_entries(choice, usual, "mix", "mixed")
    },
    better = better_by_map,
    after = learned_from_the_start
  )
}
