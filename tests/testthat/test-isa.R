# The instruction sets: each is forced the way a user forces it, before the package is loaded.

# Everything a golden machine says, from a fresh process; NULL where `isa` cannot run here.
answers_under <- function(isa) {
  callr::r(function(isa, cases, helper) {
    options(gpsieve.isa = isa)
    suppressWarnings(library(gpsieve))
    if (gpsieve_info(16)$isa != isa) return(NULL)
    source(helper, local = TRUE)
    lapply(cases, function(case) {
      lapply(list(full_search, whole_index(case)), function(control) {
        fit <- golden_fit(case, control)
        link <- predict(fit, case$Xtest, type = "link", se.fit = TRUE)
        numbers <- list(
          precision = sites(fit)$precision, mean = sites(fit)$mean,
          evidence = evidence(fit)$value, link = link$fit, se = link$se.fit,
          prediction = if (is_gaussian(case)) predict(fit, case$Xtest) else
            predict(fit, case$Xtest, type = "prob")
        )
        list(active = active_set(fit), numbers = numbers)
      })
    })
  }, list(isa, golden_ivm(), normalizePath(test_path("helper-golden.R"))), timeout = 120)
}

relative_difference <- function(found, expected) {
  max(abs(as.matrix(found) - as.matrix(expected))) / max(abs(as.matrix(expected)))
}

test_that("golden cases have the same bits on avx2 and avx512, and portable is close", {
  skip_on_cran()
  skip_if_not_installed("callr")
  portable <- answers_under("portable")
  avx2 <- answers_under("avx2")
  avx512 <- answers_under("avx512")
  expect_setequal(names(portable), c("pima", "crabs", "boston_public"))
  if (is.null(avx2)) skip("this processor has no AVX2")
  for (case in names(portable)) for (search in 1:2) {
    expected <- avx2[[case]][[search]]
    found <- portable[[case]][[search]]
    expect_identical(found$active, expected$active)
    difference <- mapply(relative_difference, found$numbers, expected$numbers)
    worst <- names(which.max(difference))
    expect_lt(max(difference), 1e-12, label = paste("portable,", case, worst))
  }
  if (is.null(avx512)) skip("this processor has no AVX-512")
  expect_identical(avx512, avx2)
})

test_that("an instruction set that does not exist is refused with a warning", {
  skip_on_cran()
  skip_if_not_installed("callr")
  said <- callr::r(function() {
    options(gpsieve.isa = "sse9")
    warned <- NULL
    withCallingHandlers(loadNamespace("gpsieve"), warning = function(w) {
      warned <<- c(warned, conditionMessage(w))
      invokeRestart("muffleWarning")
    })
    list(warned = warned, isa = gpsieve::gpsieve_info(16)$isa)
  })
  expect_match(said$warned, "gpsieve.isa")
  expect_identical(said$isa, gpsieve_info(16)$isa)
})
