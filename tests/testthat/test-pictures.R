# The main pictures of autoplot(), compared with recorded drawings. Other versions of ggplot2 draw
# the same picture with other lines.

expect_drawing <- function(picture, title) vdiffr::expect_doppelganger(title, picture)

test_that("the main pictures look as they did", {
  skip_on_cran()
  skip_if_not_installed("vdiffr")
  skip_if_not_installed("ggplot2")
  drawn_with <- as.character(utils::packageVersion("ggplot2")[, 1:2])
  skip_if(drawn_with != "3.4", "recorded with ggplot2 3.4")
  fit <- function(...) meanfield_gp(..., optimise = FALSE, seed = 1)
  line <- fit(dist ~ speed, cars, kernel = kernel_rbf(1, 1), likelihood = lik_gaussian(0.3))
  expect_drawing(ggplot2::autoplot(line, newdata = cars), "one number")
  expect_drawing(ggplot2::autoplot(line, "residuals", newdata = cars), "residuals")
  expect_drawing(ggplot2::autoplot(fit(Sepal.Length ~ Species, iris)), "one factor")
  expect_drawing(ggplot2::autoplot(fit(Volume ~ ., trees), grid = 8), "two numbers")
  flowers <- fit(Species ~ Petal.Width + Petal.Length, iris[seq(1, 150, 5), ])
  expect_drawing(ggplot2::autoplot(flowers, grid = 8, newdata = iris[seq(1, 150, 10), ]), "classes")
  expect_drawing(ggplot2::autoplot(flowers, "calibration"), "calibration")
  dated <- transform(iris[seq(1, 150, 10), ], day = as.Date("2024-01-01") + 30 * seq_len(15))
  mixed <- fit(Sepal.Length ~ Species + day + Petal.Width, dated)
  expect_drawing(ggplot2::autoplot(mixed, "effects", grid = 5), "effects of dates and factors")
  sizes <- fit(Sepal.Length ~ ., iris[seq(1, 150, 10), ])
  expect_drawing(ggplot2::autoplot(sizes, "effects", grid = 5), "effects")
  expect_drawing(ggplot2::autoplot(sizes, "relevance"), "relevance")
})

test_that("captions and titles of facets fit a picture of six inches", {
  skip_if_not_installed("ggplot2")
  toy <- toy_data("regression")
  lines_of <- function(picture) nchar(strsplit(picture$labels$caption, "\n")[[1]])
  fits <- list(
    fit_cheaply(model_specs()$ivm, y ~ a, toy$data), fit_cheaply(model_specs()$ivm, y ~ ., toy$data)
  )
  for (fit in fits) for (which in list(NULL, "effects")) {
    expect_true(all(lines_of(ggplot2::autoplot(fit, which, newdata = toy$data)) <= caption_letters))
  }
})

test_that("a time that may be censored has its own name, and squares on a map", {
  skip_if_not_installed("survival")
  toy <- toy_data("regression")
  seen <- data.frame(toy$x, time = exp((toy$y - 5) / 2), event = rep(c(1, 1, 0), 20))
  formula <- survival::Surv(time, event) ~ a + b
  fit <- fit_cheaply(model_specs()$ivm, formula, seen)
  expect_identical(answer_words(fit), "time")
  points <- drawn_points(fit, seen, NULL)
  expect_identical(map_signs(points) == 22L, seen$event == 0)
  frame <- map_frame(fit, points, 10)
  expect_match(map_words(fit, frame, points), "squares: censored rows")
  expect_no_match(map_words(fit, frame, drawn_points(fit, seen[seen$event == 1, ], NULL)),
    "squares")
  both <- fit_cheaply(model_specs()$ivm,
    survival::Surv(time, later, type = "interval2") ~ a, transform(seen, later = time + 0.1))
  expect_identical(answer_words(both), "time to later")
})

test_that("the colours of a map are those of its function, not of the rows on it", {
  skip_if_not_installed("ggplot2")
  toy <- toy_data("regression")
  fit <- fit_cheaply(model_specs()$ivm, y ~ a + b, toy$data)
  far <- transform(toy$data, y = 1000)
  limits <- function(rows) {
    ggplot2::ggplot_build(ggplot2::autoplot(fit, newdata = rows))$plot$scales$get_scales("fill")$
      get_limits()
  }
  expect_equal(limits(far), limits(toy$data))
})
