# Answers as data frames, and pictures of ggplot2.
library(gpsieve)

fit <- ivm(mpg ~ wt + hp + qsec, mtcars, seed = 1)
tidy(fit)
glance(fit)
head(augment(fit, data = mtcars, interval = "prediction"))
if (requireNamespace("insight", quietly = TRUE)) {
  insight::find_predictors(fit)
  insight::get_predicted(fit, data = mtcars[1:3, ])
}
if (requireNamespace("ggplot2", quietly = TRUE)) {
  print(ggplot2::autoplot(fit, "effects", newdata = mtcars))
}
