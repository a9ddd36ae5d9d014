# The ways to write a call: data first, arguments by name, a matrix, a recipe.
library(gpsieve)

fit <- mtcars |> gpsieve(mpg ~ ., seed = 1, verbose = FALSE)
by_name <- gpsieve(data = mtcars, formula = mpg ~ ., seed = 1, verbose = FALSE)
by_matrix <- gpsieve(as.matrix(mtcars[-1]), mtcars$mpg, seed = 1, verbose = FALSE)
identical(predict(fit), predict(by_name))
all.equal(unname(predict(fit)), unname(predict(by_matrix)))

if (requireNamespace("recipes", quietly = TRUE)) {
  recipe <- recipes::step_log(recipes::recipe(mpg ~ ., mtcars), disp, hp)
  print(gpsieve(recipe, mtcars, seed = 1, verbose = FALSE))
}
