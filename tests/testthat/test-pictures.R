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
