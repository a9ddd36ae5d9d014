# Two kernels compared, by evidence and by leaving one row out.
library(gpsieve)

smooth <- meanfield_gp(dist ~ speed, cars, kernel = kernel_rbf())
rough <- meanfield_gp(dist ~ speed, cars, kernel = kernel_matern(0.5))
c(smooth = evidence(smooth)$value, rough = evidence(rough)$value)
compare(smooth, rough)
