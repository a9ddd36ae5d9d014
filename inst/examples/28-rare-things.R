# A class with one row, a column that is an id, a level that is new, an ordered factor.
library(gpsieve)

# A class with one row is a class.
rare <- rbind(iris[1:100, ], iris[101, ])
fit <- gpsieve(Species ~ ., rare, seed = 1, verbose = FALSE)
round(predict(fit, iris[c(1, 60, 101), ], type = "prob"), 2)

# A column with another value in every row is named in a message.
named <- transform(mtcars, model = rownames(mtcars))
fit <- gpsieve(mpg ~ wt + model, named, seed = 1, verbose = FALSE)

# A new level gives NA and one warning that names it; or the average of the levels.
fed <- droplevels(chickwts[chickwts$feed != "casein", ])
fit <- gpsieve(weight ~ feed, fed, seed = 1, verbose = FALSE)
new <- data.frame(feed = c("soybean", "casein"))
predict(fit, new)
predict(fit, new, new_levels = "average")

# An ordered factor is the position of its level.
diamonds <- data.frame(cut = factor(c("fair", "good", "ideal")[rep(1:3, 10)], ordered = TRUE,
  levels = c("fair", "good", "ideal")
))
diamonds$price <- as.integer(diamonds$cut) + rep(c(-0.1, 0, 0.1), each = 10)
fit <- gpsieve(price ~ cut, diamonds, seed = 1, verbose = FALSE)
predict(fit, unique(diamonds["cut"]))
