# Computes the reference values of tests/testthat/golden again, from the inputs and settings that
# the files hold, and compares them with the files. New files are written to build/golden; none is
# replaced.
#
#   Rscript data-raw/golden/all.R [name...]     in the top folder of the tree; make golden
#
# Ends with status 1 if a number differs from the stored one by more than the file's tolerance,
# which is relative to the largest number of a vector, or to 1 where that is larger. The values were
# computed on other machines with other versions of BLAS: the last digits differ. What rests on
# cavity variances that are iterated until they change by less than 1e-7 (`rvm`), or on many updates
# of nearly singular matrices (`greedy`, `meanfield`), differs by more.

source("data-raw/golden/common.R")

tolerances <- c(ivm = 1e-9, ep = 1e-6, greedy = 1e-6, meanfield = 1e-6, rvm = 1e-4)

chosen <- commandArgs(TRUE)
if (!length(chosen)) chosen <- names(tolerances)
unknown <- setdiff(chosen, names(tolerances))
if (length(unknown)) stop("There are no reference values named ", toString(unknown))

failed <- FALSE
for (name in chosen) {
  source(file.path("data-raw", "golden", paste0(name, ".R")))
  stored <- read_golden(name)
  made <- get(paste0("golden_", name))(stored)
  write_golden(made, name, file.path("build", "golden"))
  worst <- largest_difference(made, stored)
  close <- worst$difference <= tolerances[[name]]
  failed <- failed || !close
  cat(sprintf("%-10s largest difference %.1e, tolerance %.0e%s\n", name, worst$difference,
    tolerances[[name]], if (close) "" else paste0(": FAILED at ", worst$place)
  ))
}
if (failed) quit(status = 1)
