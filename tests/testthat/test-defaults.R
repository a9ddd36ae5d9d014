# The option structs of the core have defaults of their own, which its tests use. They must be the
# defaults of the arguments of R that fill them. Needs the sources of the core.

# The members of a struct of options that have a default, as texts by name.
core_defaults <- function(header, struct) {
  lines <- readLines(header)
  first <- grep(paste0("^struct ", struct, " \\{"), lines)
  lines <- lines[seq(first + 1, first + which(lines[-seq_len(first)] == "};")[1] - 1)]
  found <- regmatches(lines, regexec("^ +[A-Za-z:]+ ([a-z_0-9]+) = ([^;]+);", lines))
  found <- Filter(length, found)
  stats::setNames(vapply(found, `[[`, "", 3), vapply(found, `[[`, "", 2))
}

# The default of an argument in the words of C++: the first of several choices by its name.
default_of <- function(fun, argument) {
  ours <- asNamespace("gpsieve")
  value <-
    if (fun == "constant") get(argument, ours)
    else eval(formals(get(fun, ours))[[argument]], ours)
  if (is.numeric(value) && is.infinite(value)) return(0) # what stands for no limit in the core
  value[[1L]]
}

same_default <- function(core, r) {
  if (is.character(r)) return(identical(sub(".*::", "", core), r))
  if (is.logical(r)) return(identical(core == "true", r))
  isTRUE(all.equal(as.numeric(core), as.numeric(r)))
}

# Member of the struct = argument, or constant of R. R computes what is not listed from the data or
# from other arguments.
filled_by <- list(
  list("ivm/ivm.h", "IvmOptions", ivm = c("criterion", "refine"),
    control_ivm = c("n_random", "n_full", "pool", "retain")
  ),
  list("ep/ep.h", "EpFitOptions", ep_gp = c("shuffle", "jitter"),
    control_ep = c(tolerance = "tol", "gradient")
  ),
  list("ep/ep.h", "EpLearning", control_ep = c("optimiser")),
  list("meanfield/solution.h", "MeanfieldOptions", meanfield_gp = "method",
    control_meanfield = "max_iter"
  ),
  list("online/online.h", "OnlineOptions",
    online_gp = c("novelty", "deletion", "sweeps", "sweep_type", "shuffle"),
    constant = c(tolerance = "sweep_tolerance")
  ),
  list("greedy/greedy.h", "GreedyOptions",
    greedy_gp = c("tol", "candidates", "rule", "variance", "certify"),
    control_greedy = c("stop", "dual_candidates", "bound"),
    constant = c(max_basis = "most_functions", dual_rows = "most_dual_rows",
      certify_rows = "most_certified_rows",
      block_size = "bound_block", grow = "newton_growth"
    )
  ),
  list("rvm/options.h", "RvmOptions", rvm = c("algorithm", "inference", "intercept"),
    control_rvm = c("update", "entry", "prune", "max_iter", "tol")
  )
)

test_that("defaults of the core are those of the arguments that fill them", {
  models <- test_path("../../src/core/models")
  skip_if_not(dir.exists(models), "The sources of the core are not here")
  for (row in filled_by) {
    core <- core_defaults(file.path(models, row[[1]]), row[[2]])
    for (fun in names(row)[nzchar(names(row))]) {
      ours <- asNamespace("gpsieve")
      arguments <- if (fun == "constant") names(ours) else names(formals(get(fun, ours)))
      for (i in seq_along(row[[fun]])) {
        argument <- row[[fun]][[i]]
        member <- names(row[[fun]])[i]
        if (is.null(member) || !nzchar(member)) member <- argument
        expect_true(member %in% names(core), label = paste0(row[[2]], "::", member, " is there"))
        expect_true(argument %in% arguments, label = paste0(fun, "(", argument, ")"))
        expect_true(same_default(core[[member]], default_of(fun, argument)),
          label = paste0(row[[2]], "::", member, " = ", core[[member]], " as in ", fun, "()")
        )
      }
    }
  }
  ep <- core_defaults(file.path(models, "ep/ep.h"), "EpFitOptions")
  expect_true(same_default(ep[["iterations"]], settling_passes))
  field <- core_defaults(file.path(models, "meanfield/solution.h"), "MeanfieldOptions")
  expect_true(same_default(field[["tol"]], default_tol))
  exact <- core_defaults(file.path(models, "../exact/exact_solution.h"), "ExactOptions")
  r <- list(inducing = exact_inducing, probes = exact_probes, tol = exact_tol,
    max_steps = exact_steps_of_round * control_meanfield()$max_iter
  )
  for (name in names(r)) expect_true(same_default(exact[[name]], r[[name]]), label = name)
})

test_that("the range of learning on blocks is that of the core", {
  file <- test_path("../../src/core/learning/learn_on_blocks.cpp")
  skip_if_not(file.exists(file), "The sources of the core are not here")
  line <- grep("constexpr double kRange", readLines(file), value = TRUE)
  expect_identical(as.numeric(sub(".*= ([0-9.]+);.*", "\\1", line)), block_range)
})
