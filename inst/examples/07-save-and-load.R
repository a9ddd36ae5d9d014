# Save a fit, load it elsewhere, and predict for rows that are not in order.
library(gpsieve)

fit <- ivm(weight ~ feed, chickwts, seed = 1)
file <- tempfile(fileext = ".rds")
saveRDS(fit, file)
again <- readRDS(file)
identical(predict(again, chickwts), predict(fit, chickwts))
predict(again, data.frame(feed = c("casein", NA, "soybean"))) # a missing value gives NA
tryCatch(
  predict(again, data.frame(feed = "grass")), # a new level is an error that names it
  gpsieve_error_data = function(e) cat(conditionMessage(e), "\n")
)
