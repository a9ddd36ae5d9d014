library(testthat)
library(gpsieve)

test_check("gpsieve")
